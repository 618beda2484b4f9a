/** Overrides of profile fields from the configuration. */
import { ConfigError } from '../../errors.ts';
import type { Profile, ProfilePatch } from '../profile-types.ts';
import type { JsonObject } from '../types.ts';
import { patchProfile } from './defaults.ts';

/** The profile with the overrides in it. Names may be written `tokenField` or `token_field`. Throws ConfigError. */
export function applyQuirks(profile: Profile, quirks: JsonObject): Profile {
  return patchProfile(profile, checked(profile, quirks, 'quirks') as ProfilePatch);
}

function checked(base: object, given: object, path: string): Record<string, unknown> {
  const known = Object.keys(base);
  const result: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(given)) {
    const name = known.includes(written) ? written : camelCase(written);
    const before = (base as Record<string, unknown>)[name];
    const place = `${path}.${written}`;
    if (path !== 'quirks.headers' && !known.includes(name)) {
      throw new ConfigError(`${place} is not a profile field; known here: ${known.join(', ')}`, {
        key: place,
      });
    }
    result[name] = nestedOrSame(before, value, place);
  }
  return result;
}

function nestedOrSame(before: unknown, value: unknown, place: string): unknown {
  if (isPlain(before) && isPlain(value)) return checked(before, value, place);
  if (
    before === null ||
    before === undefined ||
    value === null ||
    kindOf(before) === kindOf(value)
  ) {
    return value;
  }
  throw new ConfigError(`${place} must be a ${kindOf(before)}, not a ${kindOf(value)}`, {
    key: place,
  });
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
