/** Whether a provider's endpoint answers at all, for `doctor --online`. */
import { performance } from 'node:perf_hooks';
import { profileNamed } from '../llm/profiles/table.ts';
import { httpTransport } from '../llm/transport/http.ts';

const ANSWER_MS = 3_000;

export interface Reached {
  readonly ok: boolean;
  /** `HTTP 401 in 120 ms`, or why not. No key is sent, so a refusal is an answer. */
  readonly text: string;
}

/** The address a provider has without configuration, or null. */
export function builtinAddress(provider: string): string | null {
  return profileNamed(provider)?.baseUrl ?? null;
}

export async function reach(address: string): Promise<Reached> {
  const transport = httpTransport();
  const started = performance.now();
  try {
    const response = await transport.send({
      method: 'GET',
      url: address,
      headers: {},
      body: new Uint8Array(),
      signal: AbortSignal.timeout(ANSWER_MS),
      limits: { connectMs: ANSWER_MS, firstByteMs: ANSWER_MS, headerBytes: 64 * 1024 },
      request: {
        system: [],
        messages: [],
        tools: [],
        resolve: () => null,
        purpose: 'step',
        sessionId: 'doctor',
      },
    });
    const ms = Math.round(performance.now() - started);
    return { ok: true, text: `HTTP ${response.status} in ${ms} ms` };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  } finally {
    transport.close?.();
  }
}
