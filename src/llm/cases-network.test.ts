import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../errors.ts';
import {
  callDelta,
  chatDelta,
  chatFinish,
  client,
  collect,
  endOf,
  fakeClock,
  request,
  sse,
} from './testing/requests.ts';
import {
  type Answer,
  type ScriptServer,
  type SeenRequest,
  startScriptServer,
} from './testing/script-server.ts';
import type { Exchange, LLMEvent, LLMRequest, ModelConfig } from './types.ts';

let server: ScriptServer;
let script: (seen: SeenRequest, ordinal: number) => Answer = () => ({});
let first = 0;
beforeAll(async () => {
  server = await startScriptServer((seen, ordinal) => script(seen, ordinal - first));
});
afterAll(() => server.close());

const OK: Answer = { writes: [sse([chatDelta({ content: 'ok' }), chatFinish('stop')], true)] };
const JSON_TYPE = { 'content-type': 'application/json' };
const refuse = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  writes: [typeof body === 'string' ? body : JSON.stringify(body)],
});
let models = 0;

/** Every call has a model name of its own, so that nothing learned by one is known to the next. */
async function run(
  answers: readonly Answer[] | typeof script,
  config: Partial<ModelConfig> = {},
  more: Partial<LLMRequest> = {},
): Promise<{ events: LLMEvent[]; seen: SeenRequest[]; waits: readonly number[] }> {
  script = typeof answers === 'function' ? answers : (_, n) => answers[n] ?? answers.at(-1) ?? OK;
  first = server.requests.length;
  models += 1;
  const clock = fakeClock();
  const used = client(server.url, { model: `m${models}`, ...config }, { clock, random: () => 0.5 });
  const events = await collect(used.stream(request(more)));
  return { events, seen: server.requests.slice(first), waits: clock.waits };
}

const error = (message: string, rest: object = {}) => ({ error: { message, ...rest } });

describe('network rules', () => {
  it('follows 307 within the origin, refuses another origin and other redirects', async () => {
    const redirect = (status: number, location: string): Answer => ({
      status,
      headers: { location },
      writes: [],
    });
    const within = await run((entry) =>
      entry.url === '/elsewhere' ? OK : redirect(307, '/elsewhere'),
    );
    expect(endOf(within.events).response?.content).toBe('ok');
    expect(within.seen[1]?.method).toBe('POST');
    const away = await run([redirect(308, 'http://example.invalid/x')]);
    expect(endOf(away.events).error).toMatchObject({ detail: 'redirect', retryable: false });
    const found = await run([redirect(302, '/elsewhere')]);
    expect(endOf(found.events).error).toMatchObject({ detail: 'redirect' });
    expect((await run([redirect(307, '/loop')])).seen).toHaveLength(4);
  });

  it('goes through an HTTP proxy, reports 407, refuses SOCKS', async () => {
    const seen: { url: string; authorization: string | undefined }[] = [];
    const proxy = createServer((incoming, outgoing) => {
      const authorization = incoming.headers['proxy-authorization'];
      seen.push({ url: incoming.url ?? '', authorization });
      if (authorization === undefined) {
        outgoing.writeHead(407).end();
        return;
      }
      const target = new URL(incoming.url ?? '');
      incoming.pipe(
        httpRequest(
          {
            host: '127.0.0.1',
            port: server.port,
            path: target.pathname,
            method: 'POST',
            headers: { 'content-type': 'application/json' },
          },
          (answer) => {
            outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(outgoing);
          },
        ),
      );
    });
    proxy.on('connect', (incoming, socket) => {
      seen.push({
        url: incoming.url ?? '',
        authorization: incoming.headers['proxy-authorization'],
      });
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    script = () => OK;
    const go = async (baseUrl: string, address: string) =>
      endOf(await collect(client(baseUrl, { proxy: address, maxRetries: 0 }).stream(request())));
    const good = await go('http://model.test', `http://user:canary-pass@127.0.0.1:${port}`);
    expect(good.response?.content).toBe('ok');
    expect(seen[0]).toMatchObject({ url: 'http://model.test/chat/completions' });
    const bare = await go('https://model.test', `http://127.0.0.1:${port}`);
    expect(seen.at(-1)?.url).toBe('model.test:443');
    expect(bare.error).toMatchObject({ kind: 'network', detail: 'proxy' });
    expect(() => client('http://model.test', { proxy: 'socks5://127.0.0.1:1080' })).toThrow(
      ConfigError,
    );
    await new Promise((resolve) => {
      proxy.closeAllConnections();
      proxy.close(resolve);
    });
  });
});

describe('recording hook', () => {
  it('gives one masked record per attempt, failed ones too, and survives a throwing listener', async () => {
    script = (_, n) => (n === 0 ? refuse(503, '{}', { 'set-cookie': 'canary-cookie' }) : OK);
    first = server.requests.length;
    const records: Exchange[] = [];
    const used = client(
      `${server.url}?key=canary-url-key`,
      { headers: { 'x-api-key': 'canary-header-1', 'x-custom-token': 'canary-header-2' } },
      { clock: fakeClock(), onExchange: (exchange) => records.push(exchange) },
    );
    await used.chat(request());
    expect(records.map((record) => [record.seq, record.attempt, record.status])).toEqual([
      [0, 1, 503],
      [1, 2, 200],
    ]);
    const shown = JSON.stringify(
      records.map(({ request_body, chunks, request: _, ...rest }) => [
        rest,
        Buffer.from(request_body).toString(),
        chunks.map((chunk) => Buffer.from(chunk.bytes).toString()),
      ]),
    );
    expect(shown).not.toContain('canary');
    expect(
      Buffer.concat(records[1]?.chunks.map((chunk) => chunk.bytes) ?? []).toString(),
    ).toContain('"ok"');
    const throwing = client(
      server.url,
      {},
      {
        onExchange: () => {
          throw new Error('full');
        },
      },
    );
    const events = await collect(throwing.stream(request()));
    expect(endOf(events).response?.content).toBe('ok');
    expect(events).toContainEqual(expect.objectContaining({ code: 'recording_stopped' }));
  });

  it('no key appears in an error that repeats it', async () => {
    const { events } = await run([
      refuse(401, error('Incorrect API key provided: sk-canary-123456')),
    ]);
    expect(JSON.stringify(events)).not.toContain('sk-canary');
    expect(endOf(events).error).toMatchObject({ kind: 'auth', detail: 'unauthorized' });
  });

  it('a missing key is told before any byte is sent', async () => {
    const { events, seen } = await run([OK], { provider: 'openai', apiKey: '' });
    expect(seen).toHaveLength(0);
    expect(endOf(events).error?.message).toContain('OPENAI_API_KEY');
  });
});

describe('calls and errors together', () => {
  it('a call that arrived before an error never runs', async () => {
    const call = callDelta({ index: 0, id: 'c', name: 'get', args: '{"a":1}' });
    const { events } = await run([
      { writes: [sse([call, error('x', { type: 'authentication_error' })])] },
    ]);
    expect(endOf(events).response?.tool_calls).toMatchObject([{ status: 'cut' }]);
    expect(endOf(events).error?.kind).toBe('auth');
  });
});
