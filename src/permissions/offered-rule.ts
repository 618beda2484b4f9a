import { quoteWord, type ShellLine } from './shell-words.ts';
import { INTERPRETERS, programName, SHELLS, WRAPPERS } from './shell-wrappers.ts';
import type { PermissionRequest } from './types.ts';

export interface OfferedRule {
  readonly text: string | null;
  /** Whether it may be stored in the user file, not only for this session. */
  readonly always: boolean;
}

const NOTHING: OfferedRule = { text: null, always: false };

/** The narrowest rule that would have allowed this call; never one that lets any program run. */
export function offeredRule(request: PermissionRequest, line: ShellLine | null): OfferedRule {
  if (request.class === 'shell') return commandRule(request, line);
  if (request.class === 'write') return folderRule(request);
  if (request.class === 'network') return domainRule(request);
  if (request.class === 'mcp') return mcpRule(request);
  if (request.class === 'python') return { text: request.tool, always: false };
  return NOTHING;
}

function commandRule(request: PermissionRequest, line: ShellLine | null): OfferedRule {
  if (line === null || !line.analysable) return NOTHING;
  const [command, ...more] = line.commands;
  if (command === undefined || more.length > 0) return NOTHING;
  const program = programName(command.words[0] ?? '');
  if ([WRAPPERS, SHELLS, INTERPRETERS].some((names) => names.has(program))) return NOTHING;
  const words = command.words.map(quoteWord).join(' ');
  return { text: `${request.tool}(${words})`, always: command.words.length >= 2 };
}

function folderRule(request: PermissionRequest): OfferedRule {
  const [path, ...more] = request.paths;
  if (path === undefined || more.length > 0 || path.root.kind !== 'workspace') return NOTHING;
  if (path.segments.some((name) => /[\\*?[\]{}()!+@|~\s]/.test(name))) return NOTHING;
  const folder = path.segments.slice(0, -1).join('/');
  const pattern = folder === '' ? `./${path.segments.join('/')}` : `./${folder}/**`;
  return { text: `class:write(${pattern})`, always: true };
}

function domainRule(request: PermissionRequest): OfferedRule {
  const { url } = request.arguments;
  if (typeof url !== 'string' || !URL.canParse(url)) return NOTHING;
  const host = new URL(url).hostname;
  if (!/^[a-z0-9.-]+$/i.test(host)) return NOTHING;
  return { text: `${request.tool}(domain:${host})`, always: true };
}

function mcpRule(request: PermissionRequest): OfferedRule {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(request.tool) ?? [];
  return server === undefined ? NOTHING : { text: `mcp(${server}/${tool})`, always: true };
}
