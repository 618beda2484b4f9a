/** Where a new entry of `permissions.allow` goes in a file's own text, so that no other byte of it changes. */
import type { Node, YAMLMap, YAMLSeq } from 'yaml';

type Yaml = typeof import('yaml');

/**
 * The text with `rule` added, or null where its layout gives no place for a line of its own. The caller checks that
 * the result says what it should.
 */
export function insertRule(yaml: Yaml, text: string, rule: string): string | null {
  const root = yaml.parseDocument(text).contents;
  const plain = yaml.stringify(rule, { lineWidth: 0 }).trimEnd();
  const entry = plain.includes('\n') ? JSON.stringify(rule) : plain;
  if (root === null) return atEnd(text, `permissions:\n  allow:\n    - ${entry}`);
  if (!yaml.isMap(root) || root.flow) return null;
  const permissions = root.get('permissions', true);
  if (permissions === undefined) return atEnd(text, `permissions:\n  allow:\n    - ${entry}`);
  if (!yaml.isMap(permissions) || permissions.flow) return null;
  const allow = permissions.get('allow', true);
  if (yaml.isSeq(allow)) return intoList(text, allow, entry, rule);
  return allow === undefined ? intoSection(text, permissions, entry) : null;
}

function intoList(text: string, list: YAMLSeq, entry: string, rule: string): string | null {
  const end = list.range?.[1];
  if (list.flow && end !== undefined) {
    const separator = list.items.length === 0 ? '' : ', ';
    return text.slice(0, end - 1) + separator + JSON.stringify(rule) + text.slice(end - 1);
  }
  const last = list.items.at(-1) as Node | undefined;
  const indent = indentAt(text, last?.range?.[0]);
  return afterLine(text, last?.range?.[1], `${indent}- ${entry}`);
}

function intoSection(text: string, section: YAMLMap, entry: string): string | null {
  const last = section.items.at(-1);
  const key = last?.key as Node | undefined;
  const value = last?.value as Node | null | undefined;
  const indent = indentAt(text, key?.range?.[0]);
  const lines = `${indent}allow:\n${indent}  - ${entry}`;
  return afterLine(text, value?.range?.[1] ?? key?.range?.[1], lines);
}

/** The blanks before the entry that holds this place. */
function indentAt(text: string, place = 0): string {
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1, place);
  return /^ */.exec(line)?.[0] ?? '';
}

function afterLine(text: string, place: number | undefined, lines: string): string | null {
  if (place === undefined) return null;
  // A block text ends behind its line break.
  const at = text.indexOf('\n', text[place - 1] === '\n' ? place - 1 : place);
  if (at < 0) return atEnd(text, lines);
  return text.slice(0, at + 1) + withBreaksOf(text, `${lines}\n`) + text.slice(at + 1);
}

function atEnd(text: string, lines: string): string {
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return text + withBreaksOf(text, `${gap}${lines}\n`);
}

function withBreaksOf(text: string, lines: string): string {
  return text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
}
