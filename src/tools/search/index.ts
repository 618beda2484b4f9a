import type { Tool } from '../types.ts';
import { globSearch } from './glob-search.ts';
import { grepSearch } from './grep-search.ts';

export const searchTools: readonly Tool[] = [globSearch, grepSearch];
