/**
 * Text shaped like a key of a well-known service. Used where exact text is not needed afterwards: audit, errors,
 * trajectory, recording, exports.
 */

interface KeyPattern {
  readonly name: string;
  readonly pattern: RegExp;
  /** Replacement; default `[redacted:name]`. */
  readonly keep?: string;
}

const PATTERNS: readonly KeyPattern[] = [
  {
    name: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
  },
  {
    name: 'authorization',
    pattern:
      /\b((?:proxy-)?authorization(?:\\?["'])?\s{0,4}[:=]\s{0,4}(?:\\?["'])?)(?:(?:bearer|basic|token|digest)\s{1,4})?[^\s"',;\\[]{4,}/gi,
    keep: '$1[redacted:authorization]',
  },
  { name: 'bearer', pattern: /\b(bearer\s{1,4})[\w.~+/-]{16,}=*/gi, keep: '$1[redacted:bearer]' },
  { name: 'jwt', pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g },
  { name: 'provider-key', pattern: /\b(?:sk|pk|rk)[-_](?=[\w-]{0,60}\d)[\w-]{20,}/g },
  { name: 'provider-key', pattern: /\b(?:gsk|xai|hf|r8|nvapi|pplx|fw|tgp)[-_][A-Za-z0-9_-]{20,}/g },
  { name: 'github-token', pattern: /\b(?:gh[opusr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})/g },
  { name: 'gitlab-token', pattern: /\bglpat-[\w-]{20,}/g },
  { name: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36}/g },
  { name: 'aws-key', pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  {
    name: 'aws-secret',
    pattern:
      /(aws_?secret_?(?:access_?)?key(?:\\?["'])?\s{0,4}[:=]\s{0,4}(?:\\?["'])?)[A-Za-z0-9/+]{40}/gi,
    keep: '$1[redacted:aws-secret]',
  },
  { name: 'slack-token', pattern: /\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}/g },
  { name: 'slack-webhook', pattern: /hooks\.slack\.com\/services\/[\w/]{20,}/g },
  { name: 'google-key', pattern: /\bAIza[\w-]{35}|\bya29\.[\w-]{20,}/g },
];

/** One cheap look that lets nearly every text through untouched. */
const ANY_MARK =
  /PRIVATE KEY|authorization|bearer|eyJ|[srp]k[-_]|(?:gsk|xai|hf|r8|nvapi|pplx|fw|tgp)[-_]|gh[opusr]_|github_pat_|glpat-|npm_|AKIA|ASIA|aws_?secret|xox[a-z]-|xapp-|hooks\.slack|AIza|ya29\./i;

/** The text with everything key-shaped replaced by `[redacted:KIND]`. The same string when there is nothing. */
export function redactPatterns(text: string): string {
  if (!ANY_MARK.test(text)) return text;
  let result = text;
  for (const { name, pattern, keep } of PATTERNS) {
    result = result.replace(pattern, keep ?? `[redacted:${name}]`);
  }
  return result;
}
