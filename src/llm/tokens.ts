import type { ContentBlock, LLMMessage, LLMRequest, ToolSpec } from './types.ts';

/** Token estimates without a tokenizer: no table, one pass over the characters, the same for every vendor. */

const ASCII_PER_TOKEN = 3.6;
const DENSE_PER_TOKEN = 2;
const CJK_TOKENS = 0.8;
const BYTES_PER_TOKEN = 3;
const IMAGE_TOKENS = 1600;
const MESSAGE_TOKENS = 5;
const CALL_TOKENS = 12;
const DENSE_MINIMUM = 200;

/** Unscaled estimate of one text in tokens, not rounded up beyond the next whole one. */
export function estimateText(text: string): number {
  let ascii = 0;
  let letters = 0;
  let spaces = 0;
  let cjk = 0;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      ascii++;
      if (code <= 0x20) spaces++;
      else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) letters++;
    } else if (isCjk(code)) cjk++;
    else if (code < 0x800) bytes += 2;
    else if (code < 0xd800 || code > 0xdfff) bytes += 3;
    else if (isCjkSurrogate(code)) {
      cjk++;
      at++;
    } else bytes += 2;
  }
  const perToken = isDense(ascii - spaces, letters, spaces) ? DENSE_PER_TOKEN : ASCII_PER_TOKEN;
  return Math.ceil(ascii / perToken + cjk * CJK_TOKENS + bytes / BYTES_PER_TOKEN);
}

/** Listings, digits, base64: much punctuation, or hardly any white space. */
function isDense(solid: number, letters: number, spaces: number): boolean {
  if (solid < DENSE_MINIMUM) return false;
  return solid - letters > solid * 0.4 || solid > spaces * 100;
}

function isCjk(code: number): boolean {
  return (
    (code >= 0x3000 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef)
  );
}

/** High surrogates of U+20000 to U+3FFFF. */
function isCjkSurrogate(code: number): boolean {
  return code >= 0xd840 && code <= 0xd8bf;
}

function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return estimateText(block.text);
    case 'reasoning':
      return estimateText(block.text) + estimateText(block.encrypted ?? '');
    case 'image':
      return IMAGE_TOKENS;
    case 'document':
      return estimateText(block.data);
    case 'opaque':
      return estimateText(JSON.stringify(block.value));
    case 'tool_call':
      return (
        CALL_TOKENS +
        estimateText(block.call.name) +
        estimateText(block.call.raw_arguments ?? JSON.stringify(block.call.arguments))
      );
    case 'tool_result':
      return estimateText(block.text) + (block.images?.length ?? 0) * IMAGE_TOKENS;
  }
}

const ofMessages = new WeakMap<LLMMessage, number>();

/** How images count: a flat 1,600 tokens each, or by their area (Anthropic: width x height / 750). */
export type ImageBilling = 'flat' | 'area';
const PIXELS_PER_TOKEN = 750;

/** Unscaled estimate of one message; computed once per message object. */
export function estimateMessage(message: LLMMessage, images: ImageBilling = 'flat'): number {
  const known = ofMessages.get(message);
  const tokens =
    known ?? message.content.reduce((sum, block) => sum + estimateBlock(block), MESSAGE_TOKENS);
  if (known === undefined) ofMessages.set(message, tokens);
  return images === 'flat' ? tokens : tokens + areaCorrection(message);
}

/** What billing by area adds to, or takes from, the flat count. */
function areaCorrection(message: LLMMessage): number {
  const images = message.content.flatMap((block) => {
    if (block.type === 'image') return [block];
    return block.type === 'tool_result' ? (block.images ?? []) : [];
  });
  return images.reduce(
    (sum, { width, height }) => sum + Math.ceil((width * height) / PIXELS_PER_TOKEN) - IMAGE_TOKENS,
    0,
  );
}

const ofTools = new WeakMap<ToolSpec, number>();

function estimateTool(tool: ToolSpec): number {
  const known = ofTools.get(tool);
  if (known !== undefined) return known;
  const tokens =
    CALL_TOKENS +
    estimateText(tool.name) +
    estimateText(tool.description) +
    estimateText(JSON.stringify(tool.schema));
  ofTools.set(tool, tokens);
  return tokens;
}

/** Estimated input tokens of a request: system, tools, messages, answer schema. `ratio` is the learned one, 0.5 to 2. */
export function estimateRequest(
  request: LLMRequest,
  ratio = 1,
  images: ImageBilling = 'flat',
): number {
  const system = request.system.reduce((sum, block) => sum + estimateText(block.text), 0);
  const tools = request.tools.reduce((sum, tool) => sum + estimateTool(tool), 0);
  const messages = request.messages.reduce(
    (sum, message) => sum + estimateMessage(message, images),
    0,
  );
  const schema =
    request.responseSchema === undefined
      ? 0
      : estimateText(JSON.stringify(request.responseSchema.schema));
  return Math.ceil((system + tools + messages + schema) * ratio);
}
