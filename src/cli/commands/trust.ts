import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { homeDirectory } from '../../config/files.ts';
import { acceptTrust, folderTrust, listTrust, revokeTrust } from '../../config/trust.ts';
import { sanitise } from '../../session/sanitise.ts';
import { describeContent } from '../ask-trust.ts';
import { confirm } from '../confirm.ts';
import { EXIT } from '../exit-codes.ts';
import { hasPerson, type Io } from '../io.ts';
import { usageError } from '../usage-error.ts';

export interface TrustFlags {
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
}

/**
 * `toolwright trust [DIR]`: shows and accepts. On a terminal it asks first, exit 5 after a no; without one the command
 * itself is the acceptance.
 */
export async function trustCommand(
  io: Io,
  dir: string | undefined,
  flags: TrustFlags,
): Promise<number> {
  const home = homeDirectory(io.env);
  if (flags.list === true && (flags.revoke === true || dir !== undefined))
    throw usageError('--list shows all accepted folders: leave out DIR and --revoke.');
  if (flags.list === true) return showList(io, home);
  const folder = resolve(io.cwd, dir ?? '.');
  if (flags.revoke === true) return revoke(io, home, folder);
  return accept(io, home, folder, flags.yes === true);
}

async function showList(io: Io, home: string): Promise<number> {
  const records = await listTrust(home);
  if (records.length === 0) io.stderr.write('No folder is trusted.\n');
  for (const { path, accepted_at, files } of records)
    io.stdout.write(`${sanitise(path)}  ${accepted_at}  ${files.length} files\n`);
  return EXIT.completed;
}

async function revoke(io: Io, home: string, folder: string): Promise<number> {
  if (!(await revokeTrust(home, folder)))
    throw usageError(`${folder} is not trusted: see toolwright trust --list.`);
  io.stderr.write(`${sanitise(folder)} is no longer trusted.\n`);
  return EXIT.completed;
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function accept(io: Io, home: string, folder: string, yes: boolean): Promise<number> {
  if (!(await isFolder(folder))) throw usageError(`${folder} is not a folder.`);
  const trust = await folderTrust(home, folder);
  if (trust.trusted) {
    io.stderr.write(`${sanitise(trust.folder)} is trusted as it is.\n`);
    return EXIT.completed;
  }
  const head =
    trust.files.length === 0
      ? `${sanitise(trust.folder)} has no content that can act.`
      : `${sanitise(trust.folder)} has content that can act:`;
  io.stderr.write(`${[head, ...describeContent(trust)].join('\n')}\n`);
  if (!yes && hasPerson(io) && !(await confirm(io, 'Trust this folder?'))) return EXIT.blocked;
  await acceptTrust(home, folder, trust.files);
  io.stderr.write(`${sanitise(trust.folder)} is trusted until one of these files changes.\n`);
  return EXIT.completed;
}
