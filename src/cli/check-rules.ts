import type { LoadedConfig } from '../config/types.ts';

/** Throws ConfigError for the first rule that names no tool or class, or is malformed: a mistyped deny must not vanish. */
export async function checkRules(config: LoadedConfig): Promise<void> {
  if (config.rules.length === 0) return;
  const [{ parseRule }, { nativeRegistry }] = await Promise.all([
    import('../permissions/rules.ts'),
    import('../agent/tool-sources.ts'),
  ]);
  const names = nativeRegistry().tools.map((tool) => tool.name);
  for (const rule of config.rules) parseRule(rule, names);
}
