/** Address and headers of a request. */

import type { Target } from './target.ts';
import type { ModelConfig } from './types.ts';
import { VERSION } from './version.ts';

const AZURE_VERSION = '2025-04-01-preview';

export function requestUrl(target: Target, apiVersion: string | undefined): string {
  const { profile, baseUrl, model } = target;
  if (profile.id === 'azure' || profile.id === 'azure_chat') return azureUrl(target, apiVersion);
  const path = profile.path.replace('{model}', encodeURIComponent(model));
  // An Anthropic base URL is written with and without its version.
  const doubled = path.startsWith('/v1/') && baseUrl.endsWith('/v1');
  return baseUrl + (doubled ? path.slice('/v1'.length) : path);
}

function azureUrl({ profile, baseUrl, model }: Target, apiVersion: string | undefined): string {
  if (baseUrl.endsWith('/openai/v1')) {
    return baseUrl + profile.path + (apiVersion === undefined ? '' : `?api-version=${apiVersion}`);
  }
  const root = baseUrl.endsWith('/openai') ? baseUrl : `${baseUrl}/openai`;
  const deployment = profile.protocol === 'chat' ? `/deployments/${encodeURIComponent(model)}` : '';
  return `${root}${deployment}${profile.path}?api-version=${apiVersion ?? AZURE_VERSION}`;
}

/** Lower-case names. Configured headers win, except over the key. */
export function requestHeaders(target: Target, config: ModelConfig): Record<string, string> {
  const { auth, headers } = target.profile;
  const configured = Object.entries(config.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'accept-encoding': 'identity',
    'user-agent': `toolwright/${VERSION}`,
    ...headers,
    ...(Object.fromEntries(configured) as Record<string, string>),
    ...authHeader(auth.kind, auth.name, config.apiKey),
  };
}

function authHeader(kind: string, name: string, key: string | undefined): Record<string, string> {
  if (key === undefined || key === '' || kind === 'none') return {};
  return kind === 'bearer' ? { authorization: `Bearer ${key}` } : { [name.toLowerCase()]: key };
}
