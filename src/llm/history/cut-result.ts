/** A last guard against results that would fill a request; tools cut far below this. */

export const MAX_RESULT_BYTES = 256 * 1024;
const ROOM_FOR_NOTE = 128;

/** The text itself up to 256 KiB of UTF-8, else its head and tail with a note of what is left out. */
export function cutResultText(text: string): string {
  if (text.length * 3 <= MAX_RESULT_BYTES) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_RESULT_BYTES) return text;
  const half = (MAX_RESULT_BYTES - ROOM_FOR_NOTE) / 2;
  const headEnd = characterBorder(bytes, half);
  const tailStart = characterBorder(bytes, bytes.length - half + 3);
  const omitted = tailStart - headEnd;
  const note = `\n[... ${omitted} of ${bytes.length} bytes omitted ...]\n`;
  return bytes.toString('utf8', 0, headEnd) + note + bytes.toString('utf8', tailStart);
}

/** The start of the character that holds the byte at `index`. */
function characterBorder(bytes: Buffer, index: number): number {
  let at = index;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
