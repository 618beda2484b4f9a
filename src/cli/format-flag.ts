import { Option } from 'commander';

/** `--output-format` of the commands that only look. */
export interface FormatFlags {
  readonly outputFormat?: 'text' | 'json';
}

export function formatOption(about: string): Option {
  return new Option('--output-format <format>', about).choices(['text', 'json']);
}

export function wantsJson(flags: FormatFlags): boolean {
  return flags.outputFormat === 'json';
}
