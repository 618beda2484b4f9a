import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { EVENTS_SCHEMA } from './event-schema.ts';
import { sampleRun } from './testing/sample-events.ts';

const validate = new Ajv2020({ strict: false }).compile(EVENTS_SCHEMA);

describe('the schema of events', () => {
  it('is the shipped file (else: node scripts/write-event-schema.ts)', () => {
    const file = join(import.meta.dirname, '../../schemas/events.schema.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(EVENTS_SCHEMA)),
    );
  });

  it('accepts every event of a run, with and without unknown fields', () => {
    for (const event of sampleRun().events) {
      expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...event, later: 1 })).toBe(true);
    }
  });

  it('accepts transient events, which carry sub', () => {
    const event = {
      v: 1,
      seq: 3,
      ts: '2025-01-01T00:00:00.000Z',
      session_id: 's',
      run_id: 'r',
      type: 'text_delta',
      message_id: 'm',
      text: 'x',
    };
    expect(validate(event)).toBe(false);
    expect(validate({ ...event, sub: 1 })).toBe(true);
  });

  it('refuses an event without a member of its type', () => {
    for (const event of sampleRun().events) {
      const members = Object.keys(event).slice(6);
      for (const member of members) {
        const { [member]: _left, ...rest } = { ...event } as Record<string, unknown>;
        expect(validate(rest), `${event.type} without ${member}`).toBe(false);
      }
    }
  });
});
