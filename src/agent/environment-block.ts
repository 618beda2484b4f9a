import { TextReader } from './instructions/text-reader.ts';

export interface EnvironmentFacts {
  /** As the tools see it. */
  readonly workspace: string;
  /** Top of the repository, or null. */
  readonly repository: string | null;
  readonly head: GitHead | null;
  readonly sandbox: string;
  readonly network: boolean;
  readonly mode: string;
  readonly sessionPrefixes: readonly string[];
  readonly date: Date;
}

export interface GitHead {
  readonly branch: string | null;
  /** Short commit name, or null before the first commit. */
  readonly commit: string | null;
}

/** What the model should know about where it works. No user or host name, time of day, id or variable. */
export function environmentBlock(facts: EnvironmentFacts): string {
  const prefixes = facts.sessionPrefixes.map((prefix) => `${prefix}/`).join(' ');
  return [
    '[Environment]',
    `system: ${process.platform} ${process.arch}, shell bash`,
    `workspace: ${facts.workspace}`,
    `git: ${gitLine(facts)}`,
    `sandbox: ${facts.sandbox}, network ${facts.network ? 'on' : 'off'}, permission mode ${facts.mode}`,
    ...(prefixes === '' ? [] : [`session folders, besides the workspace: ${prefixes}`]),
    `date: ${facts.date.toISOString().slice(0, 10)}`,
  ].join('\n');
}

function gitLine({ repository, head, workspace }: EnvironmentFacts): string {
  if (repository === null) return 'no';
  const top = repository === workspace ? '' : `, top ${repository}`;
  const branch = head?.branch ?? 'detached';
  const commit = head?.commit ?? 'no commit yet';
  return head === null ? `yes${top}` : `yes, ${branch} at ${commit}${top}`;
}

/** Branch and commit from the git directory's files; null when they cannot be read, as in a linked worktree. */
export async function readGitHead(top: string): Promise<GitHead | null> {
  const reader = new TextReader(`${top}/.git`);
  try {
    const head = await line(reader, 'HEAD');
    if (head === null) return null;
    const ref = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
    if (ref === undefined) return { branch: null, commit: short(head) };
    const commit = (await line(reader, ref)) ?? (await packed(reader, ref));
    return { branch: ref.replace(/^refs\/heads\//, ''), commit: short(commit) };
  } catch {
    return null;
  } finally {
    reader.close();
  }
}

async function line(reader: TextReader, path: string): Promise<string | null> {
  const file = await reader.read(path);
  return file.kind === 'text' ? (file.text.split('\n')[0]?.trim() ?? null) : null;
}

async function packed(reader: TextReader, ref: string): Promise<string | null> {
  const file = await reader.read('packed-refs');
  if (file.kind !== 'text') return null;
  const row = file.text.split('\n').find((text) => text.endsWith(` ${ref}`));
  return row?.split(' ')[0] ?? null;
}

function short(commit: string | null): string | null {
  return commit !== null && /^[0-9a-f]{40,64}$/.test(commit) ? commit.slice(0, 7) : null;
}
