/** Writes a permission rule a person wants to keep into the user file. */
import { join } from 'node:path';
import type { Document } from 'yaml';
import { ConfigError } from '../errors.ts';
import { insertRule } from './insert-rule.ts';
import { updateFile } from './locked-file.ts';

type Yaml = typeof import('yaml');

/**
 * Adds `rule` to `permissions.allow` of `$TOOLWRIGHT_HOME/config.yaml`, which is made when missing; the rest of the
 * file stays as it is, comments included. A rule already there changes nothing. Throws ConfigError naming the file.
 */
export async function storeAllowRule(home: string, rule: string): Promise<void> {
  const file = join(home, 'config.yaml');
  const yaml = await import('yaml');
  await updateFile(file, (present = '') => withRule(yaml, file, present, rule));
}

function withRule(yaml: Yaml, file: string, text: string, rule: string): string {
  const document = yaml.parseDocument(text, { logLevel: 'silent', merge: true });
  const [error] = document.errors;
  if (error !== undefined) throw unusable(file, `it is not valid YAML: ${error.message}`);
  const rules = section(section(document.toJS(), file).permissions, file).allow ?? [];
  if (!Array.isArray(rules)) throw unusable(file, 'permissions.allow is not a list');
  if (rules.includes(rule)) return text;
  const wanted = [...rules, rule];
  const inserted = insertRule(yaml, text, rule);
  return inserted !== null && says(yaml, inserted, document, wanted)
    ? inserted
    : rewritten(document, file, wanted, rule);
}

function section(value: unknown, file: string): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw unusable(file, 'its content or its permissions are not a section');
}

/** Does the new text hold the wanted rules, and else what the document holds? */
function says(yaml: Yaml, text: string, document: Document, wanted: readonly string[]): boolean {
  const made = yaml.parseDocument(text, { logLevel: 'silent', merge: true });
  if (made.errors.length > 0) return false;
  const before = (document.toJS() ?? {}) as Record<string, unknown>;
  const permissions = { ...(before.permissions as object | null), allow: wanted };
  return canonical(made.toJS()) === canonical({ ...before, permissions });
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Where no line can be put in: the document written anew, with its comments. */
function rewritten(
  document: Document,
  file: string,
  wanted: readonly string[],
  rule: string,
): string {
  try {
    if (document.get('permissions') == null) document.set('permissions', { allow: [rule] });
    else if (wanted.length === 1) document.setIn(['permissions', 'allow'], [rule]);
    else document.addIn(['permissions', 'allow'], rule);
    return document.toString({ lineWidth: 0 });
  } catch (error) {
    throw unusable(file, error instanceof Error ? error.message : String(error));
  }
}

function unusable(file: string, why: string): ConfigError {
  return new ConfigError(`The rule cannot be added to ${file}: ${why}. Add it by hand.`, { file });
}
