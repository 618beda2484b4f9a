import type { JsonObject } from '../types.ts';
import { objectMember } from './schema-walk.ts';
import { UnsupportedSchema } from './unsupported.ts';

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Anthropic takes full JSON Schema below a root without combinators, but only simple property names there. */
export function toAnthropic(root: JsonObject): JsonObject {
  const odd = Object.keys(objectMember(root, 'properties')).find(
    (name) => !PROPERTY_NAME.test(name),
  );
  if (odd !== undefined) {
    throw new UnsupportedSchema(
      `its parameter ${JSON.stringify(odd)} has a name this vendor refuses`,
    );
  }
  return root;
}
