import type { SchemaDialect } from '../profile-types.ts';
import type { JsonObject, ToolSpec } from '../types.ts';
import { toAnthropic } from './anthropic.ts';
import { toGemini } from './gemini.ts';
import { inlineRefs } from './inline-refs.ts';
import { forceObjectRoot, type ObjectRoot } from './object-root.ts';
import { toOpenAIStrict } from './openai-strict.ts';
import { toPortable } from './portable.ts';
import { UnsupportedSchema } from './unsupported.ts';

export interface ReducedTool {
  /** What goes on the wire. Arguments are always validated against the full schema. */
  readonly schema: JsonObject;
  readonly strict: boolean;
  /** The tool's description with what the schema could not say. */
  readonly description: string;
}
export interface UnsupportedTool {
  readonly unsupported: string;
}

/** JSON text of one reduced schema, in characters. */
const MAX_SCHEMA = 128 * 1024;
const MAX_REPEATS = 3;

const cache = new WeakMap<ToolSpec, Map<SchemaDialect, ReducedTool | UnsupportedTool>>();

/** The wire form of a tool's schema in a vendor's dialect. Never throws; computed once per tool object. */
export function reduceSchema(
  spec: ToolSpec,
  dialect: SchemaDialect,
): ReducedTool | UnsupportedTool {
  const known = cache.get(spec) ?? new Map<SchemaDialect, ReducedTool | UnsupportedTool>();
  const reduced = known.get(dialect) ?? reduce(spec, dialect);
  cache.set(spec, known.set(dialect, reduced));
  return reduced;
}

function reduce(spec: ToolSpec, dialect: SchemaDialect): ReducedTool | UnsupportedTool {
  try {
    return withinLimit(inDialect(spec, rootOf(spec.schema), dialect));
  } catch (error) {
    if (error instanceof UnsupportedSchema) return { unsupported: error.message };
    throw error;
  }
}

function withinLimit(reduced: ReducedTool): ReducedTool {
  if (JSON.stringify(reduced.schema).length > MAX_SCHEMA) {
    throw new UnsupportedSchema(`its schema is over ${MAX_SCHEMA} characters`);
  }
  return reduced;
}

/** Recursion costs room exponentially; a schema too large at three levels is tried with one. */
function rootOf(schema: JsonObject): ObjectRoot {
  try {
    return forceObjectRoot(inlineRefs(schema, MAX_REPEATS));
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error;
    return forceObjectRoot(inlineRefs(schema, 1));
  }
}

function inDialect(spec: ToolSpec, root: ObjectRoot, dialect: SchemaDialect): ReducedTool {
  const describe = (notes: readonly string[]) =>
    [spec.description, ...root.notes, ...notes].filter((part) => part !== '').join('\n');
  const plain: ReducedTool = { schema: root.schema, strict: false, description: describe([]) };
  switch (dialect) {
    case 'plain':
      return plain;
    case 'openai_strict': {
      const strict = spec.strict === false ? null : toOpenAIStrict(root.schema);
      if (strict === null) return plain;
      return { schema: strict.schema, strict: true, description: describe(strict.notes) };
    }
    case 'anthropic':
      return { ...plain, schema: toAnthropic(root.schema) };
    case 'gemini':
      return { ...plain, schema: toGemini(root.schema) };
    case 'portable':
      return { ...plain, schema: toPortable(root.schema) };
  }
}

export interface OfferedTool extends ReducedTool {
  readonly name: string;
}

/** All portable schemas together, in characters: grammar servers compile them as one. */
const MAX_PORTABLE_TOTAL = 64 * 1024;

/** The tools a request can offer in this dialect, in order, and a warning for each that is left out. */
export function reduceTools(
  tools: readonly ToolSpec[],
  dialect: SchemaDialect,
): {
  readonly offered: readonly OfferedTool[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
} {
  const offered: OfferedTool[] = [];
  const warnings: { code: string; message: string }[] = [];
  let total = 0;
  for (const tool of tools) {
    const reduced = reduceSchema(tool, dialect);
    if ('unsupported' in reduced) {
      warnings.push(leftOut(tool.name, reduced.unsupported));
      continue;
    }
    const size = dialect === 'portable' ? JSON.stringify(reduced.schema).length : 0;
    if (total + size > MAX_PORTABLE_TOTAL) {
      warnings.push(leftOut(tool.name, 'the schemas of all tools together are over 64 KiB'));
      continue;
    }
    total += size;
    offered.push({ name: tool.name, ...reduced });
  }
  return { offered, warnings };
}

function leftOut(name: string, reason: string): { code: string; message: string } {
  return {
    code: 'tool_schema_unsupported',
    message: `The tool ${name} is not offered: ${reason}.`,
  };
}
