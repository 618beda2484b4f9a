/**
 * A rough split of any command line, for finding reasons to ask only: it never vets and never allows. Quotes are
 * removed, every operator, bracket and substitution mark ends a command, unknown syntax is kept as plain text.
 */
export function looseCommands(text: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let quote: string | null = null;
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (quote === null && /[;|&()`\n<>]/.test(char)) {
      endWord();
      commands.push([]);
    } else if (quote === null && /\s/.test(char)) endWord();
    else if (char === quote) quote = null;
    else if (quote === null && (char === '"' || char === "'")) {
      quote = char;
      word = word ?? '';
    } else if (quote === '"' && (char === '`' || text.startsWith('$(', index))) {
      endWord();
      quote = null;
      commands.push([]);
      if (char === '$') index += 1;
    } else if (char === '\\' && quote !== "'") {
      index += 1;
      word = `${word ?? ''}${text[index] === '\n' ? '' : (text[index] ?? '')}`;
    } else word = `${word ?? ''}${char}`;
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}
