/** Colours as functions; without colour they return the text as it is. */
export interface Style {
  readonly colour: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** NO_COLOR (non-empty) removes colour, FORCE_COLOR adds it; else a terminal that is not `dumb` has it. */
export function wantsColour(env: Env, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}

export function createStyle(colour: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    colour && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    colour,
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    red: wrap(31, 39),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    cyan: wrap(36, 39),
  };
}
