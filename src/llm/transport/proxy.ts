/** Which proxy a request goes through. */
import { ConfigError } from '../../errors.ts';
import { maskUrl } from '../mask.ts';
import { isLoopback } from '../profiles/hosts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or null for a direct connection. A configured proxy wins over the environment; loopback
 * is never proxied. Throws ConfigError for a proxy that cannot be used.
 */
export function proxyFor(
  url: URL,
  configured: string | undefined,
  environment: Environment,
): URL | null {
  if (isLoopback(url.hostname)) return null;
  if (configured !== undefined) return configured === '' ? null : proxyUrl(configured, 'proxy');
  if (isExempt(url, read(environment, 'no_proxy') ?? '')) return null;
  const names = [url.protocol === 'https:' ? 'https_proxy' : 'http_proxy', 'all_proxy'];
  for (const name of names) {
    const value = read(environment, name);
    if (value !== undefined) return proxyUrl(value, name.toUpperCase());
  }
  return null;
}

function read(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined;
}

function proxyUrl(value: string, source: string): URL {
  const text = value.includes('://') ? value : `http://${value}`;
  const shown = maskUrl(text);
  if (!URL.canParse(text))
    throw new ConfigError(`${source} is not an address: ${shown}`, { source });
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ConfigError(
      `${source} is ${shown}, but only http and https proxies can be used; unset it or give another`,
      { source },
    );
  }
  return url;
}

/** `NO_PROXY`: host names, suffixes with or without a leading point or `*.`, an optional port, or `*`. */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const match = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase());
      const name = (match?.[1] ?? '').replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
      if (match?.[2] !== undefined && match[2] !== port) return false;
      return name !== '' && (host === name || host.endsWith(`.${name}`));
    });
}

/** Value of `proxy-authorization` for an address with credentials. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
