/**
 * What the configuration says, after precedence: command line > environment > project file > user file > default,
 * within the bounds of the managed file. Keys are those of the one table in `keys.ts`.
 */

export type ConfigScope = 'managed' | 'flag' | 'environment' | 'project' | 'user' | 'default';

export interface ConfigOrigin {
  readonly scope: ConfigScope;
  /** The file, variable or flag the value came from; null for a default. */
  readonly from: string | null;
  readonly line: number | null;
}

export interface AgentConfig {
  readonly model?: string;
  readonly max_steps?: number;
  readonly tools?: readonly string[];
  readonly tool_language?: 'en' | 'zh';
  readonly session_prefixes?: 'on' | 'auto' | 'off';
  readonly prompt_append?: string;
  readonly prompt_file?: string;
  readonly patch?: {
    readonly exclude?: readonly string[];
    readonly test_paths?: readonly string[];
  };
  readonly enable_lakeview?: boolean;
}

export interface ModelEntry {
  readonly model?: string;
  readonly model_provider?: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly seed?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly parallel_tool_calls?: boolean;
  readonly max_retries?: number;
  readonly supports_tool_calling?: boolean;
  readonly candidate_count?: number;
  readonly stop_sequences?: readonly string[];
  readonly api?: 'chat' | 'responses';
  readonly profile?: string;
  readonly quirks?: Readonly<Record<string, unknown>>;
  readonly context_window?: number;
  readonly output_limit?: number;
  readonly reasoning?: {
    readonly effort?: string;
    readonly budget_tokens?: number;
    readonly summary?: string;
  };
  readonly extra_body?: Readonly<Record<string, unknown>>;
  readonly extra_headers?: Readonly<Record<string, string>>;
  readonly cache?: 'none' | 'short' | 'long';
  readonly images?: boolean;
  readonly text_tool_calls?: readonly string[];
  readonly timeouts?: Readonly<
    Partial<Record<'connect' | 'first_byte' | 'idle' | 'progress' | 'total', number>>
  >;
  readonly retry?: { readonly max_wait?: number; readonly max_total?: number };
  readonly prices?: Readonly<Record<string, unknown>>;
}

export interface ProviderEntry {
  readonly provider?: string;
  readonly api_key?: string;
  readonly api_key_env?: string;
  readonly api_key_file?: string;
  readonly base_url?: string;
  readonly api_version?: string;
  readonly api?: 'chat' | 'responses';
  readonly profile?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly proxy?: string;
  readonly ca_file?: string;
  readonly speed?: 'recorded';
  readonly match?: 'strict' | 'lenient';
}

/** The model of one agent kind with its endpoint and key, every source considered. Mapped to `llm` by the agent room. */
export interface ResolvedModel {
  /** Key of `models`, or null when it came from flags alone. */
  readonly key: string | null;
  readonly provider: string;
  readonly model: string;
  readonly base_url: string | null;
  /** Null: none found (fine for local, replay and some compatible servers). */
  readonly api_key: string | null;
  /** Where the key came from, for `show-config`; never the key. */
  readonly api_key_origin: ConfigOrigin | null;
  readonly entry: ModelEntry;
  readonly endpoint: ProviderEntry;
}

/** A permission rule with its scope; the permission room parses the text. */
export interface ConfiguredRule {
  readonly list: 'deny' | 'ask' | 'allow';
  readonly text: string;
  readonly scope: 'managed' | 'user' | 'project';
  readonly origin: ConfigOrigin;
}

export interface LoadedConfig {
  readonly home: string;
  /** The working directory the search started in; never changed by us. */
  readonly cwd: string;
  /** Real paths of the configuration files that were read. */
  readonly files: readonly string[];
  /** The active content of the folder `cwd` was accepted as it is now. */
  readonly trusted: boolean;
  /** The value in force by full key path, `limits.max_cost`; undefined = absent. Maps come as plain objects. */
  get(key: string): unknown;
  number(key: string): number | undefined;
  text(key: string): string | undefined;
  flag(key: string): boolean | undefined;
  list(key: string): readonly string[] | undefined;
  origin(key: string): ConfigOrigin;
  /** `trae_agent` is read as `coding`. */
  agent(type: string): AgentConfig;
  readonly rules: readonly ConfiguredRule[];
  /** The model for an agent kind. Throws ConfigError naming what is missing and how to give it. */
  resolveModel(agentType: string): ResolvedModel;
  /** The model of one entry of `models`, flags not considered. Throws ConfigError. */
  resolveModelEntry(key: string): ResolvedModel;
  /** All values with origins, secrets as `(set)`; sorted by key. */
  report(): readonly {
    readonly key: string;
    readonly value: string;
    readonly origin: ConfigOrigin;
  }[];
  /** One line each: ignored project values, legacy files read. */
  readonly notices: readonly string[];
  /** Known secret values by name, for redaction. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
}

/** What flags of `run` override; absent = not given. */
export interface ConfigOverrides {
  readonly configFile?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly modelBaseUrl?: string;
  readonly apiKey?: string;
  /** Any configuration key, from flags like `--max-cost`: `{'limits.max_cost': 1}`. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export interface LoadConfigOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly overrides?: ConfigOverrides;
  /** The content of a configuration file as an object, of user scope; with it no folder is searched for a file. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** Injected for tests; default `/etc/toolwright/policy.yaml`. */
  readonly managedFile?: string;
  /** True when stdin is a terminal and output is text: the trust question may be asked. */
  readonly interactive: boolean;
  /** Asks whether to trust the folder's configuration file; absent = nobody to ask. */
  readonly askTrust?: (file: string, ignored: readonly string[]) => Promise<boolean>;
  /** What relative names of files given by flag or variable start from; default `cwd`. */
  readonly shellDirectory?: string;
  /**
   * What an untrusted folder's file that holds more than tightening values leads to when nobody is asked:
   * `refuse` (default) throws ConfigError; `ignore` uses the tightening values, with a notice.
   */
  readonly untrusted?: 'refuse' | 'ignore';
}
