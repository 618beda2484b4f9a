import { isAbsolute } from 'node:path';
import { allowsCommand, coversCommand } from './command-pattern.ts';
import { destructiveReason } from './destructive.ts';
import { concerns } from './rule-match.ts';
import type { Rule } from './rules.ts';
import type { ShellLine } from './shell-words.ts';
import type { PermissionRequest } from './types.ts';
import { type VettingPlace, vetCommands } from './vetted.ts';

/** Whether a deny or ask rule on commands exists whose reach cannot be told for this line. */
export function escapesRules(
  rules: readonly Rule[],
  request: PermissionRequest,
  line: ShellLine,
): boolean {
  const patterns = rules.flatMap((rule) =>
    rule.source.list !== 'allow' && rule.pattern.kind === 'command' && concerns(rule, request)
      ? [rule.pattern.command]
      : [],
  );
  if (patterns.length === 0) return false;
  if (!line.analysable) return true;
  return line.commands.some(({ words }) =>
    patterns.some((pattern) => !coversCommand(pattern, words).analysable),
  );
}

export interface CommandPermission {
  /** Every command is vetted. */
  readonly vetted: boolean;
  /** The allow rule that, with vetting, covers the whole line. */
  readonly rule: Rule | null;
}

/** Every simple command must be vetted or matched by an allow rule. */
export function permitLine(
  allows: readonly Rule[],
  request: PermissionRequest,
  line: ShellLine,
  place: VettingPlace,
): CommandPermission {
  const everything = allows.find(
    (rule) => rule.pattern.kind === 'command' && rule.pattern.command.words.length === 0,
  );
  if (everything !== undefined && concerns(everything, request)) {
    return { vetted: false, rule: everything };
  }
  if (!line.analysable || !isAbsolute(request.cwd)) return { vetted: false, rule: null };
  const vetted = vetCommands(line.commands, place);
  let used: Rule | null = null;
  const covered = line.commands.every((command, index) => {
    if (vetted[index] === true) return true;
    const rule = allows.find(
      (candidate) =>
        candidate.pattern.kind === 'command' &&
        concerns(candidate, request) &&
        allowsCommand(candidate.pattern.command, command),
    );
    used = rule ?? used;
    return rule !== undefined;
  });
  return { vetted: vetted.every(Boolean), rule: covered ? used : null };
}

/** What is destructive about the call's command, or null. */
export function destructivePart(request: PermissionRequest, workspace: string): string | null {
  return destructiveReason(request.command ?? '', { cwd: request.cwd, workspace });
}
