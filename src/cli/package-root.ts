import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this package, wherever the bundle put this code. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('The package folder of toolwright was not found.');
    folder = parent;
  }
  return folder;
}
