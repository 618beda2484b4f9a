import { posix } from 'node:path';
import type { ResolvedPath } from '../workspace/types.ts';
import { coversCommand } from './command-pattern.ts';
import { isInside } from './inside.ts';
import type { Rule, RulePattern } from './rules.ts';
import type { ShellLine } from './shell-words.ts';
import { comparableName } from './tool-name.ts';
import type { PermissionRequest } from './types.ts';

export interface MatchContext {
  readonly request: PermissionRequest;
  readonly workspace: string;
  /** The analysed command line of a shell call. */
  readonly line: ShellLine | null;
}

/** Whether a rule speaks of this tool at all, patterns aside. */
export function concerns(rule: Rule, request: PermissionRequest): boolean {
  if (rule.subject.class !== undefined) return rule.subject.class === request.class;
  return comparableName(rule.subject.tool) === comparableName(request.tool);
}

/** Deny and ask rules: one matching path, command, host or name is enough. */
export function touches(rule: Rule, context: MatchContext): boolean {
  if (!concerns(rule, context.request)) return false;
  const { pattern } = rule;
  if (pattern.kind === 'any') return true;
  if (pattern.kind === 'path') {
    return pathForms(context).some((forms) => forms.some((form) => pattern.glob.matches(form)));
  }
  if (pattern.kind === 'command') {
    if (context.line === null || !context.line.analysable)
      return pattern.command.words.length === 0;
    return context.line.commands.some(({ words }) => coversCommand(pattern.command, words).covered);
  }
  return namesMatch(pattern, context.request);
}

/** Allow rules but those on commands, which need the whole line: literal and resolved path must both match. */
export function permits(rule: Rule, context: MatchContext): boolean {
  if (!concerns(rule, context.request)) return false;
  const { pattern } = rule;
  if (pattern.kind === 'any') return true;
  if (pattern.kind === 'command') return false;
  if (pattern.kind === 'name') {
    const names = namedBy(context.request.arguments);
    return names.length > 0 && names.every((name) => name === pattern.name);
  }
  if (pattern.kind !== 'path') return namesMatch(pattern, context.request);
  const paths = pathForms(context);
  const all = paths.every((forms) => forms.every((form) => pattern.glob.matches(form)));
  return paths.length > 0 && all;
}

/** One path as rules see it: as written, and behind its links. */
export function formsOf(
  path: ResolvedPath,
  realPath: string,
  workspace: string,
): { absolute: string; logical: string }[] {
  return [
    { absolute: path.absolute, logical: logicalName(path.absolute, path, workspace) },
    { absolute: realPath, logical: logicalName(realPath, path, workspace) },
  ];
}

function pathForms({ request, workspace }: MatchContext) {
  return request.paths.map((path, index) =>
    formsOf(path, request.realPaths[index] ?? path.absolute, workspace),
  );
}

/** Relative to the workspace, or with the prefix of another root, or absolute when it is under none. */
function logicalName(absolute: string, path: ResolvedPath, workspace: string): string {
  if (isInside(absolute, workspace) && path.root.kind === 'workspace') {
    return posix.relative(workspace, absolute) || '.';
  }
  if (!isInside(absolute, path.root.path)) return absolute;
  return posix.join(path.root.logicalPrefix, posix.relative(path.root.path, absolute)) || '.';
}

function namesMatch(pattern: RulePattern, request: PermissionRequest): boolean {
  if (pattern.kind === 'domain') return domainMatches(pattern, request.arguments.url);
  if (pattern.kind === 'mcp') {
    const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(request.tool) ?? [];
    return server === pattern.server && (pattern.tool === null || tool === pattern.tool);
  }
  if (pattern.kind !== 'name') return false;
  return namedBy(request.arguments).includes(pattern.name);
}

function domainMatches(
  pattern: { readonly host: string; readonly subdomains: boolean },
  url: unknown,
): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  return host === pattern.host || (pattern.subdomains && host.endsWith(`.${pattern.host}`));
}

/** Names a call is about: the package, the skill, the agent kind. */
function namedBy(args: Readonly<Record<string, unknown>>): string[] {
  const values = ['packages', 'package', 'skill', 'agent_type', 'name'].map((key) => args[key]);
  return values
    .flat()
    .filter((value) => typeof value === 'string')
    .map((value) => value.toLowerCase().replace(/[=<>!~ ;[].*$/s, ''));
}
