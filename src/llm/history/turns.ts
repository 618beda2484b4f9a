import type {
  DocumentBlock,
  ImageBlock,
  JsonObject,
  JsonValue,
  OpaqueBlock,
  ReasoningBlock,
  RefusalBlock,
  TextBlock,
} from '../types.ts';

/** A call as a request carries it. */
export interface NormalisedCall {
  readonly type: 'tool_call';
  readonly wireId: string;
  /** The wire id is the very id the provider gave; false when it gave none or it had to be replaced. */
  readonly echoed: boolean;
  readonly wireName: string;
  /** Text of one JSON object. */
  readonly argumentsText: string;
  /** The same as an object, parsed at each access. */
  readonly argumentsObject: JsonObject;
}

export interface NormalisedResult {
  readonly wireId: string;
  readonly echoed: boolean;
  /** The name of the call on the wire. */
  readonly name: string;
  readonly success: boolean;
  readonly text: string;
  /** Only where the vendor takes images inside results. */
  readonly images: readonly ImageBlock[];
}

export type UserBlock = TextBlock | ImageBlock | DocumentBlock;
export type AssistantBlock =
  | TextBlock
  | ReasoningBlock
  | NormalisedCall
  | RefusalBlock
  | OpaqueBlock;

export interface UserTurn {
  readonly role: 'user';
  /** One for each call of the turn before, in call order; leading on the wire. */
  readonly results: readonly NormalisedResult[];
  readonly blocks: readonly UserBlock[];
}
export interface AssistantTurn {
  readonly role: 'assistant';
  readonly blocks: readonly AssistantBlock[];
  /** The provider's own form, to be sent unchanged instead of the blocks. */
  readonly raw?: JsonValue;
}

/**
 * A turn of a request. The same stored messages give the same object in every request as long as nothing about
 * them changed, so an encoder may keep its bytes in a WeakMap beside it.
 */
export type NormalisedTurn = UserTurn | AssistantTurn;
