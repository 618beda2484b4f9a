/** Reads single values and whole sections from merged settings. */
import type { Setting, Settings } from './layers.ts';
import type { ConfigOrigin } from './types.ts';

export const DEFAULT_ORIGIN: ConfigOrigin = { scope: 'default', from: null, line: null };

/** A section as a plain object, or undefined when nothing in it is set. Names in it may hold dots. */
export function section(
  settings: Settings,
  prefix: readonly string[],
): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = {};
  let found = false;
  for (const setting of settings.values()) {
    if (!startsWith(setting, prefix)) continue;
    place(result, setting.segments.slice(prefix.length), setting.value);
    found = true;
  }
  return found ? result : undefined;
}

function startsWith(setting: Setting, prefix: readonly string[]): boolean {
  return (
    setting.segments.length > prefix.length &&
    prefix.every((segment, index) => setting.segments[index] === segment)
  );
}

function place(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = (target[head] ?? {}) as Record<string, unknown>;
  target[head] = inner;
  place(inner, rest, value);
}

/** The names directly below a section, such as the keys of `models`. */
export function namesIn(settings: Settings, prefix: string): string[] {
  const names = new Set<string>();
  for (const setting of settings.values()) {
    const [first, name] = setting.segments;
    if (first === prefix && name !== undefined) names.add(name);
  }
  return [...names];
}

export function valueAt(settings: Settings, ...segments: readonly string[]): unknown {
  return settings.get(segments.join('.'))?.value;
}

export function textAt(settings: Settings, ...segments: readonly string[]): string | undefined {
  const value = valueAt(settings, ...segments);
  return typeof value === 'string' ? value : undefined;
}

/** The origin as people read it: "trae_config.yaml:12", "OPENAI_API_KEY", "--model". */
export function describeOrigin(origin: ConfigOrigin): string {
  if (origin.from === null) return origin.scope;
  return origin.line === null ? origin.from : `${origin.from}:${origin.line}`;
}
