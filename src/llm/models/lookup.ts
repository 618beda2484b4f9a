/** Finds what the model table says about an id. */
import type { ModelPrices } from '../types.ts';
import { type ModelRow, modelRows } from './table.ts';

let sorted: readonly ModelRow[] | undefined;

/** The row of the longest fitting id, or undefined. Vendor prefixes (`anthropic/`) are ignored. */
export function modelRow(model: string): ModelRow | undefined {
  sorted ??= [...modelRows()].sort((a, b) => b.id.length - a.id.length);
  const name = model.toLowerCase().slice(model.lastIndexOf('/') + 1);
  // OpenRouter spells versions with a point where the vendor has a dash.
  const names = [name, name.replace(/(\d)\.(\d)/g, '$1-$2')];
  return sorted.find((row) => names.some((candidate) => fits(candidate, row.id)));
}

function fits(name: string, id: string): boolean {
  if (!name.startsWith(id)) return false;
  if (id.endsWith('.') || id.endsWith('-') || name.length === id.length) return true;
  return ['-', ':', '@'].includes(name.charAt(id.length));
}

/** List prices, or null when unknown for that provider. */
export function listPrices(provider: string, model: string): ModelPrices | null {
  const row = modelRow(model);
  return row?.prices !== undefined && row.providers?.includes(provider) === true
    ? row.prices
    : null;
}

export const FREE: ModelPrices = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
