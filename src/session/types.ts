/**
 * The seam of the session room: the durable log, its readers, and the folder layout.
 */
import type {
  DurableEvent,
  DurablePayloads,
  DurableType,
  EventScope,
  SessionEvent,
  TransientPayloads,
  TransientType,
} from './events.ts';

/** Rooms above that may not import the model layer take its vocabulary from here. */
export type { ImageBlock, JsonObject, JsonValue, LLMUsage, ToolCall } from '../llm/types.ts';

/** The receipt of one append. Both promises reject with ToolwrightError `log_failed` once the log has failed. */
export interface Appended {
  readonly seq: number;
  readonly event: DurableEvent;
  /** The `write` holding the line returned. Whoever asks makes it happen at once; else it is done a moment later. */
  readonly written: Promise<void>;
  /** An `fdatasync` covering the line returned without error. */
  readonly acknowledged: Promise<void>;
}

export type EventListener = (event: SessionEvent) => void;

/**
 * Append-only truth of one session. `append` is synchronous and cheap (the line is queued for the next batch:
 * one write, one fdatasync in flight). Known secrets are redacted and values over 64 KiB moved to blobs before
 * the line is made. Durable events reach listeners when acknowledged and in order; transient ones at once.
 * After a write or sync error the log has failed for good: nothing more is acknowledged.
 */
export interface EventLog {
  readonly sessionId: string;
  readonly failed: Error | null;
  /** The disk is full and the reserved space is in use: the run must end now. */
  readonly diskFull?: boolean;
  append<T extends DurableType>(scope: EventScope, type: T, payload: DurablePayloads[T]): Appended;
  emit<T extends TransientType>(scope: EventScope, type: T, payload: TransientPayloads[T]): void;
  /** A throwing listener is removed, with one `warning` event. Returns the unsubscribe function. */
  subscribe(listener: EventListener): () => void;
  /** Resolves when everything appended so far is acknowledged. */
  flush(): Promise<void>;
  /** All durable events so far, blobs put back, in order. */
  events(): Promise<DurableEvent[]>;
  close(): Promise<void>;
}

/** Folders of one session (cli.md section 5), all absolute. */
export interface SessionPaths {
  readonly home: string;
  readonly user: string;
  readonly root: string;
  readonly input: string;
  readonly output: string;
  readonly scratchpad: string;
  /** `.session/`: never visible to tools. */
  readonly state: string;
  readonly events: string;
  readonly audit: string;
  readonly blobs: string;
  readonly toolOutput: string;
  readonly venv: string;
}

/** Replaces known secret values (all their encoded forms) by `[redacted:NAME]`. */
export interface Redactor {
  add(name: string, value: string): void;
  /** Known values only: log, spill, model input, terminal. */
  text(value: string): string;
  /** Known values and key-shaped patterns: audit, errors, trajectory, recording, exports. */
  strict(value: string): string;
  /** Redacts every string in a JSON-like value; the same object when nothing changed. */
  value<T>(value: T, level: 'known' | 'strict'): T;
  /** A stateful redactor for chunks of one stream: holds back only a tail that could begin a secret. */
  stream(): { push(text: string): string; end(): string };
}

export type AuditActor = 'user' | 'model' | 'policy' | 'hook' | 'system';
export type AuditEventName =
  | 'permission'
  | 'approval'
  | 'exec'
  | 'file'
  | 'net'
  | 'mcp'
  | 'trust'
  | 'config'
  | 'review'
  | 'secret'
  | 'lock'
  | 'server';

/** One audit line without `v seq ts user session prev hash`, which the writer adds (safety.md section 10). */
export interface AuditEntry {
  readonly run_id: string | null;
  readonly step: number | null;
  readonly call_id: string | null;
  readonly actor: AuditActor;
  readonly event: AuditEventName;
  readonly tool?: string;
  readonly class?: string;
  readonly decision?: string;
  readonly rule?: string | null;
  readonly scope?: string | null;
  readonly mode?: string;
  readonly sandbox?: { readonly kind: string; readonly network: boolean; readonly uid: number };
  readonly args_sha256?: string;
  /** At most 512 characters; redacted by the writer. */
  readonly args_preview?: string;
  readonly paths?: readonly { readonly logical: string; readonly resolved: string }[];
  readonly before_sha256?: string | null;
  readonly after_sha256?: string | null;
  readonly exit_code?: number | null;
  readonly signal?: string | null;
  readonly duration_ms?: number;
  readonly bytes?: number;
  readonly error_kind?: string | null;
  readonly approval_id?: string;
}

/** Hash-chained. `write` resolves when the line is written; rejects when it cannot be, and stays failed. */
export interface AuditLog {
  write(entry: AuditEntry): Promise<void>;
  /** Last line's number and hash; seq 0 and 64 zeros when empty. */
  head(): { readonly seq: number; readonly hash: string };
  /** Resolves when everything written so far is synced; called before `head()` is recorded as an anchor. */
  flush?(): Promise<void>;
  close(): Promise<void>;
}
