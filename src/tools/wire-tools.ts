import type { JsonValue } from '../session/types.ts';
import { isObject } from './coerce.ts';
import type { Tool, ToolSchema } from './types.ts';

/** A tool as a request carries it, before a codec puts it into its protocol. */
export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolSchema;
}

/** The schema without our `x-` annotations. */
export function stripAnnotations(schema: ToolSchema): ToolSchema {
  const out: ToolSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!key.startsWith('x-')) out[key] = stripped(value);
  }
  return out;
}

function stripped(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(stripped);
  return isObject(value) ? stripAnnotations(value as ToolSchema) : value;
}

export function wireTool(tool: Tool, language: 'en' | 'zh'): WireTool {
  return {
    name: tool.name,
    description: language === 'zh' ? tool.descriptionZh : tool.description,
    parameters: stripAnnotations(tool.parameters),
  };
}

export function wireTools(tools: readonly Tool[], language: 'en' | 'zh'): WireTool[] {
  return tools.map((tool) => wireTool(tool, language));
}

/** Bytes of the serialised `tools` array, as the limits of tools.md 1.3 count them. */
export function wireBytes(tools: readonly Tool[], language: 'en' | 'zh'): number {
  return Buffer.byteLength(JSON.stringify(wireTools(tools, language)));
}
