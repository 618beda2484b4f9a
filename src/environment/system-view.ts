import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** What a sandbox sees of the system: an allow-list, never `/`. */
const SYSTEM_FOLDERS = /^(usr|bin|sbin|lib.*|opt|nix|etc)$/;
const MASKED_IN_ETC = /^(shadow|gshadow|sudoers)/;
const MASKED_SSH = /key/;

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** A file in `/etc` that is masked, with what to put over it. */
function mask(path: string, emptyFile: string): string[] {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return [];
    return stat.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', emptyFile, path];
  } catch {
    return [];
  }
}

function masks(emptyFile: string): string[] {
  const paths = names('/etc')
    .filter((name) => MASKED_IN_ETC.test(name))
    .map((name) => join('/etc', name));
  paths.push('/etc/ssl/private');
  paths.push(
    ...names('/etc/ssh')
      .filter((name) => MASKED_SSH.test(name))
      .map((name) => join('/etc/ssh', name)),
  );
  return paths.flatMap((path) => mask(path, emptyFile));
}

/** Arguments that show the system read-only. `emptyFile` is an unwritable empty file put over secret ones. */
export function systemArguments(emptyFile: string): string[] {
  const result: string[] = [];
  for (const name of names('/').filter((each) => SYSTEM_FOLDERS.test(each))) {
    const path = `/${name}`;
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) result.push('--symlink', readlinkSync(path), path);
    else if (stat.isDirectory()) result.push('--ro-bind', path, path);
  }
  return [...result, ...masks(emptyFile)];
}

/** The file behind `/etc/resolv.conf` when that is a link out of `/etc`: needed with the network on. */
export function resolverArguments(): string[] {
  try {
    const target = realpathSync('/etc/resolv.conf');
    return target.startsWith('/etc/') ? [] : ['--ro-bind', target, target];
  } catch {
    return [];
  }
}
