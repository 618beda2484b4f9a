/** The built-in provider names, and which variables hold their keys and addresses. */

export const BUILTIN_PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'azure',
  'openrouter',
  'doubao',
  'deepseek',
  'qwen',
  'moonshot',
  'zhipu',
  'mistral',
  'ollama',
  'openai_compatible',
  'replay',
] as const;

export type BuiltinProvider = (typeof BUILTIN_PROVIDERS)[number];

export function isBuiltinProvider(name: string): name is BuiltinProvider {
  return (BUILTIN_PROVIDERS as readonly string[]).includes(name);
}

/** Providers that work without a key. */
const KEYLESS: readonly string[] = ['ollama', 'openai_compatible', 'replay'];
/** Providers whose address only the user knows. */
const ADDRESS_REQUIRED: readonly string[] = ['azure', 'openai_compatible'];

export function needsKey(provider: string): boolean {
  return !KEYLESS.includes(provider);
}

export function needsAddress(provider: string): boolean {
  return ADDRESS_REQUIRED.includes(provider);
}

/** Names vendors use themselves, looked at after `<PROVIDER>_API_KEY`. */
const OTHER_KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  google: ['GEMINI_API_KEY'],
  doubao: ['ARK_API_KEY'],
  qwen: ['DASHSCOPE_API_KEY'],
};

function prefix(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

export function keyVariables(provider: string): readonly string[] {
  return [`${prefix(provider)}_API_KEY`, ...(OTHER_KEY_VARIABLES[provider] ?? [])];
}

export function addressVariable(provider: string): string {
  return `${prefix(provider)}_BASE_URL`;
}

/** Headers that OpenRouter ranks applications by. */
export function siteHeaders(
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (provider !== 'openrouter') return {};
  const site = env.OPENROUTER_SITE_URL;
  const title = env.OPENROUTER_SITE_NAME;
  return {
    ...(site ? { 'HTTP-Referer': site } : {}),
    ...(title ? { 'X-Title': title } : {}),
  };
}

/** True for an address on this machine or in a private network, where servers often ask for no key. */
export function isLocalAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd][0-9a-f]{2}:)/.test(host);
}
