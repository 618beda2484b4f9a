/** Writes schemas/events.schema.json from the one definition in src/session/event-schema.ts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS_SCHEMA } from '../src/session/event-schema.ts';

const file = join(import.meta.dirname, '..', 'schemas', 'events.schema.json');
writeFileSync(file, `${JSON.stringify(EVENTS_SCHEMA, null, 2)}\n`);
