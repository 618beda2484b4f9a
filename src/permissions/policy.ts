import { isAbsolute, posix } from 'node:path';
import { issueGrant } from '../workspace/grant.ts';
import { placeInRoots } from '../workspace/inside-roots.ts';
import type { PermissionClass } from '../workspace/types.ts';
import { destructivePart, escapesRules, permitLine } from './command-verdict.ts';
import { requestDigest } from './digest.ts';
import { hardDenial, protectedWrites, secretPaths } from './hard-denials.ts';
import { isInside } from './inside.ts';
import { cellOf } from './matrix.ts';
import { offeredRule } from './offered-rule.ts';
import { concerns, formsOf, type MatchContext, permits, touches } from './rule-match.ts';
import { parseRule, type Rule } from './rules.ts';
import { parseShellLine, type ShellLine } from './shell-words.ts';
import type {
  Decision,
  PermissionMode,
  PermissionPolicy,
  PermissionRequest,
  PolicyOptions,
} from './types.ts';

/** One finding on the way to a decision; `errorKind` matters for denials only. */
interface Verdict {
  readonly outcome: Decision['outcome'];
  readonly by: string;
  readonly reason: string;
  readonly rule?: Rule;
  readonly errorKind?: Decision['errorKind'];
  /** False: an answer holds for this call only. */
  readonly mayStore?: boolean;
}

/** Builds the policy of a session. Throws ConfigError for a rule that is malformed or names nothing known. */
export function createPolicy(options: PolicyOptions): PermissionPolicy {
  const parsed = options.rules.map((source) => parseRule(source, options.knownTools));
  const counted = parsed.filter(
    ({ source }) => source.list !== 'allow' || source.scope !== 'project',
  );
  return new Policy(options, counted);
}

class Policy implements PermissionPolicy {
  mode: PermissionMode;
  private readonly options: PolicyOptions;
  private readonly rules: Rule[];

  constructor(options: PolicyOptions, rules: readonly Rule[]) {
    this.mode = options.mode;
    this.options = options;
    this.rules = [...rules];
  }

  decide(request: PermissionRequest): Decision {
    try {
      const line = request.command === undefined ? null : parseShellLine(request.command);
      return this.finish(request, line, this.verdict(request, line));
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      return this.finish(request, null, {
        outcome: 'deny',
        by: 'hard:exception',
        reason: `the permission check failed (${what}), so the call is refused`,
        errorKind: 'policy_denied',
      });
    }
  }

  /** Hard denials, deny rules, ask rules and protected paths, allow rules, mode: the first that speaks decides. */
  private verdict(request: PermissionRequest, line: ShellLine | null): Verdict {
    const context: MatchContext = { request, workspace: this.options.workspace, line };
    return (
      this.hard(request) ??
      this.denied(context) ??
      this.asked(context) ??
      this.allowed(context) ??
      this.byMode(context)
    );
  }

  private hard(request: PermissionRequest): Verdict | null {
    const place = { home: this.options.home, configFiles: this.options.configFiles ?? [] };
    const reason = hardDenial(request, place);
    if (reason !== null)
      return { outcome: 'deny', by: 'hard:path', reason, errorKind: 'path_denied' };
    for (const index of secretPaths(request)) {
      if (this.secretIsNamed(request, index)) continue;
      const name = request.paths[index]?.logical ?? '';
      return {
        outcome: 'deny',
        by: 'hard:secret',
        reason: `${name} has the name of a secret file; only a rule in the user file can open it`,
        errorKind: 'path_denied',
      };
    }
    return null;
  }

  /** A user-scope allow rule whose pattern names this very file opens a secret name; one on a folder does not. */
  private secretIsNamed(request: PermissionRequest, index: number): boolean {
    const path = request.paths[index];
    if (path === undefined) return false;
    const forms = formsOf(path, request.realPaths[index] ?? path.absolute, this.options.workspace);
    return this.secretRules().some(
      ({ rule, glob }) => concerns(rule, request) && forms.every((form) => glob.matches(form)),
    );
  }

  private secretRules() {
    return this.list('allow').flatMap((rule) => {
      const byUser = rule.source.scope === 'user' || rule.source.scope === 'managed';
      const named = rule.pattern.kind === 'path' && rule.pattern.glob.specific;
      return byUser && named ? [{ rule, glob: rule.pattern.glob }] : [];
    });
  }

  opensSecret(absolute: string): boolean {
    const { workspace } = this.options;
    const logical = isInside(absolute, workspace) ? posix.relative(workspace, absolute) : absolute;
    return this.secretRules().some(({ glob }) => glob.matches({ absolute, logical }));
  }

  private denied(context: MatchContext): Verdict | null {
    const rule = this.list('deny').find((candidate) => touches(candidate, context));
    if (rule === undefined) return null;
    return {
      outcome: 'deny',
      by: `rule:${rule.source.text}`,
      reason: `the deny rule ${rule.source.text} (${rule.source.scope} scope) forbids it; only what the rule does not name is possible`,
      rule,
      errorKind: 'policy_denied',
    };
  }

  private asked(context: MatchContext): Verdict | null {
    const rule = this.list('ask').find((candidate) => touches(candidate, context));
    if (rule !== undefined) {
      const reason = `the ask rule ${rule.source.text} (${rule.source.scope} scope) wants a person to decide`;
      return { outcome: 'ask', by: `rule:${rule.source.text}`, reason, rule, mayStore: false };
    }
    const { request, line } = context;
    if (line !== null && request.class === 'shell' && escapesRules(this.rules, request, line)) {
      const why = line.analysable ? 'shell text inside it' : line.reason;
      const reason = `rules on commands exist and this line cannot be checked against them (${why})`;
      return { outcome: 'ask', by: 'rule:unanalysable', reason, mayStore: false };
    }
    return this.protectedAsk(request);
  }

  private protectedAsk(request: PermissionRequest): Verdict | null {
    const [first] = protectedWrites(request);
    if (first === undefined || this.mode === 'bypass') return null;
    const name = request.paths[first]?.logical ?? '';
    const reason = `${name} is protected: it configures or runs something`;
    if (this.mode === 'read-only') return null;
    return { outcome: 'ask', by: 'protected', reason, mayStore: false };
  }

  private allowed(context: MatchContext): Verdict | null {
    const { request, line } = context;
    if (this.mode === 'read-only' && cellOf(request.class, this.mode, true) === 'deny') return null;
    if (request.class === 'review') return null;
    const allows = this.list('allow');
    const rule =
      allows.find((candidate) => permits(candidate, context)) ??
      (line === null ? null : permitLine(allows, request, line, this.place(request)).rule);
    if (rule === null) return null;
    const reason = `the allow rule ${rule.source.text} (${rule.source.scope} scope) covers it`;
    return { outcome: 'allow', by: `rule:${rule.source.text}`, reason, rule };
  }

  private byMode(context: MatchContext): Verdict {
    const { request, line } = context;
    const cell = cellOf(request.class, this.mode, this.options.sandboxed);
    const by = `mode:${this.mode}`;
    const says = (what: string) => `permission mode ${this.mode} ${what}`;
    if (cell === 'allow') return { outcome: 'allow', by, reason: says('allows it') };
    if (cell === 'deny') {
      const reason = says(`forbids class ${request.class}; only looking is possible`);
      return { outcome: 'deny', by, reason, errorKind: 'permission_denied' };
    }
    if (cell === 'allow-but-destructive') {
      const what = destructivePart(request, this.options.workspace);
      if (what === null) return { outcome: 'allow', by, reason: says('allows it') };
      return { outcome: 'ask', by, reason: `it ${what}`, mayStore: false };
    }
    if (cell === 'vetted' && this.isVetted(request, line)) {
      return { outcome: 'allow', by: 'mode:vetted', reason: 'it only looks at files in the roots' };
    }
    const why = line !== null && !line.analysable ? ` (the line has ${line.reason})` : '';
    return { outcome: 'ask', by, reason: says(`asks for class ${request.class}${why}`) };
  }

  private isVetted(request: PermissionRequest, line: ShellLine | null): boolean {
    if (line === null) return request.arguments.restart === true;
    return permitLine([], request, line, this.place(request)).vetted;
  }

  private place(request: PermissionRequest) {
    const roots = this.options.roots ?? [this.options.workspace];
    return {
      cwd: request.cwd,
      roots: roots.filter((root) => isAbsolute(root)),
      trusted: this.options.sandboxed || this.options.trusted === true,
      behindLinks: (absolute: string) => placeInRoots(absolute, roots),
    };
  }

  /** Turns a verdict into the decision; with nobody to ask, a question is a denial. */
  private finish(request: PermissionRequest, line: ShellLine | null, verdict: Verdict): Decision {
    const source = verdict.rule?.source ?? null;
    const offer = verdict.outcome === 'ask' && verdict.mayStore !== false;
    const offered = offer ? offeredRule(request, line) : { text: null, always: false };
    const base = {
      by: verdict.by,
      rule: source?.text ?? null,
      scope: source?.scope ?? null,
      offeredRule: offered.text,
      alwaysPossible: offered.always,
    };
    if (verdict.outcome === 'ask' && !this.options.person) {
      const hint = offered.text === null ? '' : `; the rule ${offered.text} would allow it`;
      const reason = `${verdict.reason}, and nobody can be asked here${hint}`;
      return { ...base, outcome: 'deny', reason, errorKind: 'permission_denied' };
    }
    const errorKind = verdict.outcome === 'deny' ? (verdict.errorKind ?? 'policy_denied') : null;
    return { ...base, outcome: verdict.outcome, reason: verdict.reason, errorKind };
  }

  digest(request: PermissionRequest): string {
    return requestDigest(request, this.options);
  }

  grantFor(request: PermissionRequest, approvedProtected: readonly string[]) {
    return issueGrant({
      callId: request.callId,
      tool: request.tool,
      class: request.class,
      origin: 'gate',
      digest: this.digest(request),
      protectedPaths: approvedProtected,
    });
  }

  addSessionRule(text: string): void {
    const rule = parseRule({ text, list: 'allow', scope: 'session' }, this.options.knownTools);
    this.rules.push(rule);
  }

  setMode(mode: PermissionMode): void {
    this.mode = mode;
  }

  impossible(tool: string, classes: readonly PermissionClass[]): boolean {
    return classes.every((name) => {
      const forbidden = this.list('deny').some(
        (rule) =>
          rule.pattern.kind === 'any' && concerns(rule, { tool, class: name } as PermissionRequest),
      );
      return forbidden || cellOf(name, this.mode, this.options.sandboxed) === 'deny';
    });
  }

  private list(list: Rule['source']['list']): Rule[] {
    return this.rules.filter((rule) => rule.source.list === list);
  }
}
