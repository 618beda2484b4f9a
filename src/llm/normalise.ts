import { alternateTurns } from './history/alternate.ts';
import { flattenTurn } from './history/flatten.ts';
import { createGrowingFold } from './history/growing-fold.ts';
import { limitImages } from './history/limit-images.ts';
import { describeNotes } from './history/notes.ts';
import { createAssistantProjector, type Target } from './history/project-assistant.ts';
import { createUserProjector } from './history/project-user.ts';
import { callsOf, repairMessages } from './history/repair-messages.ts';
import type { AssistantTurn, NormalisedTurn, UserTurn } from './history/turns.ts';
import type { Profile } from './profile-types.ts';
import type { LLMMessage, Protocol, ToolChoice, ToolSpec } from './types.ts';
import { createWireIds, type WireIds } from './wire-ids.ts';

export { repairMessages } from './history/repair-messages.ts';
export type {
  AssistantBlock,
  AssistantTurn,
  NormalisedCall,
  NormalisedResult,
  NormalisedTurn,
  UserBlock,
  UserTurn,
} from './history/turns.ts';

export interface NormaliseInput {
  readonly messages: readonly LLMMessage[];
  readonly profile: Profile;
  readonly tools: readonly ToolSpec[];
  /** Of the endpoint and model the request goes to. */
  readonly replayKey: string;
  readonly protocol: Protocol;
  readonly toolChoice: ToolChoice;
}

export interface NormalisedHistory {
  /** Starts and ends with a user turn; every call has its result in the turn behind it. */
  readonly turns: readonly NormalisedTurn[];
  /** The tools to offer, before their schemas are reduced. */
  readonly tools: readonly ToolSpec[];
  readonly choice: ToolChoice;
  /** Tool turns were turned into plain text. */
  readonly flattened: boolean;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/**
 * A history as one endpoint accepts it. A pure function of its input; stored messages are never changed.
 * Appending messages leaves earlier turns as they were (the same objects), except where a vendor's limits on
 * images or alternating roles reach back.
 */
export function normaliseHistory(input: NormaliseInput): NormalisedHistory {
  const repaired = repairMessages(input.messages);
  const limited = limitImages(
    projectMessages(repaired.messages, input),
    input.profile.images.limits,
  );
  const hasToolTurns = repaired.messages.some((message) => callsOf(message).length > 0);
  const offer = chooseTools(input, hasToolTurns);
  const flat = offer.flattened ? limited.turns.map(flattenTurn) : limited.turns;
  const framed = frameTurns(flat);
  return {
    turns: input.profile.alternate ? alternateTurns(framed) : framed,
    ...offer,
    warnings: [
      ...(repaired.notes.size > 0
        ? [{ code: 'history_repaired', message: describeNotes(repaired.notes) }]
        : []),
      ...limited.removed.map((message) => ({ code: 'image_removed', message })),
    ],
  };
}

/** The turns made of messages so far. */
interface Projection {
  readonly turns: NormalisedTurn[];
  readonly ids: WireIds;
  before: AssistantTurn | null;
}

type Project = (messages: readonly LLMMessage[]) => Projection;

const projections = new WeakMap<Profile, Map<string, Project>>();

/** The work done on each message is kept, so there is one projection per profile and replay key. */
function projectionFor(target: Target): Project {
  const ofProfile = projections.get(target.profile) ?? new Map<string, Project>();
  projections.set(target.profile, ofProfile);
  const key = `${target.protocol} ${target.replayKey}`;
  const made = ofProfile.get(key) ?? createProjection(target);
  ofProfile.set(key, made);
  return made;
}

function createProjection(target: Target): Project {
  const assistant = createAssistantProjector(target);
  const user = createUserProjector(target.profile);
  return createGrowingFold<LLMMessage, Projection>(
    () => ({ turns: [], ids: createWireIds({ rule: target.profile.idRule }), before: null }),
    (projection, message) => {
      const { turns, ids, before } = projection;
      const turn: AssistantTurn | UserTurn | null =
        message.role === 'assistant'
          ? assistant.project(message, ids)
          : user.project(message, before);
      projection.before = turn?.role === 'assistant' ? turn : null;
      if (turn !== null) turns.push(turn);
    },
  );
}

function projectMessages(messages: readonly LLMMessage[], input: NormaliseInput): NormalisedTurn[] {
  const { profile, protocol, replayKey } = input;
  return [...projectionFor({ profile, protocol, replayKey })(messages).turns];
}

const CONTINUED: UserTurn = plainTurn('(continued)');
const CONTINUE: UserTurn = plainTurn('Continue.');

function plainTurn(text: string): UserTurn {
  return { role: 'user', results: [], blocks: [{ type: 'text', text }] };
}

/** A conversation starts and ends on the user's side. */
function frameTurns(turns: readonly NormalisedTurn[]): readonly NormalisedTurn[] {
  const startsWell = turns[0]?.role === 'user';
  const endsWell = turns.length === 0 || turns.at(-1)?.role === 'user';
  return startsWell && endsWell
    ? turns
    : [...(startsWell ? [] : [CONTINUED]), ...turns, ...(endsWell ? [] : [CONTINUE])];
}

/**
 * What is offered when no tool may be called. Vendors differ: most take the tools with choice none, some want
 * no tools, and some then refuse earlier tool turns, which become text.
 */
function chooseTools(
  { tools, toolChoice, profile }: NormaliseInput,
  hasToolTurns: boolean,
): Pick<NormalisedHistory, 'tools' | 'choice' | 'flattened'> {
  if (tools.length > 0 && toolChoice !== 'none') {
    return { tools, choice: toolChoice, flattened: false };
  }
  const keepsTurns = profile.choiceNone === 'drop_tools' || !hasToolTurns;
  if (profile.choiceNone === 'send') {
    return { tools, choice: 'none', flattened: hasToolTurns && tools.length === 0 };
  }
  return { tools: [], choice: 'none', flattened: !keepsTurns };
}
