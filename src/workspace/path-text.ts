import { ToolFailure } from '../errors.ts';
import { checkSegment, MAX_PATH_BYTES } from './segments.ts';
import { showPath } from './show-path.ts';

/** A path as written, taken apart: `..` resolved on the text, names untouched. */
export type PathText =
  | { readonly form: 'absolute'; readonly segments: readonly string[] }
  /** Relative, to be routed by its first component. */
  | { readonly form: 'relative'; readonly segments: readonly string[] }
  /** `workspace:rest`, never routed. */
  | { readonly form: 'workspace'; readonly segments: readonly string[] };

/** Throws ToolFailure `invalid_arguments` or `path_outside`. */
export function parsePathText(text: string, home: string): PathText {
  if (text === '') throw new ToolFailure('invalid_arguments', 'the path is empty');
  if (text.includes('\0'))
    throw new ToolFailure('invalid_arguments', 'the path holds a NUL character');
  if (Buffer.byteLength(text) > MAX_PATH_BYTES) {
    throw new ToolFailure('invalid_arguments', `the path has more than ${MAX_PATH_BYTES} bytes`);
  }
  if (text.startsWith('~')) return parseHome(text, home);
  if (isAbsoluteText(text)) return { form: 'absolute', segments: components(text, text) };
  const bare = text.replace(/^(?:\.\/+)+/, '');
  if (bare.startsWith('workspace:')) {
    return { form: 'workspace', segments: components(bare.slice('workspace:'.length), text) };
  }
  return { form: 'relative', segments: components(text, text) };
}

function parseHome(text: string, home: string): PathText {
  if (text !== '~' && !text.startsWith('~/')) {
    throw new ToolFailure(
      'path_outside',
      `${showPath(text)}: folders of other users (~name) are not reachable; for a file of that name write ./${showPath(text)}`,
    );
  }
  return { form: 'absolute', segments: components(`${home}/${text.slice(1)}`, text) };
}

function isAbsoluteText(text: string): boolean {
  if (text.startsWith('/')) return true;
  return process.platform === 'win32' && /^(?:[a-z]:|\\)/i.test(text);
}

function components(text: string, written: string): readonly string[] {
  const segments: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') {
      checkSegment(part);
      segments.push(part);
    } else if (segments.pop() === undefined) {
      throw new ToolFailure(
        'path_outside',
        `${showPath(written)} climbs above the folder it starts in`,
      );
    }
  }
  return segments;
}
