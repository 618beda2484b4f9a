/** What a terminal obeys and JSON does not escape: DEL, C1 controls, bidi controls. */
const ACTIVE = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** JSON that decodes to the same value and does nothing to a terminal it is shown on. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    ACTIVE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
