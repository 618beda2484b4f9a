import { findJsonFault } from './json-scan.ts';
import type { CallFault, JsonValue } from './types.ts';

/** The sentences a model gets about arguments that could not be used. Each says: not run, why, where. */

const MAX_MESSAGE = 600;
const TAIL = 200;
const EXCERPT = 120;

function fault(
  kind: CallFault['kind'],
  message: string,
  text: string,
  position = -1,
  truncated = false,
): CallFault {
  return {
    kind,
    message: message.slice(0, MAX_MESSAGE).toWellFormed(),
    position,
    tail: text.slice(-TAIL).toWellFormed(),
    truncated,
  };
}

/** A call of a turn that was cut off, whatever its arguments look like. */
export function cutFault(raw: string | JsonValue | undefined): CallFault {
  const text = typeof raw === 'string' ? raw : raw == null ? '' : JSON.stringify(raw);
  const message =
    'The call was not run: the reply was cut off before it was complete' +
    ` (${text.length} characters of the arguments had arrived).`;
  return fault('cut', message, text, text.length, true);
}

export function tooLargeFault(text: string): CallFault {
  const message = `The call was not run: its arguments are ${text.length} characters long, the limit is 8 MiB of text.`;
  return fault('too_large', message, text);
}

export function tooDeepFault(text: string, limit: number): CallFault {
  const message = `The call was not run: its arguments are nested deeper than ${limit} levels.`;
  return fault('too_deep', message, text);
}

export function notObjectFault(value: JsonValue, text: string): CallFault {
  const message =
    `The call was not run: its arguments are ${nameOfType(value)}, not a JSON object.` +
    ` Got: ${text.slice(0, EXCERPT)}`;
  return fault('not_object', message, text, 0);
}

/** The provider itself refused the arguments; its words are quoted. */
export function providerRejectedFault(words: string, text: string): CallFault {
  return fault(
    'provider_rejected',
    `The call was not run: the provider refused its arguments: ${words}`,
    text,
  );
}

function nameOfType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value}`;
}

/** The fault of a text no rung could turn into an object. */
export function invalidJsonFault(text: string): CallFault {
  const found = findJsonFault(text);
  const position = found?.position ?? -1;
  const truncated = position >= text.length;
  const from = Math.max(0, position - EXCERPT / 2);
  const around = text.slice(from, from + EXCERPT);
  const message =
    `The call was not run: its arguments are not valid JSON: ${found?.reason ?? 'unreadable'}` +
    ` (character ${position} of ${text.length}). Text around it: ${around}`;
  return fault('invalid_json', message, text, position, truncated);
}
