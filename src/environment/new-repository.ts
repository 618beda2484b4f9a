import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const INERT_KEY =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)|user\.(name|email)|init\.defaultbranch|extensions\.objectformat|branch\..+\.(remote|merge)|remote\..+\.(url|fetch))$/;

/** `section.key` names of a git configuration text; null when a line is not understood. */
export function configurationKeys(text: string): string[] | null {
  const keys: string[] = [];
  let section = '';
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const head = /^\[([A-Za-z0-9.-]+)(?:\s+"([^"\\]*)")?\]$/.exec(line);
    const pair = /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*[^\\]*$/.exec(line);
    if (head?.[1] !== undefined) {
      section = head[1].toLowerCase() + (head[2] === undefined ? '' : `.${head[2]}`);
    } else if (pair?.[1] !== undefined && section !== '') {
      keys.push(`${section}.${pair[1].toLowerCase()}`);
    } else {
      return null;
    }
  }
  return keys;
}

/** True for a git configuration with nothing that starts a program or leads elsewhere. */
export function isHarmlessConfiguration(text: string): boolean {
  return configurationKeys(text)?.every((key) => INERT_KEY.test(key)) ?? false;
}

/** True for a fresh `git init`: only sample hooks, and a configuration that starts nothing. */
export function isHarmlessRepository(gitDirectory: string): boolean {
  try {
    if (!isHarmlessConfiguration(readFileSync(join(gitDirectory, 'config'), 'utf8'))) return false;
    const entries = readdirSync(gitDirectory);
    if (entries.includes('config.worktree')) return false;
    if (readNames(join(gitDirectory, 'info')).includes('attributes')) return false;
    return readNames(join(gitDirectory, 'hooks')).every((name) => name.endsWith('.sample'));
  } catch {
    return false;
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
