import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './server.ts';
import type { FakeModelOptions } from './types.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function serve(options: FakeModelOptions) {
  const model = await startFakeModel(options);
  onTestFinished(() => model.close());
  const post = (path: string, body: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(`${model.url}${path}`, { method: 'POST' }, async (response) => {
        let text = '';
        try {
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          resolve({ status: response.statusCode ?? 0, body: text });
        } catch (error) {
          reject(error);
        }
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  return { model, post };
}

const user = { role: 'user', content: 'hello' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'get', arguments: '{}' } });
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });

describe('scripted model server', () => {
  it('plays turns by the number of assistant messages in the history', async () => {
    const { post } = await serve({ script: [{ text: 'first' }, { text: 'second' }] });
    const first = await post('/v1/chat/completions', { model: 'm', messages: [user] });
    const history = [user, { role: 'assistant', content: 'first' }, user];
    const second = await post('/v1/chat/completions', { model: 'm', messages: history });
    expect(first.body).toContain('first');
    expect(second.body).toContain('second');
  });

  it('sends the same bytes whatever they are split into', async () => {
    const script = [{ text: '日本語 and 👩‍👩‍👧‍👦' }];
    const whole = await serve({ script });
    const split = await serve({ script, split: (length) => Array.from({ length }, () => 1) });
    const body = { model: 'm', messages: [user] };
    const expected = await whole.post('/v1/chat/completions', body);
    expect(await split.post('/v1/chat/completions', body)).toEqual(expected);
  });

  it('destroys the socket where the script says so', async () => {
    const { post } = await serve({
      script: [{ writes: ['data: {}', { sleep: 20 }, { destroy: true }] }],
    });
    await expect(post('/v1/chat/completions', { model: 'm', messages: [user] })).rejects.toThrow();
  });

  it.each([
    [
      'unanswered call',
      [user, { role: 'assistant', tool_calls: [call('a')] }, user],
      /must be followed by tool messages/,
    ],
    ['stray result', [user, answer('a')], /must be a response to a preceeding message/],
    [
      'bad name',
      [
        user,
        {
          role: 'assistant',
          tool_calls: [{ ...call('a'), function: { name: 'a b', arguments: '{}' } }],
        },
        answer('a'),
      ],
      /Invalid/,
    ],
    [
      'bad arguments',
      [
        user,
        {
          role: 'assistant',
          tool_calls: [{ ...call('a'), function: { name: 'get', arguments: '[' } }],
        },
        answer('a'),
      ],
      /not a JSON object/,
    ],
  ])('Chat: refuses %s', async (_, messages, words) => {
    const { post } = await serve({ script: [] });
    const refused = await post('/v1/chat/completions', { model: 'm', messages });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(words);
  });

  it.each([
    ['missing max_tokens', { messages: [user] }, /max_tokens: Field required/],
    [
      'unanswered tool_use',
      {
        max_tokens: 1,
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'g', input: {} }] },
          user,
        ],
      },
      /were found without `tool_result` blocks/,
    ],
    [
      'blank text',
      { max_tokens: 1, messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] },
      /non-whitespace/,
    ],
    [
      'stray result',
      {
        max_tokens: 1,
        messages: [
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'z', content: 'x' }] },
        ],
      },
      /unexpected `tool_use_id`/,
    ],
    [
      'prefill',
      { max_tokens: 1, messages: [user, { role: 'assistant', content: 'x' }] },
      /prefill/,
    ],
  ])('Anthropic: refuses %s', async (_, body, words) => {
    const { post } = await serve({ script: [] });
    const refused = await post('/v1/messages', { model: 'm', ...body });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(words);
  });

  it.each([
    [
      'unanswered call',
      [
        { role: 'user', content: 'x' },
        { type: 'function_call', call_id: 'a', name: 'g', arguments: '{}' },
      ],
      /No tool output found/,
    ],
    [
      'stray output',
      [{ type: 'function_call_output', call_id: 'a', output: 'x' }],
      /No tool call found/,
    ],
    [
      'lone reasoning',
      [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' }],
      /required following item/,
    ],
    ['reasoning by id', [{ type: 'reasoning', id: 'rs_1', summary: [] }], /not persisted/],
  ])('Responses: refuses %s', async (_, input, words) => {
    const { post } = await serve({ script: [] });
    const refused = await post('/v1/responses', { model: 'm', store: false, input });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatch(words);
  });
});
