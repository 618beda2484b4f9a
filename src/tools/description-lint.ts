import { isObject, schemaAt } from './coerce.ts';
import { findProfile } from './profiles.ts';
import type { Tool, ToolSchema } from './types.ts';
import { createValidator } from './validate.ts';

interface Limits {
  readonly en: number;
  readonly zh: number;
}

const CORE_LIMITS: Limits = { en: 300, zh: 200 };
const OTHER_LIMITS: Limits = { en: 640, zh: 400 };
const PARAMETER_LIMIT = 80;
/** Names of tools are words with underscores or of the list; a bare word like `bash` is one when it is a tool. */
const TOOL_LIKE = /\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b/g;
const PRODUCTS = /\b(?:claude|gpt-?\d|chatgpt|openai|anthropic|gemini|copilot|toolwright)\b/i;
const CHANGES_BETWEEN_WORKSPACES =
  /(?:^|[\s("'])\/(?:home|Users|root|tmp|var|mnt|workspace)\b|\b\d{4}-\d{2}-\d{2}\b|\b(?:ses|run|call)_[0-9A-Z]{10}/;

/**
 * What breaks the rules of tools.md section 11 for descriptions, as `tool: fault`; empty when all is well. `tools`
 * is the whole registry: a description may name only tools that exist.
 */
export async function lintDescriptions(tools: readonly Tool[]): Promise<string[]> {
  const core = new Set(findProfile('coding')?.core ?? []);
  const names = new Set(tools.map((tool) => tool.name));
  const faults: string[] = [];
  for (const tool of tools.filter((one) => one.group !== 'mcp')) {
    const found = [
      ...lengthFaults(tool, core.has(tool.name) ? CORE_LIMITS : OTHER_LIMITS),
      ...wordingFaults(tool),
      ...nameFaults(tool, names),
      ...languageFaults(tool, names),
      ...parameterFaults(tool.parameters, ''),
      ...(await exampleFaults(tool)),
    ];
    faults.push(...found.map((fault) => `${tool.name}: ${fault}`));
  }
  return faults;
}

function lengthFaults(tool: Tool, limits: Limits): string[] {
  const faults: string[] = [];
  const en = [...tool.description].length;
  const zh = [...tool.descriptionZh].length;
  if (en > limits.en) faults.push(`the English text has ${en} characters, over ${limits.en}`);
  if (zh > limits.zh) faults.push(`the Chinese text has ${zh} characters, over ${limits.zh}`);
  return faults;
}

function wordingFaults(tool: Tool): string[] {
  const faults: string[] = [];
  const { description, descriptionZh } = tool;
  if (!/\bUse\b/.test(description)) faults.push('no sentence says when to use it ("Use")');
  if (!/\bNot\b/.test(description)) faults.push('no sentence says when not ("Not")');
  if (!/用/.test(descriptionZh)) faults.push('the Chinese text does not say when to use it');
  if (!/不|勿/.test(descriptionZh)) faults.push('the Chinese text does not say when not');
  if (tool.permission === 'review' && !/only after the user approved/i.test(description)) {
    faults.push('it must say: only after the user approved this version in a later message');
  }
  for (const text of [description, descriptionZh]) {
    if (PRODUCTS.test(text)) faults.push('it names a product');
    if (CHANGES_BETWEEN_WORKSPACES.test(text))
      faults.push('it depends on the workspace or the day');
  }
  return faults;
}

/** Words that look like tool names, own parameters left out. */
function namedTools(tool: Tool, text: string, names: ReadonlySet<string>): string[] {
  const own = parameterNames(tool.parameters);
  const withUnderscore = text.match(TOOL_LIKE) ?? [];
  const plain = [...names].filter(
    (name) => !name.includes('_') && new RegExp(`(?<![A-Za-z_])${name}(?![A-Za-z_])`).test(text),
  );
  const all = [...withUnderscore, ...plain].filter((name) => !own.has(name) && name !== tool.name);
  return [...new Set(all)].sort();
}

function parameterNames(schema: ToolSchema): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isObject(node)) return;
    for (const key of Object.keys(isObject(node.properties) ? node.properties : {})) found.add(key);
    for (const name of Array.isArray(node.enum) ? node.enum : []) found.add(String(name));
    Object.values(node).forEach(visit);
  };
  visit(schema);
  return found;
}

function nameFaults(tool: Tool, names: ReadonlySet<string>): string[] {
  const named = [
    ...namedTools(tool, tool.description, names),
    ...namedTools(tool, tool.descriptionZh, names),
    ...(tool.alternatives ?? []),
  ];
  const unknown = [...new Set(named)].filter((name) => !names.has(name));
  return unknown.map((name) => `it names ${name}, which is no tool`);
}

function languageFaults(tool: Tool, names: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const numbers = (text: string) => (text.match(/\d[\d,.]*\d|\d/g) ?? []).sort().join(' ');
  const { description: en, descriptionZh: zh } = tool;
  if (namedTools(tool, en, names).join() !== namedTools(tool, zh, names).join()) {
    faults.push('the two languages name different tools');
  }
  if (numbers(en) !== numbers(zh)) faults.push('the two languages give different numbers');
  return faults;
}

function parameterFaults(schema: ToolSchema, at: string): string[] {
  const faults: string[] = [];
  for (const [name, member] of Object.entries(schemaAt(schema, 'properties'))) {
    if (!isObject(member)) continue;
    const node = member as ToolSchema;
    const path = at === '' ? name : `${at}.${name}`;
    const text = typeof node.description === 'string' ? node.description : '';
    if ([...text].length > PARAMETER_LIMIT)
      faults.push(`${path}: over ${PARAMETER_LIMIT} characters`);
    if (new RegExp(`^(?:an? )?${String(node.type)}\\b`, 'i').test(text)) {
      faults.push(`${path}: repeats its type`);
    }
    faults.push(...parameterFaults(node, path), ...parameterFaults(schemaAt(node, 'items'), path));
  }
  return faults;
}

/** A tool with nested parameters ends with one example that validates; any other example must validate too. */
async function exampleFaults(tool: Tool): Promise<string[]> {
  const faults: string[] = [];
  const nested = hasNestedObjects(tool.parameters);
  for (const text of [tool.description, tool.descriptionZh]) {
    const example = /\{"[\s\S]*\}\s*$/.exec(text)?.[0];
    if (example === undefined) {
      if (nested) faults.push('nested parameters, and no example at the end');
      continue;
    }
    const fault = await exampleFault(tool, example);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

async function exampleFault(tool: Tool, text: string): Promise<string | null> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'the example is not JSON';
  }
  if (!isObject(value)) return 'the example is not an object';
  const result = await createValidator().validate(tool, value);
  return result.ok ? null : `the example does not validate: ${result.message}`;
}

function hasNestedObjects(schema: ToolSchema): boolean {
  return Object.values(schemaAt(schema, 'properties')).some((member) => {
    if (!isObject(member)) return false;
    const node = member as ToolSchema;
    return node.type === 'object' || schemaAt(node, 'items').type === 'object';
  });
}
