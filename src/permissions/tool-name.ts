/**
 * The form in which tool names are compared (tools.md 2.1 step 3): lower case, without `_`, `-`, space, and without
 * a prefix that ends in `.`, `:` or `/`. `functions.Bash_` and `bash` are the same tool.
 */
export function comparableName(name: string): string {
  return name
    .replace(/^.*[.:/](?=.)/s, '')
    .toLowerCase()
    .replace(/[_\- ]/g, '');
}
