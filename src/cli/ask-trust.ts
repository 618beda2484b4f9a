/** Shows a folder's active content and asks whether to accept it. */
import { homeDirectory } from '../config/files.ts';
import { type FolderTrust, folderTrust, trustDifference } from '../config/trust.ts';
import { sanitise } from '../session/sanitise.ts';
import { confirm } from './confirm.ts';
import type { Io } from './io.ts';

const SHOWN_LINES = 40;

/** Lines about the active files of a folder; after an earlier acceptance, what changed since. */
export function describeContent(trust: FolderTrust): string[] {
  const { files, accepted } = trust;
  if (accepted === null)
    return files.map(({ path, content }) => `  ${sanitise(path)} (${content.length} bytes)`);
  return trustDifference(accepted, files).flatMap((one) => [
    `  ${sanitise(one.path)}: ${one.change}${one.removedLines > 0 ? `, ${one.removedLines} lines removed` : ''}`,
    ...one.newLines
      .slice(0, SHOWN_LINES)
      .map(({ number, text }) => `    ${number} + ${sanitise(text)}`),
    ...(one.newLines.length > SHOWN_LINES
      ? [`    … and ${one.newLines.length - SHOWN_LINES} more new lines`]
      : []),
  ]);
}

export async function askTrust(
  io: Io,
  folder: string,
  ignored: readonly string[],
): Promise<boolean> {
  const trust = await folderTrust(homeDirectory(io.env), folder);
  const what = trust.accepted === null ? 'has' : 'has changed since you accepted it. It has';
  const lines = [
    `The folder ${sanitise(trust.folder)} ${what} content of its own that can act:`,
    ...describeContent(trust),
    `Without your trust these settings do not count: ${sanitise(ignored.join(', '))}.`,
  ];
  io.stderr.write(`${lines.join('\n')}\n`);
  return confirm(io, 'Trust this folder?');
}
