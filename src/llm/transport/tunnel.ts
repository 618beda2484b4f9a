/** TLS connections through a proxy's CONNECT. */
import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import type { Socket } from 'node:net';
import { networkError } from './fault.ts';
import { proxyAuthorization } from './proxy.ts';

type Callback = (error: Error | null, socket?: Socket) => void;

/** An https agent whose connections go through the proxy and are kept alive like direct ones. */
export async function tunnelAgent(proxy: URL, ca: string | undefined): Promise<Agent> {
  // Not imported, see http.ts.
  const http = process.getBuiltinModule('node:http');
  const [https, tls] = await Promise.all([import('node:https'), import('node:tls')]);
  const agent = new https.Agent({ keepAlive: true });
  const connect = (
    options: { host?: string | null; port?: number | string | null; servername?: string },
    done: Callback,
  ): undefined => {
    const target = `${options.host}:${options.port}`;
    const authorization = proxyAuthorization(proxy);
    const module = proxy.protocol === 'https:' ? https : http;
    const request = module.request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
      agent: false,
    });
    request.once('connect', (response: IncomingMessage, socket: Socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        done(refusal(response.statusCode ?? 0));
        return;
      }
      const secure = tls.connect({
        socket,
        servername: options.servername ?? String(options.host),
        ...(ca === undefined ? {} : { ca }),
      });
      secure.once('error', (error) => done(error));
      secure.once('secureConnect', () => done(null, secure));
    });
    request.once('response', (response) => {
      response.resume();
      done(refusal(response.statusCode ?? 0));
    });
    request.once('error', (error) =>
      done(networkError('proxy', 'connect', `cannot reach the proxy: ${error.message}`)),
    );
    request.end();
    return undefined;
  };
  Object.assign(agent, { createConnection: connect });
  return agent;
}

function refusal(status: number): Error {
  const why = status === 407 ? 'it asks for a user name and password' : `it answered ${status}`;
  return networkError('proxy', 'connect', `the proxy did not open the connection: ${why}`);
}
