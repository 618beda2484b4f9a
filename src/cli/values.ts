/** Readers of flag values. Each returns the value or throws what commander shows with the flag's name. */
import { InvalidArgumentError } from 'commander';

function number(text: string, whole: boolean, least: number, what: string): number {
  const form = whole ? /^\d+$/ : /^\d+(\.\d+)?$/;
  const value = Number(text);
  if (form.test(text) && value >= least && Number.isFinite(value)) return value;
  throw new InvalidArgumentError(`Give ${what}.`);
}

export function positiveInteger(text: string): number {
  const value = number(text, true, 1, 'a whole number of at least 1');
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('The number is too large.');
}

export function positiveNumber(text: string): number {
  const value = number(text, false, 0, 'a number above 0');
  if (value > 0) return value;
  throw new InvalidArgumentError('Give a number above 0.');
}

export function nonNegativeInteger(text: string): number {
  return number(text, true, 0, 'a whole number');
}

export function nonEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

export function bool(text: string): boolean {
  const value = BOOLEANS[text.toLowerCase()];
  if (value !== undefined) return value;
  throw new InvalidArgumentError('Give true or false.');
}

export function address(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Give an address such as https://host/v1.');
}

export function sessionName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Give 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit.',
  );
}

/** For flags that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), nonEmpty(text)];
}

export function agentTypeName(text: string): string {
  if (/^[a-z][a-z0-9_-]{0,31}$/.test(text)) return text;
  throw new InvalidArgumentError('Give coding, data, or a registered agent type.');
}
