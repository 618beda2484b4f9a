import type { Tool } from '../types.ts';
import { bashTool } from './bash.ts';
import { pythonExecTool } from './python-exec.ts';
import { sleepTool } from './sleep.ts';

/** Tools that run programs or wait. */
export const execTools: readonly Tool[] = [bashTool, pythonExecTool, sleepTool];
