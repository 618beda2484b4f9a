/**
 * A profile: everything that sets one vendor's endpoint apart, as plain JSON data without functions.
 * Any field can be overridden in the configuration (`quirks`), so a new endpoint needs no code.
 */
import type { Protocol } from './types.ts';

export type SchemaDialect = 'plain' | 'openai_strict' | 'anthropic' | 'gemini' | 'portable';

/** Which names may stand on the wire. `pattern` is the source of a regular expression over the whole name. */
export interface NameRule {
  readonly pattern: string;
  /** Most characters. */
  readonly max: number;
}

/** Which tool-call ids may stand on the wire. */
export interface IdRule {
  readonly pattern: string;
  /** Length a hashed id is cut to. */
  readonly max: number;
  /** Send the provider's own id back verbatim under the same replay key. */
  readonly echo: boolean;
}

export interface ImageRules {
  readonly input: boolean;
  /** Where an image of a tool result goes: inside the result, a user message after the results, or a text. */
  readonly toolResults: 'inline' | 'user_message' | 'placeholder';
  readonly limits: {
    /** Bytes of one image, decoded. */
    readonly bytes: number;
    /** Longest side in pixels. */
    readonly pixels: number;
    /** Images in one request. */
    readonly count: number;
    /** Above this many images each may have at most `manyPixels` a side. */
    readonly many: number;
    readonly manyPixels: number;
  };
}

/** How a request asks for reasoning. */
export type ReasoningStyle =
  /** Nothing is sent. */
  | 'none'
  /** `reasoning_effort: "low" | ...` */
  | 'effort'
  /** Responses: `reasoning {effort, summary}` with encrypted content included. */
  | 'responses'
  /** OpenRouter: `reasoning {effort}` or `reasoning {max_tokens}`. */
  | 'openrouter'
  /** `enable_thinking`, `thinking_budget`. */
  | 'enable_thinking'
  /** `thinking {type}`. */
  | 'thinking'
  /** `thinking {type, clear_thinking: false}`. */
  | 'thinking_kept'
  /** `thinking {type}` and `reasoning_effort`. */
  | 'thinking_effort'
  /** Anthropic: `thinking {type: enabled, budget_tokens}`. */
  | 'anthropic_budget'
  /** Anthropic: `thinking {type: adaptive}` and `output_config.effort`. */
  | 'anthropic_adaptive'
  /** Gemini: `thinkingConfig.thinkingBudget`. */
  | 'gemini_budget'
  /** Gemini: `thinkingConfig.thinkingLevel`. */
  | 'gemini_level'
  /** Ollama: `think`. */
  | 'ollama';

export interface ReasoningRules {
  /** Fields read, of several in one delta the first listed counts. */
  readonly read: readonly string[];
  /** The field sent back, or null for none. */
  readonly send: string | null;
  readonly when: 'never' | 'tool_turns' | 'always';
  /** Sent where `when` demands the field and none was recorded. */
  readonly filler: string | null;
  readonly style: ReasoningStyle;
  /** Levels the vendor knows, from low to high; a missing one becomes the nearest lower. */
  readonly efforts: readonly string[];
  readonly forcedChoice: 'ok' | 'downgrade';
  /** Split a leading `<think>` block out of the content. */
  readonly tags: boolean;
  /** The content starts inside reasoning, before any opening tag. */
  readonly implied: boolean;
}

/** Formats of tool calls written as text. */
export type TextCallFormat =
  | 'hermes_json'
  | 'tools_list'
  | 'qwen_xml'
  | 'glm_xml'
  | 'minimax_xml'
  | 'dsml'
  | 'kimi';

export interface CacheRules {
  readonly kind: 'none' | 'auto' | 'key' | 'breakpoints';
  readonly minTokens: number;
}

export interface AuthRule {
  /** `bearer`: `Authorization: Bearer KEY`. `header`: the key as the value of header `name`. */
  readonly kind: 'bearer' | 'header' | 'none';
  readonly name: string;
  /** False: a request may go without a key. */
  readonly required: boolean;
}

export interface Profile {
  /** Part of the replay key. */
  readonly id: string;
  readonly protocol: Protocol;
  /** Null: the configuration must give one. */
  readonly baseUrl: string | null;
  /** After the base URL; `{model}` is replaced. */
  readonly path: string;
  readonly auth: AuthRule;
  readonly headers: Readonly<Record<string, string>>;
  /** Environment variables that may hold the key, first wins. */
  readonly keyEnv: readonly string[];

  readonly systemRole: 'system' | 'developer';
  /** Put the system text into the first user message. */
  readonly foldSystem: boolean;
  /** At most one leading system message, merge equal neighbours, no user message after a tool message. */
  readonly alternate: boolean;

  readonly tokenField: string;
  /** May `stream_options` be sent. */
  readonly usageOption: boolean;
  /** May `parallel_tool_calls` be sent. */
  readonly parallelField: boolean;
  /** Parameters never sent, by their name on the wire. */
  readonly dropParams: readonly string[];
  /** May sampling values stand next to reasoning. */
  readonly samplingWithThinking: boolean;

  readonly schemaDialect: SchemaDialect;
  readonly strictTools: boolean;
  readonly nameRule: NameRule;
  readonly idRule: IdRule;
  /** How a request without tools is made when the history has tool turns. */
  readonly choiceNone: 'send' | 'drop_tools' | 'flatten';

  /** Content of an assistant message that has only calls: `""`, null, or no field. */
  readonly emptyContent: 'empty' | 'null' | 'omit';
  /** Send `name` on tool messages. */
  readonly toolResultName: boolean;

  readonly images: ImageRules;
  readonly reasoning: ReasoningRules;

  readonly textCalls: readonly TextCallFormat[];
  readonly missingClosers: boolean;
  /** Error codes that say the provider refused the arguments of a call. */
  readonly refusalCodes: readonly string[];
  /** Error codes, besides the common ones, that mean an exhausted quota. */
  readonly quotaCodes: readonly string[];
  readonly overflowPhrases: readonly string[];

  readonly cache: CacheRules;
  /** Member of the usage report that holds the cost in USD, believed over any price; null when there is none. */
  readonly costField: string | null;
  /** Longer limits, cost 0, prefix caching assumed. */
  readonly local: boolean;
}

/** A profile as listed in a table: what differs from the default of its protocol. */
export type ProfilePatch = {
  readonly [K in keyof Profile]?: Profile[K] extends readonly unknown[]
    ? Profile[K]
    : Profile[K] extends object
      ? Partial<Profile[K]>
      : Profile[K];
};
