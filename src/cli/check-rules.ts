import type { LoadedConfig } from '../config/types.ts';

/** Throws ConfigError for the first rule that names no tool or class, or is malformed: a mistyped deny must not vanish. */
export async function checkRules(config: LoadedConfig): Promise<void> {
  if (config.rules.length === 0) return;
  const [{ parseRule }, { nativeRegistry }, { knownToolNames }] = await Promise.all([
    import('../permissions/rules.ts'),
    import('../agent/tool-sources.ts'),
    import('../tools/specified-names.ts'),
  ]);
  const names = knownToolNames(nativeRegistry());
  for (const rule of config.rules) parseRule(rule, names);
}
