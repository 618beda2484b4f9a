import { describe, expect, it } from 'vitest';
import { modelRow } from '../models/lookup.ts';
import { normaliseHistory } from '../normalise.ts';
import type { Profile } from '../profile-types.ts';
import { chooseProfile } from '../profiles/choose.ts';
import { PROFILE_NAMES, profileNamed } from '../profiles/table.ts';
import { GET_TOOL, request, userMessage } from '../testing/requests.ts';
import type { JsonObject, LLMMessage, LLMRequest, ModelConfig, ToolCall } from '../types.ts';
import { loadCodec } from './load.ts';

interface Encoded {
  readonly text: string;
  readonly json: JsonObject;
  readonly codes: readonly string[];
}

async function encode(
  config: Partial<ModelConfig>,
  asked: Partial<LLMRequest> = {},
  outputLimit: number | null = null,
  fixed?: Profile,
): Promise<Encoded> {
  const model = config.model ?? 'some-model';
  const full: ModelConfig = {
    provider: 'openai_compatible',
    baseUrl: 'https://x.test',
    ...config,
    model,
  };
  const row = modelRow(model);
  const profile = fixed ?? chooseProfile(full, row, undefined);
  const codec = await loadCodec(profile.protocol);
  if (codec === undefined) throw new Error(profile.protocol);
  const made = request(asked);
  const history = normaliseHistory({
    messages: made.messages,
    profile,
    tools: made.tools,
    replayKey: 'key',
    protocol: profile.protocol,
    toolChoice: made.toolChoice ?? 'auto',
  });
  const encoded = codec.encode({
    request: made,
    history,
    profile,
    model,
    outputLimit,
    modelFacts: {
      sampling: row?.sampling !== false,
      outputConfig: row?.outputConfig === true,
      reasons: profile.protocol !== 'anthropic' && row?.reasoning === 'effort',
    },
  });
  const text = Buffer.from(encoded.body).toString('utf8');
  return {
    text,
    json: JSON.parse(text) as JsonObject,
    codes: encoded.warnings.map((entry) => entry.code),
  };
}

function call(id: string, a: number): ToolCall {
  return {
    call_id: `own_${id}`,
    name: 'get',
    arguments: { a },
    id,
    raw_name: 'get',
    raw_arguments: `{"a":${a}}`,
    index: 0,
    status: 'ok',
    repairs: [],
    source: 'structured',
    wire_seed: id,
  };
}

/** A reply with parallel calls and the message with their results. */
function round(n: number, calls: number): LLMMessage[] {
  const made = Array.from({ length: calls }, (_, at) => call(`c${n}_${at}`, at));
  return [
    {
      message_id: `a${n}`,
      role: 'assistant',
      origin: 'model',
      content: [
        { type: 'text', text: `step ${n}` },
        ...made.map((entry) => ({ type: 'tool_call', call: entry }) as const),
      ],
    },
    {
      message_id: `r${n}`,
      role: 'user',
      origin: 'tool',
      content: made.map((entry, at) => ({
        type: 'tool_result',
        call_id: entry.call_id,
        name: 'get',
        success: at !== 1,
        error_kind: at === 1 ? 'timeout' : null,
        text: at === 1 ? 'ERROR timeout: slow' : `result ${n}`,
      })),
    },
  ];
}

const THREE: LLMMessage[] = [userMessage('go'), ...round(1, 3)];

describe('golden requests', () => {
  it('Chat', async () => {
    const { json } = await encode({}, { messages: THREE, maxOutputTokens: 9 }, 9);
    expect(json).toMatchSnapshot();
  });

  it('Responses', async () => {
    const { json } = await encode(
      { provider: 'openai', model: 'gpt-5' },
      { messages: THREE, reasoning: { effort: 'low' }, cache: { key: 's', retention: 'short' } },
    );
    expect(json).toMatchSnapshot();
  });

  it('Anthropic', async () => {
    const { json } = await encode(
      { provider: 'anthropic', model: 'claude-sonnet-4-5' },
      { messages: THREE, reasoning: { effort: 'high' }, cache: { key: 's', retention: 'long' } },
      32_000,
    );
    expect(json).toMatchSnapshot();
  });

  it.each(PROFILE_NAMES.map((name) => [name]))('profile %s', async (name) => {
    const profile = profileNamed(name);
    if (profile === undefined) throw new Error(name);
    const asked = {
      messages: THREE,
      toolChoice: 'required' as const,
      parallelToolCalls: false,
      reasoning: { effort: 'medium' as const },
      sampling: { temperature: 0.5 },
    };
    const { json } = await encode({}, asked, 10_000, profile);
    const { tools: _, messages, input, ...rest } = json;
    const first =
      (messages as JsonObject[] | undefined)?.[0]?.role ?? (input as JsonObject[])?.[0]?.role;
    expect({ first, ...rest }).toMatchSnapshot();
  });
});

describe('what may stand on the wire', () => {
  it('absent values and an empty tool list are left out', async () => {
    for (const provider of ['openai', 'anthropic', 'mistral']) {
      const { json } = await encode({ provider }, { tools: [] });
      for (const key of ['tools', 'temperature', 'top_p', 'tool_choice', 'reasoning', 'thinking']) {
        expect(json).not.toHaveProperty(key);
      }
    }
  });

  it('extra body wins over parameters and never touches model, messages, tools, stream', async () => {
    const { json } = await encode(
      {},
      {
        sampling: { temperature: 1 },
        extraBody: { temperature: 0, top_a: 3, stream: false, model: 'x' },
      },
    );
    expect(json).toMatchObject({ temperature: 0, top_a: 3, stream: true, model: 'some-model' });
  });

  it('Anthropic: one of temperature and top_p; neither beside thinking', async () => {
    const sampling = { temperature: 0.5, topP: 0.5 };
    const both = await encode({ provider: 'anthropic', model: 'claude-sonnet-4-5' }, { sampling });
    expect(both.json).toMatchObject({ temperature: 0.5 });
    expect(both.json).not.toHaveProperty('top_p');
    const thinking = await encode(
      { provider: 'anthropic', model: 'claude-sonnet-4-5' },
      { sampling, reasoning: { effort: 'low' } },
      9000,
    );
    expect(thinking.json).not.toHaveProperty('temperature');
    expect(thinking.codes).toContain('param_dropped');
    expect(thinking.json.thinking).toEqual({ type: 'enabled', budget_tokens: 2048 });
  });

  it('G12: a forced choice beside reasoning is downgraded', async () => {
    const asked = { toolChoice: 'required', reasoning: { effort: 'low' } } as const;
    const { json, codes } = await encode(
      { provider: 'anthropic', model: 'claude-opus-4-6' },
      asked,
    );
    expect(json).not.toHaveProperty('tool_choice');
    expect(codes).toContain('tool_choice_downgraded');
    expect(json).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
  });

  it('OpenAI reasoning models get no sampling values; others no reasoning', async () => {
    const asked = { sampling: { temperature: 0.1 }, reasoning: { effort: 'max' } } as const;
    const five = await encode({ provider: 'openai', model: 'gpt-5' }, asked);
    expect(five.json).not.toHaveProperty('temperature');
    expect(five.json.reasoning).toEqual({ effort: 'high' });
    expect(five.codes).toEqual(
      expect.arrayContaining(['param_dropped', 'reasoning_effort_changed']),
    );
    const four = await encode({ provider: 'openai', model: 'gpt-4.1' }, asked);
    expect(four.json).toMatchObject({ temperature: 0.1 });
    expect(four.json).not.toHaveProperty('include');
  });

  it('G3: three parallel calls are answered in one user message, results first', async () => {
    const { json } = await encode(
      { provider: 'anthropic', model: 'claude-opus-4-5' },
      { messages: [...THREE.slice(0, 2), ...THREE.slice(2)] },
    );
    const last = (json.messages as JsonObject[]).at(-1);
    expect(((last?.content ?? []) as JsonObject[]).map((block) => block.type)).toEqual([
      'tool_result',
      'tool_result',
      'tool_result',
    ]);
  });

  it('G5: DeepSeek gets its reasoning field on every reply, a filler where none was recorded', async () => {
    const { json } = await encode({ provider: 'deepseek' }, { messages: THREE });
    const replies = (json.messages as JsonObject[]).filter(
      (message) => message.role === 'assistant',
    );
    expect(replies).toMatchObject([{ reasoning_content: '.' }]);
  });

  it('an invalid quirk is a configuration error, a valid one reaches the wire', async () => {
    await expect(encode({ quirks: { tokenFeld: 'x' } })).rejects.toThrow(/tokenFeld/);
    await expect(encode({ quirks: { token_field: 3 } })).rejects.toThrow(/string/);
    const { json } = await encode(
      { quirks: { token_field: 'max_new_tokens', systemRole: 'developer' } },
      {},
      7,
    );
    expect(json).toMatchObject({ max_new_tokens: 7, messages: [{ role: 'developer' }, {}] });
  });
});

describe('the prefix is byte-stable', () => {
  it.each([
    ['chat', { provider: 'openai_compatible' }, 'messages'],
    ['responses', { provider: 'openai', model: 'gpt-5' }, 'input'],
    ['anthropic', { provider: 'anthropic', model: 'claude-opus-4-5' }, 'messages'],
  ] as const)(
    '%s: tools, system and earlier messages are a prefix of the next request',
    async (_, config, member) => {
      const unmarked = (text: string) => text.replaceAll(/,"cache_control":\{[^}]*\}/g, '');
      let messages: LLMMessage[] = [userMessage('go')];
      let before = '';
      for (let n = 0; n < 30; n += 1) {
        const { text, json } = await encode(config, { messages });
        const plain = unmarked(text);
        const marks = text.split('"cache_control"').length - 1;
        expect(marks).toBeLessThanOrEqual(4);
        const list = JSON.stringify(json[member]);
        const bare = unmarked(list).slice(1, -1);
        const head = plain.slice(0, plain.indexOf(bare) + bare.length);
        if (before !== '') expect(head.startsWith(before)).toBe(true);
        before = head;
        messages = [...messages, ...round(n, 1 + (n % 3))];
      }
    },
  );

  it('only the new message of a long history is encoded', async () => {
    const long = 'x'.repeat(20_000);
    let messages: LLMMessage[] = [userMessage('go')];
    for (let n = 0; n < 50; n += 1)
      messages = [...messages, ...round(n, 1), userMessage(long, `u${n}`)];
    const profile = profileNamed('openai_compatible');
    await encode({}, { messages }, null, profile);
    const original = JSON.stringify;
    let characters = 0;
    JSON.stringify = ((...parameters: Parameters<typeof original>) => {
      const text = original(...parameters);
      characters += text?.length ?? 0;
      return text;
    }) as typeof original;
    try {
      await encode(
        {},
        { messages: [...messages, userMessage('more', 'last')], tools: [GET_TOOL] },
        null,
        profile,
      );
    } finally {
      JSON.stringify = original;
    }
    expect(characters).toBeLessThan(5000);
  });
});
