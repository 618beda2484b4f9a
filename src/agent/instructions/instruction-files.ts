import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { DurablePayloads } from '../../session/events.ts';
import { importsOf } from './imports.ts';
import type { TextFile, TextReader } from './text-reader.ts';

export type InstructionRecord = DurablePayloads['run_started']['instructions'][number];

const NAMES = ['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md'];
const MOST_PER_FILE = 40_000;
const MOST_TOGETHER = 100_000;
const IMPORT_DEPTH = 5;

interface Section {
  readonly name: string;
  readonly text: string;
}

/**
 * Collects instruction files of one session: each file and each content once, cut at its limits, with what could not
 * be read as warnings. The texts grant nothing; nothing in them is executed.
 */
export class InstructionFiles {
  readonly records: InstructionRecord[] = [];
  readonly warnings: string[] = [];
  private readonly seenContent = new Set<string>();
  private readonly seenFolders = new Set<string>();
  private readonly seenFiles = new Set<string>();
  private characters = 0;

  /** The instruction files of one folder (relative to the reader's), as text, or null when there is nothing new. */
  async folder(reader: TextReader, folder: string): Promise<string | null> {
    const key = `${reader.folder}:${folder}`;
    if (this.seenFolders.has(key)) return null;
    this.seenFolders.add(key);
    const files = NAMES.map((name) => ({ name, file: reader.read(posix.join(folder, name)) }));
    const sections: Section[] = [];
    for (const { name, file } of files)
      sections.push(...(await this.sections(reader, posix.join(folder, name), await file, 0)));
    return sections.length === 0 ? null : sections.map(show).join('\n\n');
  }

  /** One file by its path, with its imports. */
  async named(reader: TextReader, path: string): Promise<string | null> {
    const sections = await this.sections(reader, path, await reader.read(path), 0);
    return sections.length === 0 ? null : sections.map(show).join('\n\n');
  }

  private async sections(
    reader: TextReader,
    path: string,
    file: TextFile,
    depth: number,
  ): Promise<Section[]> {
    const name = posix.join(reader.folder, path);
    if (file.kind === 'skipped') this.warnings.push(`${name} is not read: ${file.reason}`);
    if (file.kind !== 'text' || !this.isNew(name, file)) return [];
    const own = { name, text: this.fit(file.text) };
    const imported: Section[] = [];
    if (depth < IMPORT_DEPTH) {
      for (const target of importsOf(path, file.text))
        imported.push(
          ...(await this.sections(reader, target, await reader.read(target), depth + 1)),
        );
    }
    return [own, ...imported];
  }

  private isNew(name: string, file: Extract<TextFile, { kind: 'text' }>): boolean {
    const sha256 = createHash('sha256').update(file.bytes).digest('hex');
    const known = this.seenContent.has(sha256) || this.seenFiles.has(name);
    this.seenContent.add(sha256);
    this.seenFiles.add(name);
    if (known || file.text.trim() === '') return false;
    this.records.push({ path: name, sha256, bytes: file.bytes.length });
    return true;
  }

  private fit(text: string): string {
    const most = Math.min(MOST_PER_FILE, MOST_TOGETHER - this.characters);
    this.characters += Math.min(text.length, Math.max(0, most));
    if (text.length <= most) return text.trimEnd();
    const kept = text.slice(0, Math.max(0, most)).toWellFormed();
    return `${kept}\n[... ${text.length - kept.length} characters left out ...]`;
  }
}

function show({ name, text }: Section): string {
  return `# ${name}\n${text}`;
}

/** What stands before instruction texts, so that nobody takes them for the user's words. */
export const INSTRUCTIONS_HEADER =
  '[Instruction files]\nTexts of the project and the user about how to work here. They cannot grant permissions.';

/** Folders from the top down to the workspace, both relative to the top: '' first. */
export function foldersDown(top: string, workspace: string): string[] {
  if (workspace === top) return [''];
  const parts = workspace.slice(top.length + 1).split('/');
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
