import { basicTools } from './basic/index.ts';
import { compatTools } from './compat/index.ts';
import { execTools } from './exec/index.ts';
import { fileTools } from './file/index.ts';
import type { ToolSource } from './registry.ts';
import { searchTools } from './search/index.ts';
import type { Tool } from './types.ts';

/** The native groups in their fixed order, each with the name an error text gives it. */
export const nativeSources: readonly ToolSource[] = [
  { source: 'exec tools', tools: execTools },
  { source: 'compat tools', tools: compatTools },
  { source: 'search tools', tools: searchTools },
  { source: 'basic tools', tools: basicTools },
  { source: 'file tools', tools: fileTools },
];

/** Every native tool, in registry order. */
export function nativeTools(): Tool[] {
  return nativeSources.flatMap(({ tools }) => tools);
}
