import type { JsonValue } from '../llm/types.ts';

export type AnswerCheck =
  | { readonly ok: true; readonly answer: unknown }
  /** One line for each fault, beginning with a JSON pointer. */
  | { readonly ok: false; readonly faults: string };

const MOST_FAULTS = 5;

/** Validates an answer against the schema of `--answer-schema`. Ajv is loaded at the first use. */
export class AnswerSchema {
  readonly schema: JsonValue;
  private compiled: Promise<(value: unknown) => string[]> | null = null;

  constructor(schema: JsonValue) {
    this.schema = schema;
  }

  async check(value: unknown): Promise<AnswerCheck> {
    this.compiled ??= compile(this.schema);
    const faults = (await this.compiled)(value);
    if (faults.length > 0 && typeof value === 'string') return this.checkText(value);
    return faults.length === 0
      ? { ok: true, answer: value }
      : { ok: false, faults: faults.slice(0, MOST_FAULTS).join('\n') };
  }

  /** The text, or its single fenced block, must be JSON of the schema. */
  async checkText(text: string): Promise<AnswerCheck> {
    const parsed = parseAnswer(text);
    if (parsed === undefined)
      return {
        ok: false,
        faults: 'the reply is not JSON, nor does it hold one fenced block of JSON',
      };
    return typeof parsed.value === 'string'
      ? { ok: false, faults: '/: must not be JSON text within JSON text' }
      : this.check(parsed.value);
  }
}

async function compile(schema: JsonValue): Promise<(value: unknown) => string[]> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const validate = ajv.compile(typeof schema === 'boolean' ? schema : Object(schema));
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      (error) =>
        `${error.instancePath === '' ? '/' : error.instancePath}: ${error.message ?? error.keyword}`,
    );
  };
}

function parseAnswer(text: string): { readonly value: unknown } | undefined {
  const fenced = [...text.matchAll(/```(?:json)?\s*\n([\s\S]*?)```/g)];
  const candidates = [text, ...(fenced.length === 1 ? [fenced[0]?.[1] ?? ''] : [])];
  for (const candidate of candidates) {
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // Not this form; the next candidate is tried.
    }
  }
  return undefined;
}
