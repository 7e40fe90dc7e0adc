/** A command line of hkctl found in a text: its words after `hkctl`. */
export type CommandLine = string[];

/** The command lines of hkctl in a piece of shell, also behind a pipe, `&&`, `if`, or in `$(…)`. */
export function hkctlLines(shell: string): CommandLine[] {
  const joined = shell.replace(/\\\n\s*/g, ' ');
  return joined
    .split('\n')
    .flatMap((line) => [line, ...substitutions(line)])
    .flatMap((line) => simpleCommands(tokens(line)))
    .map((words) => (words[0] === 'sudo' && words[1] === '-u' ? words.slice(3) : words))
    .flatMap((words) => {
      const start = words.findIndex(
        (word) => word === 'hkctl' || word.endsWith('/hkctl') || word === 'bin/hkctl.js',
      );
      if (start === -1 || !words.slice(0, start).every(isLeadIn)) return [];
      // xargs puts words of its own behind.
      return [[...words.slice(start + 1), ...(words[0] === 'xargs' ? ['…'] : [])]];
    });
}

/** What may stand before the program's name on a line. */
function isLeadIn(word: string): boolean {
  if (/^[A-Z_][A-Z0-9_]*=/.test(word)) return true;
  if (/^ExecStart=/.test(word)) return true;
  return ['npx', 'node', 'sudo', 'if', 'then', 'exec', 'xargs', '-r', '!', '$'].includes(word);
}

const ends = new Set(['|', '||', '&&', ';', '&']);

function simpleCommands(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (ends.has(word)) commands.push([]);
    else if (/^\d?[<>]/.test(word)) i += /^\d?[<>]+$/.test(word) ? 1 : 0;
    else commands.at(-1)?.push(word);
  }
  return commands.filter((command) => command.length > 0);
}

/** Words of one line; quotes are taken off, `$(…)` and `"$(…)"` stay one word, a comment ends it. */
function tokens(line: string): string[] {
  const found = line.matchAll(
    /\s*(#.*|(?:"(?:\$\([^)]*\)|[^"])*"|'[^']*'|\$\([^)]*\)|[^\s"';|&])+|\|\||&&|[|;&])/g,
  );
  const words: string[] = [];
  for (const [, word] of found) {
    if (word === undefined || word.startsWith('#')) break;
    words.push(word.replace(/"((?:\$\([^)]*\)|[^"])*)"|'([^']*)'/g, '$1$2'));
  }
  return words;
}

function substitutions(line: string): string[] {
  return [...line.matchAll(/\$\(([^)]*)\)/g)].map((match) => match[1] ?? '');
}
