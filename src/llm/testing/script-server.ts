/** A loopback HTTP server that answers each request with scripted bytes. For tests only. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Write =
  | string
  | Uint8Array
  | { readonly sleep: number }
  | { readonly destroy: true }
  | { readonly hang: true };

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly writes?: readonly Write[];
  /** Milliseconds before the headers. */
  readonly delay?: number;
  /** Destroy the socket before anything is answered. */
  readonly reset?: boolean;
  /** Never answer. */
  readonly silent?: boolean;
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly json: Record<string, unknown>;
}

export interface ScriptServer {
  readonly url: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  /** Sockets opened and sockets still open. */
  readonly sockets: { opened: number; open: number };
  close(): Promise<void>;
}

type Script = readonly Answer[] | ((request: SeenRequest, ordinal: number) => Answer);

export async function startScriptServer(script: Script): Promise<ScriptServer> {
  const requests: SeenRequest[] = [];
  const sockets = { opened: 0, open: 0 };
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing);
  });
  server.on('connection', (socket) => {
    sockets.opened += 1;
    sockets.open += 1;
    socket.on('close', () => {
      sockets.open -= 1;
    });
    socket.on('error', () => {});
  });

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await readAll(incoming);
    const seen: SeenRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
      json: body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {},
    };
    requests.push(seen);
    const ordinal = requests.length - 1;
    const found =
      typeof script === 'function' ? script(seen, ordinal) : (script[ordinal] ?? script.at(-1));
    await play(found ?? { status: 500 }, outgoing);
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function play(answer: Answer, outgoing: ServerResponse): Promise<void> {
  if (answer.delay !== undefined) await pause(answer.delay);
  if (answer.silent === true) return;
  if (answer.reset === true) {
    outgoing.socket?.destroy();
    return;
  }
  outgoing.writeHead(answer.status ?? 200, {
    'content-type': 'text/event-stream',
    ...answer.headers,
  });
  outgoing.flushHeaders();
  for (const write of answer.writes ?? []) {
    if (typeof write === 'string' || write instanceof Uint8Array) {
      outgoing.write(write);
      await pause(0);
    } else if ('sleep' in write) await pause(write.sleep);
    else if ('hang' in write) return;
    else {
      outgoing.socket?.destroy();
      return;
    }
  }
  outgoing.end();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
