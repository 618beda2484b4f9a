/** The one error of the model layer. */
import { ToolwrightError } from '../errors.ts';
import type { LLMErrorInfo, LLMResponse } from './types.ts';

export class LLMError extends ToolwrightError {
  /** Plain data, keys masked, safe to store. */
  readonly info: LLMErrorInfo;
  /** What had arrived of the turn; its calls never run. */
  readonly partial: LLMResponse | null;

  constructor(info: LLMErrorInfo, partial: LLMResponse | null = null, options?: ErrorOptions) {
    super(info.kind, info.message, { ...info }, options);
    this.name = 'LLMError';
    this.info = info;
    this.partial = partial;
  }

  get status(): number | undefined {
    return this.info.status;
  }

  get retryable(): boolean {
    return this.info.retryable;
  }
}

export function isLLMError(value: unknown): value is LLMError {
  return value instanceof Error && value.name === 'LLMError' && 'info' in value;
}
