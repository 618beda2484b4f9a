/** A scripted model server for tests and benchmarks: what it answers is data. */

export type WireProtocol = 'chat' | 'responses' | 'anthropic';

export interface ScriptedCall {
  readonly name: string;
  /** An object is serialised; a string goes out as it is, valid or not. */
  readonly arguments: unknown;
  readonly id?: string;
}

/** One model turn, independent of the wire it leaves on. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finish?: 'stop' | 'tool_calls' | 'length' | 'refusal' | 'content_filter';
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
}

/** What happens on the socket, in order. */
export type Write =
  | Uint8Array
  | string
  | { readonly sleep: number }
  | { readonly destroy: true }
  | { readonly hang: true };

export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly writes: readonly Write[];
}

export type Reply = ScriptedTurn | RawReply;

export interface RecordedRequest {
  readonly ordinal: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly json: Record<string, unknown>;
  readonly protocol: WireProtocol;
  /** Assistant turns already in the history that was sent. */
  readonly turn: number;
  readonly at: number;
  /** The vendor's words when strict mode refused it. */
  readonly refused: string | null;
}

export interface FakeModelOptions {
  /** By request: an array is read by the number of assistant turns in the history, a function decides itself. */
  readonly script: readonly Reply[] | ((request: RecordedRequest) => Reply);
  /** Check each request as the vendor would and answer 400 in its words. Default true. */
  readonly strict?: boolean;
  /** Sizes of the pieces bytes are sent in; absent: whole. */
  readonly split?: (length: number) => readonly number[];
  /** Milliseconds before the first byte of each answer. */
  readonly delay?: number;
}

export interface FakeModel {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** Texts of the requests strict mode refused; a good client leaves this empty. */
  readonly refusals: readonly string[];
  close(): Promise<void>;
}
