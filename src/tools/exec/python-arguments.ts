import type { ToolContext } from '../types.ts';

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  output: ['output', 'outputs'],
  scratchpad: ['scratchpad', 'scratch'],
  input: ['input', 'inputs'],
};

/** Script arguments with logical paths made absolute, also behind `--name=`. */
export function absoluteArguments(args: readonly string[], ctx: ToolContext): string[] {
  const prefixes = ctx.resolver.sessionPrefixes.flatMap((name) => SPELLINGS[name] ?? [name]);
  prefixes.push('skills', 'tool-output');
  const isRouted = (text: string) =>
    text.startsWith('workspace:') || prefixes.some((prefix) => text.startsWith(`${prefix}/`));
  const absolute = (text: string) =>
    ctx.session.environment.mapIn(ctx.resolve(text, 'read').absolute);
  return args.map((text) => {
    if (isRouted(text)) return absolute(text);
    const option = /^(--[A-Za-z0-9][A-Za-z0-9_-]*=)(.+)$/s.exec(text);
    const [, name = '', value = ''] = option ?? [];
    return isRouted(value) ? name + absolute(value) : text;
  });
}
