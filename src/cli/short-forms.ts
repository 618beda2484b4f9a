/** The two-letter short forms of trae-cli, which a parser of single-letter flags would take apart. */
const LONG: Readonly<Record<string, string>> = {
  '-mp': '--must-patch',
  '-pp': '--patch-path',
  '-ct': '--console-type',
  '-at': '--agent-type',
};

/** The arguments with short forms spelt out, up to `--`. */
export function expandShortForms(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    if (end >= 0 && index >= end) return arg;
    const [name = '', ...value] = arg.split('=');
    const long = LONG[name];
    return long === undefined ? arg : [long, ...value].join('=');
  });
}
