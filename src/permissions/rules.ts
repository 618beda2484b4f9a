import { ConfigError } from '../errors.ts';
import { PERMISSION_CLASSES, type PermissionClass } from '../workspace/types.ts';
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts';
import { didYouMean, nearestNames } from './nearest.ts';
import { compilePathPattern, type PathPattern } from './path-pattern.ts';
import { comparableName } from './tool-name.ts';
import type { RuleSource } from './types.ts';

export type RulePattern =
  | { readonly kind: 'any' }
  | { readonly kind: 'path'; readonly glob: PathPattern }
  | { readonly kind: 'command'; readonly command: CommandPattern }
  | { readonly kind: 'domain'; readonly host: string; readonly subdomains: boolean }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string | null }
  | { readonly kind: 'name'; readonly name: string };

export interface Rule {
  readonly source: RuleSource;
  /** What it is about: one tool, or every tool of a class. */
  readonly subject:
    | { readonly tool: string; readonly class?: never }
    | { readonly class: PermissionClass; readonly tool?: never };
  readonly pattern: RulePattern;
}

const FORM = /^(class:)?([A-Za-z][A-Za-z0-9_.:/ -]*?)\s*(?:\((.*)\))?$/s;
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const DOMAIN_TOOLS = new Set(['webfetch', 'websearch']);
const NAME_TOOLS = new Set(['pythonpackage', 'skill', 'agent', 'workflowrun']);
const COMMAND_TOOLS = new Set(['bash']);

/** Parses a rule. Throws ConfigError naming the rule, its list and scope, and the nearest known name. */
export function parseRule(source: RuleSource, knownTools: readonly string[]): Rule {
  const text = source.text.trim();
  const parts = FORM.exec(text);
  if (parts === null) fail(source, 'is not TOOL, TOOL(PATTERN) or class:NAME(PATTERN)');
  const [, classMark, name = '', pattern] = parts;
  if (classMark !== undefined) {
    const found = PERMISSION_CLASSES.find((known) => known === name.toLowerCase());
    if (found === undefined) fail(source, unknown('class', name, PERMISSION_CLASSES));
    return {
      source,
      subject: { class: found },
      pattern: parsePattern(source, kindOfClass(found), pattern),
    };
  }
  const subject = toolSubject(source, name, knownTools);
  const kind = subject.class === undefined ? kindOfTool(subject.tool) : kindOfClass(subject.class);
  return { source, subject, pattern: parsePattern(source, kind, pattern) };
}

/** `mcp(server/tool)` speaks of the class; everything else names one tool, compared loosely. */
function toolSubject(
  source: RuleSource,
  name: string,
  knownTools: readonly string[],
): Rule['subject'] {
  if (name === 'mcp') return { class: 'mcp' };
  if (/^mcp__[A-Za-z0-9_-]+__[A-Za-z0-9_-]+$/.test(name)) return { tool: name };
  const wanted = comparableName(name);
  const found = [...new Set(knownTools)].filter((tool) => comparableName(tool) === wanted);
  const [tool] = found;
  if (tool === undefined) fail(source, unknown('tool', name, knownTools));
  if (found.length > 1) fail(source, `names more than one tool: ${found.join(', ')}`);
  return { tool };
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  const listing = nearestNames(name, known, 1).length > 0 ? near : `; known: ${known.join(', ')}`;
  return `names an unknown ${what} "${name}"${listing}`;
}

type PatternKind = 'path' | 'command' | 'domain' | 'mcp' | 'name' | 'none';

function kindOfTool(tool: string): PatternKind {
  const name = comparableName(tool);
  if (COMMAND_TOOLS.has(name)) return 'command';
  if (DOMAIN_TOOLS.has(name)) return 'domain';
  return NAME_TOOLS.has(name) ? 'name' : 'path';
}

function kindOfClass(name: PermissionClass): PatternKind {
  if (name === 'read' || name === 'write' || name === 'python') return 'path';
  if (name === 'shell') return 'command';
  if (name === 'network') return 'domain';
  if (name === 'mcp') return 'mcp';
  return name === 'package' ? 'name' : 'none';
}

function parsePattern(
  source: RuleSource,
  kind: PatternKind,
  text: string | undefined,
): RulePattern {
  if (text === undefined) return { kind: 'any' };
  const pattern = text.trim();
  if (pattern === '') fail(source, 'has an empty pattern');
  if (kind === 'none') fail(source, 'takes no pattern');
  if (kind === 'command') return commandPattern(source, pattern);
  if (kind === 'domain') return domainPattern(source, pattern);
  if (kind === 'mcp') return mcpPattern(source, pattern);
  if (kind === 'name') return { kind: 'name', name: pattern.toLowerCase() };
  const glob = compilePathPattern(pattern);
  if (glob === null) fail(source, `has a malformed path pattern "${pattern}"`);
  return { kind: 'path', glob };
}

function commandPattern(source: RuleSource, text: string): RulePattern {
  const command = parseCommandPattern(text);
  if (typeof command === 'string') fail(source, command);
  const byUser = source.scope === 'user' || source.scope === 'managed';
  if (source.list === 'allow' && command.broad && !byUser) {
    fail(source, 'lets any program run; only the user file or the command line may say so');
  }
  return { kind: 'command', command };
}

function domainPattern(source: RuleSource, text: string): RulePattern {
  const host = /^domain:(.+)$/.exec(text)?.[1]?.trim() ?? '';
  if (!HOST.test(host)) fail(source, 'needs domain:HOST or domain:*.HOST');
  const subdomains = host.startsWith('*.');
  return {
    kind: 'domain',
    host: host.replace(/^\*\./, '').toLowerCase().replace(/\.$/, ''),
    subdomains,
  };
}

function mcpPattern(source: RuleSource, text: string): RulePattern {
  const [server = '', tool, ...rest] = text.split('/');
  const fits = /^[A-Za-z0-9_.-]+$/.test(server) && (tool === undefined || tool !== '');
  if (!fits || rest.length > 0) fail(source, 'needs mcp(server) or mcp(server/tool)');
  return { kind: 'mcp', server, tool: tool ?? null };
}

function fail(source: RuleSource, why: string): never {
  throw new ConfigError(
    `permission rule "${source.text}" (permissions.${source.list}, ${source.scope} scope) ${why}`,
    { rule: source.text, list: source.list, scope: source.scope },
  );
}
