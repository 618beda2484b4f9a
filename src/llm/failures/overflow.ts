/** Recognises that a request was longer than the model's context, from the vendors' own words. */
import type { LLMErrorInfo } from '../types.ts';

const PHRASES = [
  'prompt is too long',
  'request_too_large',
  'exceeds the context window',
  'maximum context length',
  'maximum prompt length is',
  'reduce the length of the messages',
  'exceeds the available context size',
  'prompt too long',
  'greater than the context length',
  'exceeded model token limit',
  'context window exceeds limit',
  'prompt exceeds max length',
  'range of input length should be',
  'input length and max_tokens exceed',
  'no user query found',
] as const;

const NEAR =
  /context.{0,40}(?:length|window|size).{0,40}(?:max|exceed|limit)|(?:max|exceed|limit).{0,40}context.{0,40}(?:length|window|size)/s;

/** Does the text say that the context is full? `status` null: the error came inside a stream. */
export function saysOverflow(
  text: string,
  status: number | null,
  extraPhrases: readonly string[] = [],
): boolean {
  const words = plainWords(text);
  if (words.includes('rate limit') || words.includes('too many requests')) return false;
  if (PHRASES.some((phrase) => words.includes(phrase))) return true;
  if (words.includes('input token count') && words.includes('exceeds the maximum')) return true;
  if (extraPhrases.some((phrase) => words.includes(phrase.toLowerCase()))) return true;
  return (status === 400 || status === 413) && NEAR.test(words);
}

/** Vendors quote parameter names in backticks. */
function plainWords(text: string): string {
  return text.toLowerCase().replaceAll('`', '');
}

const NUMBER = String.raw`(\d[\d,_]*)`;
const WINDOW = [
  new RegExp(String.raw`maximum context length (?:is|of) ${NUMBER}`),
  new RegExp(String.raw`context (?:length|window|size|limit) (?:is |of |\()?(?:only )?${NUMBER}`),
  new RegExp(String.raw`available context size \(${NUMBER}`),
  new RegExp(String.raw`maximum (?:prompt|number of tokens allowed|input)[^\d]{0,30}${NUMBER}`),
  new RegExp(String.raw`model token limit: ${NUMBER}`),
  new RegExp(String.raw`tokens? > ${NUMBER}(?: maximum)?`),
  new RegExp(
    String.raw`exceeds? (?:the )?(?:context )?limit[^\d]{0,4}\d[\d,_]* \+ \d[\d,_]* > ${NUMBER}`,
  ),
  new RegExp(String.raw`should be \[\d+, ?${NUMBER}\]`),
];
const INPUT = [
  new RegExp(String.raw`request \(${NUMBER} tokens\)`),
  new RegExp(String.raw`prompt is too long: ${NUMBER}`),
  new RegExp(String.raw`\(${NUMBER} in the messages`),
  new RegExp(String.raw`messages resulted in ${NUMBER}`),
  new RegExp(String.raw`input token count \(?${NUMBER}`),
  new RegExp(String.raw`prompt contains (?:at least )?${NUMBER}`),
  new RegExp(String.raw`request contains ${NUMBER}`),
  new RegExp(String.raw`exceeds? (?:the )?(?:context )?limit[^\d]{0,4}${NUMBER} \+`),
];
const OUTPUT = [
  new RegExp(String.raw`${NUMBER} in the completion`),
  new RegExp(String.raw`requested ${NUMBER} output tokens`),
  new RegExp(String.raw`exceeds? (?:the )?(?:context )?limit[^\d]{0,4}\d[\d,_]* \+ ${NUMBER}`),
];

/** Window, input and output in tokens, as far as the text names them. */
export function readOverflow(text: string): NonNullable<LLMErrorInfo['overflow']> {
  const words = plainWords(text);
  const window = firstNumber(WINDOW, words);
  const input = firstNumber(INPUT, words);
  const output = firstNumber(OUTPUT, words);
  return {
    ...(window === undefined ? {} : { window }),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
  };
}

function firstNumber(patterns: readonly RegExp[], text: string): number | undefined {
  for (const pattern of patterns) {
    const digits = pattern.exec(text)?.[1]?.replace(/[,_]/g, '');
    const value = digits === undefined ? Number.NaN : Number(digits);
    if (Number.isSafeInteger(value) && value > 0) return value;
  }
  return undefined;
}
