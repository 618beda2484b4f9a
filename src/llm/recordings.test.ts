import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStreamReader } from './call/read-stream.ts';
import type { DecodedTurn } from './codecs/codec.ts';
import { loadCodec } from './codecs/load.ts';
import { textAt } from './json.ts';
import { profileNamed } from './profiles/table.ts';
import type { LLMEvent, Protocol } from './types.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../shared/cases/wire');
const PRESENT = existsSync(ROOT);
if (!PRESENT) console.log(`recorded traffic is not tested: ${ROOT} does not exist`);

interface Recording {
  readonly name: string;
  readonly protocol: Protocol;
  readonly profile: string;
  readonly bytes: Buffer;
}

const PROFILES: Readonly<Record<string, string>> = {
  deepseek: 'deepseek',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  alibaba: 'qwen',
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const full = path.join(folder, name);
    return statSync(full).isDirectory() ? filesUnder(full) : [full];
  });
}

function protocolOf(name: string, text: string): Protocol | null {
  if (name.startsWith('anthropic/')) return 'anthropic';
  if (/\/(completion|skills)\//.test(name)) return null;
  return text.includes('"response.') ? 'responses' : 'chat';
}

function recordings(): Recording[] {
  const vendors = [
    'openai',
    'anthropic',
    'azure',
    'deepseek',
    'groq',
    'mistral',
    'moonshotai',
    'alibaba',
    'xai',
    'open-responses',
    'openai-compatible',
  ];
  return vendors.flatMap((vendor) =>
    filesUnder(path.join(ROOT, vendor)).flatMap((file): Recording[] => {
      const name = path.relative(ROOT, file);
      if (!/\.(chunks\.txt|sse)$/.test(name)) return [];
      const text = readFileSync(file, 'utf8');
      const protocol = protocolOf(name, text);
      if (protocol === null) return [];
      const profile =
        PROFILES[vendor] ??
        (protocol === 'chat'
          ? 'openai_compatible'
          : protocol === 'responses'
            ? 'openai'
            : 'anthropic');
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      const frames = lines.map((line) => `data: ${mended(line)}\n\n`).join('');
      const bytes = Buffer.from(
        name.endsWith('.sse') ? text : frames + (protocol === 'chat' ? 'data: [DONE]\n\n' : ''),
      );
      return [{ name, protocol, profile, bytes }];
    }),
  );
}

/** Two lines of one hand-made file lack their last brace. */
function mended(line: string): string {
  try {
    JSON.parse(line);
    return line;
  } catch {
    return `${line}}`;
  }
}

/** Files whose deltas were shortened by hand; the whole items in them are authoritative. */
const SHORTENED = [
  'openai-shell-container.1',
  'openai-mcp-tool-approval',
  'openai-web-search-tool',
  'openai-phase.1',
];
/** Files without any usage report. */
const UNCOUNTED = ['openai-error', 'anthropic-fallback-tool-call'];

/** A small linear generator: the same splits in every run. */
function splits(bytes: Buffer, seed: number): Uint8Array[] {
  let state = seed * 2654435761 + 1;
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const size = seed === 0 ? bytes.length : 1 + (state % (seed === 1 ? 3 : 4000));
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

async function decode(
  recording: Recording,
  seed: number,
): Promise<{ turn: DecodedTurn; events: LLMEvent[] }> {
  const codec = await loadCodec(recording.protocol);
  const profile = profileNamed(recording.profile);
  if (codec === undefined || profile === undefined) throw new Error(recording.name);
  const events: LLMEvent[] = [];
  const emit = (event: LLMEvent): void => {
    events.push(event);
  };
  const decoder = codec.createDecoder({ profile, resolve: (name) => name, splitter: null, emit });
  const reader = createStreamReader({ decoder, contentType: 'text/event-stream', emit });
  for (const piece of splits(recording.bytes, seed)) reader.push(piece);
  reader.end();
  expect(reader.lost).toBe(0);
  return { turn: decoder.turn(), events };
}

function joined(events: readonly LLMEvent[], type: 'text_delta' | 'reasoning_delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

describe.skipIf(!PRESENT)('recorded traffic (skipped where ../shared/cases/wire is absent)', () => {
  const all = PRESENT ? recordings() : [];
  it.each(all.map((recording) => [recording.name, recording] as const))(
    '%s gives one turn at every split',
    async (_, recording) => {
      const whole = await decode(recording, 0);
      const seeds = recording.bytes.length > 60_000 ? [7] : [1, 7, 8];
      for (const seed of seeds) expect((await decode(recording, seed)).turn).toEqual(whole.turn);
      expect(whole.turn.closed).toBe(true);
      if (!UNCOUNTED.some((name) => recording.name.includes(name)))
        expect(whole.turn.usage).not.toBeNull();
      const discarded = whole.events.some((event) => event.type === 'discard');
      const text = whole.turn.blocks
        .map((block) => (block.type === 'text' ? block.text : ''))
        .join('');
      const shortened = SHORTENED.some((name) => recording.name.includes(name));
      if (!discarded && !shortened) expect(joined(whole.events, 'text_delta')).toBe(text);
      for (const block of whole.turn.blocks) {
        if (block.type !== 'call') continue;
        expect(block.id).not.toBeNull();
        expect(block.name).not.toBe('');
        if (typeof block.argumentsValue === 'string') JSON.parse(block.argumentsValue);
      }
    },
  );

  it('reports what the vendors reported', async () => {
    const find = (name: string) => all.find((entry) => entry.name.endsWith(name)) as Recording;
    const usageOf = async (name: string) => (await decode(find(name), 0)).turn.usage;
    expect(await usageOf('deepseek-tool-call.chunks.txt')).toMatchObject({
      input_tokens: 19,
      cache_read_input_tokens: 320,
      output_tokens: 83,
      reasoning_tokens: 39,
    });
    expect(await usageOf('xai/xai-tool-call.chunks.txt')).toMatchObject({
      input_tokens: 1,
      cache_read_input_tokens: 290,
      output_tokens: 222,
      reasoning_tokens: 196,
    });
    expect(await usageOf('anthropic-message-delta-input-tokens.chunks.txt')).toMatchObject({
      input_tokens: 61,
      output_tokens: 2,
    });
    expect(await usageOf('groq-tool-call.chunks.txt')).toMatchObject({
      input_tokens: 210,
      output_tokens: 15,
    });
  });

  it('E12: a duplicate start is ignored, a spliced one starts the message over', async () => {
    const find = (name: string) => all.find((entry) => entry.name.endsWith(name)) as Recording;
    const duplicate = await decode(find('duplicate-message-start.chunks.txt'), 0);
    expect(duplicate.events.some((event) => event.type === 'discard')).toBe(false);
    const spliced = await decode(find('spliced-message-start.chunks.txt'), 0);
    expect(spliced.events.filter((event) => event.type === 'discard')).toHaveLength(1);
    expect(spliced.turn.blocks.filter((block) => block.type === 'call')).toMatchObject([
      { id: 'toolu_second', argumentsValue: '{"value":"Sparkle Day"}' },
    ]);
    expect(spliced.turn.discardedUsage).toMatchObject({ input_tokens: 17 });
    expect(textAt(spliced.turn.raw, 'x')).toBeUndefined();
  });
});
