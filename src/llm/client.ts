/** The facade of the model layer. Nothing heavy is loaded before the first request. */
import type { ClientContext, Clock } from './call/context.ts';
import type { TimeLimits } from './call/watchdog.ts';
import { LLMError } from './errors.ts';
import { adaptationMemory } from './failures/adaptations.ts';
import { replayKeyOf, resolveTarget, type Target } from './target.ts';
import { estimateRequest } from './tokens.ts';
import { httpTransport } from './transport/http.ts';
import { proxyFor } from './transport/proxy.ts';
import type {
  CallOptions,
  LLMEvent,
  LLMRequest,
  LLMResponse,
  ModelCapability,
  ModelClient,
  ModelClientOptions,
  ModelConfig,
} from './types.ts';

const SECOND = 1000;
const DEFAULT_RETRIES = 5;

/**
 * A client for one model behind one endpoint. Throws ConfigError for a configuration that cannot work; opens
 * nothing. With a replay transport the protocol, profile and model of the recording count and every call is free.
 */
export function createModelClient(
  config: ModelConfig,
  options: ModelClientOptions = {},
): ModelClient {
  const recorded = options.transport?.recorded;
  const target = resolveTarget(config, recorded);
  const context: ClientContext = {
    config,
    target,
    transport: options.transport ?? defaultTransport(config, target),
    clock: options.clock ?? SYSTEM_CLOCK,
    foreignClock: options.clock !== undefined,
    random: options.random ?? Math.random,
    newCallId: options.newCallId ?? makeCallId,
    limits: timeLimits(config, target.profile.local),
    retry: {
      maxRetries: config.maxRetries ?? DEFAULT_RETRIES,
      maxWaitMs: (config.retry?.max_wait ?? 120) * SECOND,
      maxTotalMs: (config.retry?.max_total ?? 15 * 60) * SECOND,
    },
    memory: adaptationMemory(target.baseUrl, target.model),
    secrets: secretsOf(config),
    waits: recorded === undefined,
    exchanges: { listener: options.onExchange ?? null, seq: 0 },
  };
  return {
    provider: target.provider,
    model: target.model,
    get replayKey() {
      return replayKeyOf(target);
    },
    contextWindow: target.contextWindow,
    windowKnown: target.windowKnown,
    outputLimit: target.outputLimit,
    prices: target.prices,
    stream: (request, callOptions = {}) => streamCall(context, request, callOptions),
    chat: (request, callOptions = {}) => chatCall(context, request, callOptions),
    estimate: (request) => estimateRequest(request),
    supports: (capability) => supports(target, capability),
    close: () => context.transport.close?.(),
  };
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener('abort', finish, { once: true });
      if (signal.aborted) finish();
    }),
};

/** Refuses an unusable proxy now instead of at the first request. */
function defaultTransport(config: ModelConfig, target: Target) {
  proxyFor(new URL(target.baseUrl), config.proxy, process.env);
  return httpTransport({
    ...(config.proxy === undefined ? {} : { proxy: config.proxy }),
    ...(config.caFile === undefined ? {} : { caFile: config.caFile }),
  });
}

function timeLimits({ timeouts = {} }: ModelConfig, local: boolean): TimeLimits {
  return {
    connect: (timeouts.connect ?? 10) * SECOND,
    firstByte: (timeouts.first_byte ?? (local ? 1800 : 300)) * SECOND,
    idle: (timeouts.idle ?? (local ? 600 : 180)) * SECOND,
    progress: (timeouts.progress ?? (local ? 1800 : 600)) * SECOND,
    total: (timeouts.total ?? 3600) * SECOND,
  };
}

function secretsOf(config: ModelConfig): string[] {
  const secrets = [config.apiKey ?? ''];
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    if (/auth|key|token|secret|cookie/i.test(name)) secrets.push(value.replace(/^Bearer /i, ''));
  }
  if (config.proxy !== undefined && URL.canParse(config.proxy)) {
    secrets.push(decodeURIComponent(new URL(config.proxy).password));
  }
  return secrets.filter((secret) => secret !== '');
}

function supports({ profile, facts }: Target, capability: ModelCapability): boolean {
  switch (capability) {
    case 'tools':
      return true;
    case 'images':
      return profile.images.input;
    case 'parallel_tools':
      return profile.parallelField;
    case 'reasoning':
      return profile.reasoning.style !== 'none';
    case 'response_schema':
      return profile.protocol !== 'anthropic' || facts.outputConfig;
    case 'cache':
      return profile.cache.kind !== 'none';
  }
}

/** Leaving the iteration early aborts the attempt. */
function streamCall(
  context: ClientContext,
  request: LLMRequest,
  options: CallOptions,
): AsyncIterable<LLMEvent> {
  assertRequest(request);
  return { [Symbol.asyncIterator]: () => startCall(context, request, options) };
}

function startCall(
  context: ClientContext,
  request: LLMRequest,
  options: CallOptions,
): AsyncIterator<LLMEvent> {
  const abort = new AbortController();
  const { signal } = options;
  const onAbort = (): void => abort.abort();
  const release = (): void => signal?.removeEventListener('abort', onAbort);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const events = lazily(async () => {
    const { runCall } = await loadEngine();
    return runCall(context, request, options, abort.signal);
  });
  let ended = false;
  return {
    async next() {
      const result = await events.next();
      ended = result.done === true || result.value.type === 'end';
      if (ended) release();
      return result;
    },
    async return() {
      if (!ended) abort.abort();
      release();
      await events.return(undefined);
      return { done: true, value: undefined };
    },
  };
}

let engine: Promise<typeof import('./call/engine.ts')> | undefined;

function loadEngine(): Promise<typeof import('./call/engine.ts')> {
  engine ??= import('./call/engine.ts');
  return engine;
}

async function* lazily(
  make: () => Promise<AsyncGenerator<LLMEvent, void, undefined>>,
): AsyncGenerator<LLMEvent, void, undefined> {
  yield* await make();
}

async function chatCall(
  context: ClientContext,
  request: LLMRequest,
  options: CallOptions & { readonly onEvent?: (event: LLMEvent) => void },
): Promise<LLMResponse> {
  for await (const event of streamCall(context, request, options)) {
    options.onEvent?.(event);
    if (event.type !== 'end') continue;
    if (event.error !== undefined) throw new LLMError(event.error, event.response);
    if (event.response !== null) return event.response;
  }
  throw new LLMError({
    kind: 'protocol',
    detail: 'internal',
    retryable: false,
    phase: 'local',
    message: 'the call ended without a reply',
  });
}

/** A request of the wrong shape is a mistake of the program that made it. */
function assertRequest(request: LLMRequest): void {
  const wrong = (what: string): never => {
    throw new TypeError(`LLMRequest: ${what}`);
  };
  if (!Array.isArray(request.messages)) wrong('messages must be a list');
  if (!Array.isArray(request.system)) wrong('system must be a list');
  if (!Array.isArray(request.tools)) wrong('tools must be a list');
  if (typeof request.resolve !== 'function') wrong('resolve must be a function');
  for (const tool of request.tools) {
    if (typeof tool.name !== 'string' || tool.name === '') wrong('a tool has no name');
    if (typeof tool.schema !== 'object' || tool.schema === null) {
      wrong(`tool "${tool.name}" has no schema`);
    }
  }
}

/** Unique without a library; the agent gives its own ids in the session's order. */
function makeCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '')}`;
}
