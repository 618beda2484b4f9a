import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exchange, JsonObject, LLMRequest } from '../../llm/types.ts';
import type { Redactor } from '../types.ts';
import { createRecorder } from './recorder.ts';
import { createReplaySource, readRecording } from './replay-source.ts';
import type { RecordingPlace } from './types.ts';

const plain: Redactor = {
  add: () => undefined,
  text: (value) => value,
  strict: (value) => value,
  value: (value) => value,
  stream: () => ({ push: (text) => text, end: () => '' }),
};

function placeAt(root: string): RecordingPlace {
  return {
    workspace: `${root}/work`,
    session: `${root}/session`,
    sessionId: `name-${root.length}`,
    home: `${root}/home`,
    environment: `System: linux, workspace ${root}/work`,
  };
}

function requestAt(place: RecordingPlace, text = 'fix it'): LLMRequest {
  return {
    system: [{ text: 'You work.' }],
    messages: [
      {
        message_id: 'msg_1',
        role: 'user',
        origin: 'task',
        content: [
          { type: 'text', text: place.environment },
          { type: 'text', text },
        ],
      },
    ],
    tools: [{ name: 'bash', description: 'Runs.', schema: { type: 'object' } }],
    resolve: (name) => name,
    purpose: 'step',
    sessionId: place.sessionId,
  };
}

function delta(text: string): JsonObject {
  const piece = { index: 0, function: { arguments: text } };
  return { choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: null }] };
}

function exchangeOf(request: LLMRequest, events: readonly JsonObject[], status = 200): Exchange {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return {
    seq: 1,
    attempt: 1,
    purpose: 'step',
    method: 'POST',
    url: 'http://127.0.0.1/v1/chat/completions',
    request_headers: { authorization: '[masked]' },
    request_body: Buffer.from('{}'),
    request_sha256: '',
    status,
    response_headers: { 'content-type': 'text/event-stream', 'set-cookie': 'secret=1' },
    chunks: [{ ms: 1, bytes: Buffer.from(`${body}data: [DONE]\n\n`) }],
    timing: { started: '', headers_ms: 1, end_ms: 5 },
    request,
  };
}

function record(place: RecordingPlace, exchanges: readonly Exchange[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tw-recording-')), 'run.jsonl');
  const recorder = createRecorder({
    file,
    header: {
      wire: 'chat',
      profile: 'openai_compatible',
      provider: 'test',
      model: 'm',
      agent_type: 'coding',
      settings: { tools: ['bash'], limits: {}, permission_mode: 'auto', sandbox: 'none' },
      created: '2026-01-01T00:00:00Z',
    },
    place: () => place,
    redactor: plain,
    onFault: (message) => {
      throw new Error(message);
    },
  });
  for (const exchange of exchanges) recorder.onExchange(exchange);
  recorder.close();
  return file;
}

function play(file: string, place: RecordingPlace, match: 'strict' | 'lenient' = 'strict') {
  const divergences: string[] = [];
  const source = createReplaySource({
    recording: readRecording(file),
    place: () => place,
    redactor: plain,
    match,
    onDivergence: (message) => divergences.push(message),
  });
  return { source, divergences };
}

function argumentsOf(result: ReturnType<ReturnType<typeof play>['source']['next']>): string {
  if ('error' in result) throw new Error(result.error);
  const events = (result.exchange.events ?? []) as unknown as ReturnType<typeof delta>[];
  const texts = events.map(
    (event) => JSON.stringify(event).match(/"arguments":"((?:[^"\\]|\\.)*)"/)?.[1],
  );
  return texts.map((text) => JSON.parse(`"${text}"`)).join('');
}

const here = placeAt('/tmp/one');
const there = placeAt('/var/other/place');

describe('recording and replay', () => {
  it('brings a path that was split over fragments, at every position, to the new place', () => {
    const text = JSON.stringify({ command: `cat ${here.workspace}/a.txt` });
    for (let at = 1; at < text.length; at += 1) {
      const events = [delta(text.slice(0, at)), delta(text.slice(at))];
      const file = record(here, [exchangeOf(requestAt(here), events)]);
      const { source } = play(file, there);
      expect(argumentsOf(source.next(requestAt(there)))).toBe(
        JSON.stringify({ command: `cat ${there.workspace}/a.txt` }),
      );
    }
  });

  it('writes a private file without the places and headers it was made with', () => {
    const file = record(here, [exchangeOf(requestAt(here), [delta('{}')])]);
    const text = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text).not.toContain(here.workspace);
    expect(text).not.toContain('secret=1');
  });

  it('never replaces a file that exists', () => {
    const file = record(here, []);
    const options = { place: () => here, redactor: plain, onFault: () => undefined };
    const header = readRecording(file).header;
    expect(() => createRecorder({ ...options, file, header })).toThrow(/exists already/);
  });

  it('says where a strict replay differs', () => {
    const file = record(here, [exchangeOf(requestAt(here), [delta('{}')])]);
    const result = play(file, there).source.next(requestAt(there, 'something else'));
    expect(result).toEqual({
      error: 'the request differs from the recording at lane main, n 1: /messages/0/content/1/text',
    });
  });

  it('goes on in a lenient replay and reports the divergence', () => {
    const file = record(here, [exchangeOf(requestAt(here), [delta('{}')])]);
    const { source, divergences } = play(file, there, 'lenient');
    expect(argumentsOf(source.next(requestAt(there, 'something else')))).toBe('{}');
    expect(divergences).toHaveLength(1);
  });

  it('names lane and number when the recording is used up', () => {
    const file = record(here, [exchangeOf(requestAt(here), [delta('{}')])]);
    const { source } = play(file, there);
    source.next(requestAt(there));
    expect(source.next(requestAt(there))).toEqual({
      error: 'recording exhausted at lane main, n 2',
    });
  });

  it('plays a failed attempt as it was', () => {
    const failed = {
      ...exchangeOf(requestAt(here), [], 429),
      response_headers: { 'retry-after': '2' },
    };
    const file = record(here, [failed]);
    const result = play(file, there).source.next(requestAt(there));
    expect(result).toMatchObject({ exchange: { status: 429, headers: { 'retry-after': '2' } } });
  });
});
