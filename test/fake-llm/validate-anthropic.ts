type Json = Record<string, unknown>;

const ID = /^[a-zA-Z0-9_-]+$/;

function blocksOf(message: Json | undefined): Json[] {
  if (message === undefined) return [];
  const content = message.content;
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : ((content ?? []) as Json[]);
}

function marks(body: Json): number {
  return (JSON.stringify(body).match(/"cache_control":\{/g) ?? []).length;
}

function toolUses(messages: readonly Json[], at: number): string | null {
  const ids = blocksOf(messages[at])
    .filter((block) => block.type === 'tool_use')
    .map((block) => String(block.id));
  if (new Set(ids).size !== ids.length)
    return `messages.${at}.content.0: \`tool_use\` ids must be unique`;
  for (const [position, id] of ids.entries()) {
    if (!ID.test(id)) {
      return `messages.${at}.content.${position}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    }
  }
  const results = blocksOf(messages[at + 1])
    .filter((block) => block.type === 'tool_result')
    .map((block) => String(block.tool_use_id));
  const missing = ids.filter((id) => !results.includes(id));
  if (missing.length === 0) return null;
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function results(messages: readonly Json[], at: number): string | null {
  const before = blocksOf(messages[at - 1])
    .filter((block) => block.type === 'tool_use')
    .map((block) => String(block.id));
  let otherSeen = false;
  for (const [position, block] of blocksOf(messages[at]).entries()) {
    if (block.type !== 'tool_result') {
      otherSeen = true;
      continue;
    }
    if (!before.includes(String(block.tool_use_id))) {
      return `messages.${at}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (otherSeen) return `messages.${at}: \`tool_result\` blocks must lead the content`;
  }
  return null;
}

function texts(messages: readonly Json[]): string | null {
  for (const message of messages) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) return 'messages: content must not be empty';
    for (const block of blocks) {
      if (block.type !== 'text') continue;
      if (block.text === '') return 'messages: text content blocks must be non-empty';
      if (String(block.text).trim() === '') {
        return 'messages: text content blocks must contain non-whitespace text';
      }
    }
  }
  return null;
}

function tools(body: Json): string | null {
  const uses = JSON.stringify(body.messages).includes('"type":"tool_use"');
  if (body.tools === undefined) {
    return uses
      ? 'Requests which include `tool_use` or `tool_result` blocks must define tools.'
      : null;
  }
  for (const [at, tool] of (body.tools as Json[]).entries()) {
    const schema = tool.input_schema as Json;
    if (schema?.type !== 'object') return `tools.${at}.custom.input_schema.type: Field required`;
    if (schema.oneOf ?? schema.allOf ?? schema.anyOf) {
      return `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    }
  }
  return null;
}

/** Checks a Messages request as the vendor does; returns its words, or null when it is valid. */
export function refuseAnthropic(body: Json, raw: string): string | null {
  if (/\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})/i.test(raw)) {
    return 'The request body is not valid JSON: no low surrogate in string';
  }
  if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
  if (body.temperature !== undefined && body.top_p !== undefined) {
    return '`temperature` and `top_p` cannot both be specified for this model.';
  }
  const count = marks(body);
  if (count > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`;
  const choice = (body.tool_choice as Json | undefined)?.type;
  if (body.thinking !== undefined && (choice === 'any' || choice === 'tool')) {
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  }
  const messages = body.messages as Json[];
  if (!Array.isArray(messages) || messages.length === 0)
    return 'messages: at least one message is required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role === 'assistant')
    return 'This model does not support assistant message prefill.';
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') {
      const fault = toolUses(messages, at);
      if (fault !== null) return fault;
    } else {
      const fault = results(messages, at);
      if (fault !== null) return fault;
    }
  }
  return texts(messages) ?? tools(body);
}
