type Json = Record<string, unknown>;

function followed(items: readonly Json[]): string | null {
  for (const [at, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    if (!Array.isArray(item.summary)) return `Missing required parameter: 'input[${at}].summary'.`;
    if (item.encrypted_content === undefined) {
      return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    }
    const next = items[at + 1];
    const follows =
      next !== undefined &&
      (next.type === 'function_call' ||
        next.type === 'reasoning' ||
        (next.role === 'assistant' && next.type !== 'function_call_output'));
    if (!follows) {
      return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    }
  }
  return null;
}

function paired(items: readonly Json[]): string | null {
  const calls = items.filter((item) => item.type === 'function_call').map((item) => item.call_id);
  const outputs = items
    .filter((item) => item.type === 'function_call_output')
    .map((item) => item.call_id);
  for (const id of outputs) {
    if (!calls.includes(id))
      return `No tool call found for function call output with call_id ${id}.`;
  }
  for (const id of calls) {
    if (!outputs.includes(id)) return `No tool output found for function call ${id}.`;
    if (String(id).length > 64) return `Invalid 'input.call_id': string too long: ${id}`;
  }
  if (new Set(calls).size !== calls.length) return 'Duplicate item found with the same call_id';
  return null;
}

/** Checks a Responses request as the vendor does; returns its words, or null when it is valid. */
export function refuseResponses(body: Json): string | null {
  if (typeof body.model !== 'string') return "Missing required parameter: 'model'.";
  if (body.store !== false) return 'store must be false here';
  if (body.previous_response_id !== undefined) return 'previous_response_id is not accepted here';
  const items = body.input as Json[] | undefined;
  if (!Array.isArray(items) || items.length === 0) return "Missing required parameter: 'input'.";
  for (const [at, tool] of (
    (body.tools ?? [{ name: 'x', type: 'function' }]) as Json[]
  ).entries()) {
    if (tool.type !== 'function' || !/^[a-zA-Z0-9_-]+$/.test(String(tool.name))) {
      return `Invalid 'tools[${at}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    }
  }
  if (Array.isArray(body.tools) && body.tools.length === 0) return "[] is too short - 'tools'";
  for (const item of items) {
    if (item.type !== 'function_call') continue;
    try {
      const value: unknown = JSON.parse(String(item.arguments));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error();
    } catch {
      return `Invalid 'arguments' of ${item.name}: not a JSON object as text`;
    }
  }
  return followed(items) ?? paired(items);
}
