import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { framesOf } from './frames.ts';
import type {
  FakeModel,
  FakeModelOptions,
  RawReply,
  RecordedRequest,
  Reply,
  WireProtocol,
  Write,
} from './types.ts';
import { refuseAnthropic } from './validate-anthropic.ts';
import { refuseChat } from './validate-chat.ts';
import { refuseResponses } from './validate-responses.ts';

type Json = Record<string, unknown>;

function protocolOf(path: string): WireProtocol {
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/responses')) return 'responses';
  return 'chat';
}

/** Assistant turns in the history: what the script is read by, so that a resumed run goes on where it was. */
function turnsIn(protocol: WireProtocol, body: Json): number {
  if (protocol !== 'responses') {
    return ((body.messages ?? []) as Json[]).filter((message) => message.role === 'assistant')
      .length;
  }
  let turns = 0;
  let inside = false;
  for (const item of (body.input ?? []) as Json[]) {
    const own =
      item.type === 'function_call' || item.type === 'reasoning' || item.role === 'assistant';
    if (own && !inside) turns += 1;
    inside = own;
  }
  return turns;
}

function refuse(protocol: WireProtocol, body: Json, raw: string): string | null {
  if (protocol === 'anthropic') return refuseAnthropic(body, raw);
  return protocol === 'responses' ? refuseResponses(body) : refuseChat(body);
}

function errorReply(protocol: WireProtocol, message: string): RawReply {
  const body =
    protocol === 'anthropic'
      ? { type: 'error', error: { type: 'invalid_request_error', message } }
      : { error: { message, type: 'invalid_request_error', param: null, code: null } };
  return {
    status: 400,
    headers: { 'content-type': 'application/json' },
    writes: [JSON.stringify(body)],
  };
}

function isRaw(reply: Reply): reply is RawReply {
  return 'writes' in reply;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function sendBytes(
  response: ServerResponse,
  bytes: Uint8Array,
  split: FakeModelOptions['split'],
): Promise<void> {
  if (split === undefined) {
    response.write(bytes);
    return;
  }
  let at = 0;
  for (const size of split(bytes.length)) {
    response.write(bytes.subarray(at, at + size));
    at += size;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function play(
  response: ServerResponse,
  writes: readonly Write[],
  split: FakeModelOptions['split'],
): Promise<void> {
  for (const write of writes) {
    if (typeof write === 'string' || write instanceof Uint8Array) {
      await sendBytes(response, typeof write === 'string' ? Buffer.from(write) : write, split);
    } else if ('sleep' in write) {
      await new Promise((resolve) => setTimeout(resolve, write.sleep));
    } else if ('destroy' in write) {
      response.destroy();
      return;
    } else {
      return;
    }
  }
  response.end();
}

/** Starts the scripted server on a free loopback port. */
export async function startFakeModel(options: FakeModelOptions): Promise<FakeModel> {
  const requests: RecordedRequest[] = [];
  const refusals: string[] = [];

  const answer = (request: RecordedRequest): Reply => {
    if (request.refused !== null) return errorReply(request.protocol, request.refused);
    const { script } = options;
    if (typeof script === 'function') return script(request);
    return script[request.turn] ?? { text: 'The script is over.' };
  };

  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming);
    const raw = body.toString('utf8');
    const json = (raw === '' ? {} : JSON.parse(raw)) as Json;
    const path = incoming.url ?? '/';
    const protocol = protocolOf(path.split('?')[0] ?? path);
    const refused = (options.strict ?? true) ? refuse(protocol, json, raw) : null;
    if (refused !== null) refusals.push(refused);
    const request: RecordedRequest = {
      ordinal: requests.length,
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body,
      json,
      protocol,
      turn: turnsIn(protocol, json),
      at: performance.now(),
      refused,
    };
    requests.push(request);
    const reply = answer(request);
    if (options.delay) await new Promise((resolve) => setTimeout(resolve, options.delay));
    if (isRaw(reply)) {
      response.writeHead(
        reply.status ?? 200,
        reply.headers ?? { 'content-type': 'text/event-stream' },
      );
      response.flushHeaders();
      await play(response, reply.writes, options.split);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const frames = framesOf(protocol, reply, request.ordinal, String(json.model));
    await play(response, options.split ? frames : [frames.join('')], options.split);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    refusals,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
