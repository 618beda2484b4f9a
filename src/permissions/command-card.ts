import { parseShellLine, renderCommand } from './shell-words.ts';

const SIGN = { start: '', '&&': '&& ', '||': '|| ', ';': '; ', '|': '| ', newline: '' } as const;

/**
 * A command for a person's decision: as understood, one simple command per line with explicit quotes, and the text
 * itself below when it differs. Never cut. The caller shows invisible characters.
 */
export function commandDetail(command: string): string {
  const line = parseShellLine(command);
  if (!line.analysable) return command;
  const read = line.commands.map((part) => `${SIGN[part.joint]}${renderCommand(part)}`).join('\n');
  return read === command.trim() ? command : `${read}\n\nas written:\n${command}`;
}
