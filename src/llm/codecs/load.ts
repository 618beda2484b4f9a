/** Loads the codec of a protocol on first use. */
import type { Protocol } from '../types.ts';
import type { Codec } from './codec.ts';

const LOADERS: Partial<Record<Protocol, () => Promise<{ codec: Codec }>>> = {
  chat: () => import('./chat/index.ts'),
  responses: () => import('./responses/index.ts'),
  anthropic: () => import('./anthropic/index.ts'),
};

const loaded = new Map<Protocol, Codec>();

/** The codec, or undefined for a protocol this build does not speak. */
export async function loadCodec(protocol: Protocol): Promise<Codec | undefined> {
  const known = loaded.get(protocol);
  if (known !== undefined) return known;
  const codec = (await LOADERS[protocol]?.())?.codec;
  if (codec !== undefined) loaded.set(protocol, codec);
  return codec;
}
