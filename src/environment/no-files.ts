import { ToolFailure } from '../errors.ts';
import type { FileAccess } from '../workspace/types.ts';

/** For environments that only start commands of our own: every file operation fails. */
export const noFiles: FileAccess = new Proxy({} as FileAccess, {
  get: () => {
    throw new ToolFailure('unavailable', 'This environment only starts commands.');
  },
});
