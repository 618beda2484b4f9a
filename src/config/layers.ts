/** Puts the sources of settings on top of each other: who wins, what a project may set, what the managed file bounds. */
import type { Entry } from './entries.ts';
import type { ConfigKey } from './keys.ts';
import { applyBound, compareStrictness } from './stricter.ts';
import type { ConfigOrigin, ConfigScope } from './types.ts';

export interface Layer {
  readonly scope: Exclude<ConfigScope, 'default'>;
  readonly from: string;
  readonly entries: readonly Entry[];
}

export interface Setting {
  readonly key: ConfigKey;
  readonly path: string;
  readonly segments: readonly string[];
  readonly value: unknown;
  readonly origin: ConfigOrigin;
}

export type Settings = ReadonlyMap<string, Setting>;

/** A project value that does not count, and why. */
export interface IgnoredEntry {
  readonly entry: Entry;
  readonly reason: 'user_only' | 'untrusted' | 'looser';
}

export interface Merged {
  readonly settings: Settings;
  readonly ignored: readonly IgnoredEntry[];
  /** Values of user scope that the managed file bounded. */
  readonly bounded: readonly Setting[];
}

export interface MergeOptions {
  /** The value a key has when nobody sets it. */
  readonly fallback: (key: ConfigKey) => unknown;
  readonly projectTrusted: boolean;
}

/** Later layers of one scope win; between scopes: flag > environment > project > user > managed > default. */
const ORDER: readonly ConfigScope[] = ['managed', 'user', 'project', 'environment', 'flag'];

/** Lists that add up over all sources instead of replacing each other. */
export function addsUp(key: ConfigKey): boolean {
  return key.stricter === 'more' || key.key === 'permissions.allow';
}

export function mergeLayers(layers: readonly Layer[], options: MergeOptions): Merged {
  const sorted = [...layers].sort((a, b) => ORDER.indexOf(a.scope) - ORDER.indexOf(b.scope));
  const settings = new Map<string, Setting>();
  const ignored: IgnoredEntry[] = [];
  const bounds = boundsOf(sorted);
  const bounded: Setting[] = [];
  for (const layer of sorted) {
    for (const entry of layer.entries) {
      const reason =
        layer.scope === 'project' ? whyIgnored(entry, settings, bounds, options) : null;
      if (reason === null) put(settings, layer, entry);
      else ignored.push({ entry, reason });
    }
  }
  for (const [path, bound] of bounds) {
    const held = hold(settings.get(path), bound);
    if (held.wasLooser !== null) bounded.push(held.wasLooser);
    settings.set(path, held.setting);
  }
  return { settings, ignored, bounded };
}

/** Values of the managed file that no other scope loosens. */
function boundsOf(layers: readonly Layer[]): Map<string, Setting> {
  const bounds = new Map<string, Setting>();
  for (const layer of layers) {
    if (layer.scope !== 'managed') continue;
    for (const entry of layer.entries)
      if (entry.key.setBy === 'T') bounds.set(entry.path, settingOf(layer, entry));
  }
  return bounds;
}

function settingOf(layer: Layer, entry: Entry): Setting {
  const { key, path, segments, value, line } = entry;
  return { key, path, segments, value, origin: { scope: layer.scope, from: layer.from, line } };
}

function put(settings: Map<string, Setting>, layer: Layer, entry: Entry): void {
  const setting = settingOf(layer, entry);
  const before = settings.get(entry.path);
  if (before === undefined || !addsUp(entry.key)) {
    settings.set(entry.path, setting);
    return;
  }
  const together = new Set([...(before.value as unknown[]), ...(entry.value as unknown[])]);
  settings.set(entry.path, { ...setting, value: [...together] });
}

function whyIgnored(
  entry: Entry,
  settings: Settings,
  bounds: Settings,
  options: MergeOptions,
): IgnoredEntry['reason'] | null {
  if (entry.key.setBy === 'U') return 'user_only';
  if (entry.key.setBy === 'P') return options.projectTrusted ? null : 'untrusted';
  const below = settings.get(entry.path)?.value ?? options.fallback(entry.key);
  const bound = bounds.get(entry.path);
  const base = bound === undefined ? below : applyBound(entry.key, below, bound.value);
  return compareStrictness(entry.key, entry.value, base) === 'looser' ? 'looser' : null;
}

function hold(
  setting: Setting | undefined,
  bound: Setting,
): { readonly setting: Setting; readonly wasLooser: Setting | null } {
  if (setting === undefined || addsUp(bound.key)) {
    return { setting: setting ?? bound, wasLooser: null };
  }
  const value = applyBound(bound.key, setting.value, bound.value);
  if (value === setting.value || JSON.stringify(value) === JSON.stringify(setting.value))
    return { setting, wasLooser: null };
  return { setting: { ...bound, value }, wasLooser: setting };
}
