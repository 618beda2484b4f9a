/** Known secret values, for redaction: keys, tokens and passwords of configuration, environment and flags. */
import type { Settings } from './layers.ts';
import type { ConfigOverrides } from './types.ts';

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Shorter values, paths and plain words are left alone: hiding them would garble ordinary text. */
const MIN_LENGTH = 8;
const SECRET_NAME = /TOKEN|SECRET|PASSW|KEY|AUTH(?!OR)|CRED|PRIVATE|CERT/i;

export function collectSecrets(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
  overrides: ConfigOverrides,
): Secret[] {
  const found = new Map<string, string>();
  const add = (name: string, value: string) => {
    if (looksSecret(value) && !found.has(value)) found.set(value, name);
  };
  if (overrides.apiKey !== undefined) add('--api-key', overrides.apiKey);
  addVariables(env, add);
  for (const setting of settings.values()) {
    if (setting.key.secret) addStrings(setting.path, setting.value, add);
    else if (typeof setting.value === 'string') addPassword(setting.path, setting.value, add);
  }
  return [...found].map(([value, name]) => ({ name, value }));
}

/** The secret values in the text of a `.env` file. */
export function secretsOfEnvironmentFile(text: string): Secret[] {
  const found: Secret[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', raw = ''] =
      /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const value = /^(["'`])(.*?)\1/.exec(raw)?.[2] ?? raw.replace(/\s+#.*$/, '');
    addVariables({ [name]: value }, (label, secret) => {
      if (looksSecret(secret)) found.push({ name: label, value: secret });
    });
  }
  return found;
}

function addVariables(
  variables: Readonly<Record<string, string | undefined>>,
  add: (name: string, value: string) => void,
): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) continue;
    if (SECRET_NAME.test(name)) add(name, value);
    addPassword(name, value, add);
  }
}

function looksSecret(value: string): boolean {
  const isPath = /^[.~]?\//.test(value) && !/\s/.test(value);
  const isWord = /^[A-Za-z]+$/.test(value) && value.length < 16;
  return value.length >= MIN_LENGTH && !isPath && !isWord;
}

function addStrings(name: string, value: unknown, add: (name: string, value: string) => void) {
  if (typeof value === 'string') {
    add(name, value);
    const bearer = /^(?:bearer|basic|token)\s+(.+)$/i.exec(value)?.[1];
    if (bearer !== undefined) add(name, bearer);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [member, inner] of Object.entries(value)) addStrings(`${name}.${member}`, inner, add);
}

function addPassword(name: string, value: string, add: (name: string, value: string) => void) {
  if (!value.includes('://') || !value.includes('@') || !URL.canParse(value)) return;
  const { password } = new URL(value);
  if (password !== '') add(name, decodePassword(password));
}

function decodePassword(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
