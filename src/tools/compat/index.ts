import type { Tool } from '../types.ts';
import { textEditor } from './text-editor.ts';

export const compatTools: readonly Tool[] = [textEditor];
