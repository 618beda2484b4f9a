import type { JsonObject, JsonValue } from '../types.ts';
import { member, objectFrom } from './schema-walk.ts';

/** Constraints a dialect cannot express, in words behind the description, so that the model still knows them. */

const MAX_VALUE = 200;

function valueText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE).toWellFormed()}...` : text;
}

/** `minimum: 1; format: date`, from the named keywords that are present. */
export function constraintText(schema: JsonObject, keywords: readonly string[]): string {
  return keywords
    .flatMap((keyword) => {
      const value = member(schema, keyword);
      return value === undefined ? [] : [`${keyword}: ${valueText(value)}`];
    })
    .join('; ');
}

/** The schema with the text added to its description. */
export function withNote(schema: JsonObject, text: string): JsonObject {
  if (text === '') return schema;
  const description = member(schema, 'description');
  const joined =
    typeof description === 'string' && description !== '' ? `${description} (${text})` : text;
  return objectFrom([...Object.entries(schema), ['description', joined]]);
}
