import type { Tool } from '../types.ts';
import { callTool } from './call-tool.ts';
import { sequentialThinking } from './sequential-thinking.ts';
import { taskDoneTool } from './task-done.ts';
import { toolSearchTool } from './tool-search.ts';

/** Tools every session has, whatever it works on. */
export const basicTools: readonly Tool[] = [
  sequentialThinking,
  taskDoneTool(),
  toolSearchTool([]),
  callTool,
];
