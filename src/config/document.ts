/** A configuration file as plain data that still knows its lines. */
import type { Document, LineCounter, Node } from 'yaml';
import { ConfigError } from '../errors.ts';

export type DocumentPath = readonly (string | number)[];

export interface ParsedDocument {
  readonly file: string;
  readonly value: unknown;
  /** Line, from 1, of the entry at a path below the root; of the nearest level above when it has none of its own. */
  lineOf(path: DocumentPath): number | null;
}

/** Aliases of a file may unfold to at most this many nodes each; more is taken as an attack on our memory. */
const MAX_ALIASES = 100;

/**
 * Parses YAML (and so JSON). Values are plain data; nothing in the file can name code.
 * Throws ConfigError with file and line for text that is not YAML.
 */
export async function parseDocument(file: string, text: string): Promise<ParsedDocument> {
  const yaml = await import('yaml');
  const counter = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: counter,
    merge: true,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = counter.linePos(error.pos[0]);
    throw syntaxError(file, line, error.message);
  }
  return {
    file,
    value: toPlain(document, file),
    lineOf: (path) => lineOf(yaml, document.contents, document, counter, path),
  };
}

function syntaxError(file: string, line: number, message: string): ConfigError {
  const [first = message] = message.split('\n');
  return new ConfigError(`${file}:${line}: not valid YAML: ${first}`, { file, line });
}

function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${file}: ${message}`, { file }, { cause: error });
  }
}

type Yaml = typeof import('yaml');

interface Found {
  readonly node: unknown;
  readonly offset: number | null;
}

function lineOf(
  yaml: Yaml,
  contents: unknown,
  document: Document,
  counter: LineCounter,
  path: DocumentPath,
): number | null {
  let node = contents;
  let offset: number | null = null;
  for (const step of path) {
    const found = descend(yaml, yaml.isAlias(node) ? node.resolve(document) : node, step);
    if (found === null) break;
    node = found.node;
    offset = found.offset ?? offset;
  }
  return offset === null ? null : counter.linePos(offset).line;
}

function descend(yaml: Yaml, node: unknown, step: string | number): Found | null {
  if (yaml.isMap(node)) {
    const pair = node.items.find((item) => keyText(yaml, item.key) === String(step));
    return pair === undefined ? null : { node: pair.value, offset: startOf(pair.key) };
  }
  if (yaml.isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? null : { node: item, offset: startOf(item) };
  }
  return null;
}

function keyText(yaml: Yaml, key: unknown): string {
  return String(yaml.isScalar(key) ? key.value : key);
}

function startOf(node: unknown): number | null {
  return (node as Node | null)?.range?.[0] ?? null;
}
