import type { Tool } from '../types.ts';
import { editFile } from './edit-file.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

export { createFileKnowledge } from './knowledge.ts';

export const fileTools: readonly Tool[] = [listDir, readFile, writeFile, editFile];
