/** The task text: the argument, a file, or standard input. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonValue } from '../llm/types.ts';
import { usageError } from './usage-error.ts';

export interface TaskSource {
  readonly argument: string | undefined;
  readonly file: string | undefined;
  readonly stdin: AsyncIterable<Uint8Array | string>;
}

/** Throws a usage error for both, neither, an empty text, an unreadable file, and bytes that are not UTF-8. */
export async function readTask(source: TaskSource): Promise<string> {
  const { argument, file } = source;
  if (argument !== undefined && file !== undefined)
    throw usageError('Both TASK and --file are given: give one of them.');
  if (argument === undefined && file === undefined)
    throw usageError(
      'No task: give it as an argument, toolwright run "TASK", or with --file PATH (- is standard input).',
    );
  const text = file === undefined ? (argument ?? '') : await readFromFile(file, source.stdin);
  if (text.trim() === '')
    throw usageError(
      file === undefined
        ? 'The task is empty: say what to do.'
        : `The task in ${file} is empty: say what to do.`,
    );
  return text;
}

async function readFromFile(file: string, stdin: TaskSource['stdin']): Promise<string> {
  const bytes = file === '-' ? await readAll(stdin) : await readBytes(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`The task in ${file} is not UTF-8 text: convert the file.`);
  }
}

function unreadable(flag: string, file: string, error: NodeJS.ErrnoException): Error {
  const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
  return usageError(`${flag} ${file} cannot be read: ${reason}.`);
}

async function readBytes(file: string): Promise<Uint8Array> {
  return readFile(resolve(file)).catch((error: NodeJS.ErrnoException) => {
    throw unreadable('--file', file, error);
  });
}

async function readAll(stream: TaskSource['stdin']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** A JSON Schema for the final answer. Throws a usage error for a file that holds none. */
export async function readAnswerSchema(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(resolve(file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable('--answer-schema', file, error);
  });
  let schema: object | null = null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) schema = value;
  } catch {
    throw usageError(`--answer-schema ${file} is not JSON: give a file with a JSON Schema.`);
  }
  if (schema === null)
    throw usageError(
      `--answer-schema ${file} is not a JSON object: give a file with a JSON Schema.`,
    );
  await compileOnce(file, schema);
  return schema as Record<string, unknown>;
}

/** A schema that no answer can be checked against is found before the run, not at its end. */
async function compileOnce(file: string, schema: object): Promise<void> {
  const { AnswerSchema } = await import('../agent/answer-schema.ts');
  await new AnswerSchema(schema as JsonValue).check(null).catch((error: Error) => {
    const [reason = ''] = error.message.split('\n');
    throw usageError(`--answer-schema ${file} is not a valid JSON Schema: ${reason}.`);
  });
}
