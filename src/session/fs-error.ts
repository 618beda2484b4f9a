/** Reading what node:fs throws. */

/** The `code` of a system error (`ENOENT`), or an empty string. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const NO_DESCRIPTORS = ['EMFILE', 'ENFILE'];
const WAIT_MS = 25;

/** Runs `operation` again while the process or machine is out of file descriptors, for at most 5 seconds. */
export async function whenDescriptorsAllow<T>(operation: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + 5000;
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!NO_DESCRIPTORS.includes(errorCode(error)) || performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}
