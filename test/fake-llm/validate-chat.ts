type Json = Record<string, unknown>;

const NAME = /^[a-zA-Z0-9_-]+$/;

function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function pairing(messages: readonly Json[]): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) {
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      if (typeof message.content !== 'string') return 'tool messages must have text content';
      open = open.filter((other) => other !== id);
      continue;
    }
    if (open.length > 0) break;
    const calls = (message.tool_calls ?? []) as Json[];
    open = calls.map((call) => String(call.id));
  }
  if (open.length === 0) return null;
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`;
}

function callFaults(message: Json): string | null {
  if (message.tool_calls === undefined) return null;
  const calls = message.tool_calls as Json[];
  if (calls.length === 0) return "[] is too short - 'messages.tool_calls'";
  const ids = calls.map((call) => String(call.id));
  if (new Set(ids).size !== ids.length) return 'tool_call ids must be unique';
  for (const call of calls) {
    const fn = call.function as Json;
    if (!NAME.test(String(fn.name)))
      return `Invalid 'messages.tool_calls.function.name': '${fn.name}'`;
    if (!isObjectText(fn.arguments))
      return `Invalid arguments of ${fn.name}: not a JSON object as text`;
  }
  return null;
}

function toolFaults(body: Json): string | null {
  if (body.tools === undefined) return null;
  const tools = body.tools as Json[];
  if (tools.length === 0) return "[] is too short - 'tools'";
  for (const [at, tool] of tools.entries()) {
    const fn = tool.function as Json;
    if (!NAME.test(String(fn.name))) {
      return `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    }
    const schema = fn.parameters as Json | undefined;
    if (schema === undefined || schema.type !== 'object') {
      return `Invalid schema for function '${fn.name}': schema must be a JSON Schema of 'type: "object"'`;
    }
  }
  return null;
}

/** Checks a Chat Completions request as the vendor does; returns its words, or null when it is valid. */
export function refuseChat(body: Json): string | null {
  const messages = body.messages as Json[] | undefined;
  if (typeof body.model !== 'string') return "you must provide a 'model' parameter";
  if (!Array.isArray(messages) || messages.length === 0) return "[] is too short - 'messages'";
  const known = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
  for (const [at, message] of messages.entries()) {
    if (!known.has(String(message.role))) return `Invalid role at messages[${at}]: ${message.role}`;
    if (message.role === 'user' && (message.content === '' || message.content === undefined)) {
      return `Invalid 'messages[${at}].content': empty`;
    }
    const fault = callFaults(message);
    if (fault !== null) return fault;
  }
  const last = messages.at(-1);
  if (last?.role === 'assistant') return 'The last message must be of role user or tool';
  return toolFaults(body) ?? pairing(messages);
}
