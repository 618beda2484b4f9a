import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalAnswer, PermissionGate } from '../../permissions/types.ts';
import type { SessionEvent } from '../../session/events.ts';
import { Agent } from '../agent.ts';
import type { AgentOptions } from '../types.ts';
import { type Script, ScriptedClient } from './scripted-client.ts';

/** Folders of one test and the Agents that work in them. */
export interface AgentPlace {
  readonly root: string;
  readonly work: string;
  readonly home: string;
  /** An Agent without a sandbox, in mode bypass, over a scripted model; it is closed with the place. */
  agent(script: readonly Script[], over?: Partial<AgentOptions>): PlacedAgent;
  /** Lines of the event log of a session. */
  logOf(sessionId: string): string[];
  remove(): Promise<void>;
}

export interface PlacedAgent {
  readonly agent: Agent;
  readonly client: ScriptedClient;
  readonly events: SessionEvent[];
}

export function agentPlace(): AgentPlace {
  const root = mkdtempSync(join(tmpdir(), 'agent-place-'));
  const work = join(root, 'work');
  const home = join(root, 'home');
  mkdirSync(work);
  const open: Agent[] = [];
  return {
    root,
    work,
    home,
    agent(script, over = {}) {
      const client = new ScriptedClient(script);
      const agent = new Agent({
        workspace: work,
        home,
        sandbox: 'none',
        permissionMode: 'bypass',
        modelClient: client,
        ...over,
      });
      const events: SessionEvent[] = [];
      agent.on((event) => events.push(event));
      open.push(agent);
      return { agent, client, events };
    },
    logOf: (sessionId) =>
      readFileSync(
        join(home, 'users', 'local', 'sessions', sessionId, '.session', 'events.jsonl'),
        'utf8',
      )
        .split('\n')
        .slice(0, -1),
    async remove() {
      await Promise.all(open.map((agent) => agent.close()));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A person who answers like this; `asked` counts the questions. */
export function personWho(answer: () => Promise<ApprovalAnswer>) {
  const gate = {
    asked: 0,
    person: true,
    ask(_card: unknown, signal: AbortSignal): Promise<ApprovalAnswer> {
      gate.asked += 1;
      const left = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return Promise.race([answer(), left]);
    },
  };
  return gate satisfies PermissionGate;
}

/** Never answers. */
export const hangs = (): Promise<never> => new Promise(() => undefined);
