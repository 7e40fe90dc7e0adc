import type { CommandDefinition } from './command.ts';
import { wrapWhole } from './terminal/wrap.ts';

/** The widest that examples are, and their width where no terminal sets one. */
const usualWidth = 80;

/** The examples of a help text: each command with what it does, in no more than 80 columns where its words allow. */
export function examplesText(examples: CommandDefinition['examples'], columns: number | undefined): string {
  const most = Math.min(columns ?? usualWidth, usualWidth);
  const width = Math.max(...examples.map(([command]) => command.length));
  const besides = examples.map(([command, does]) => `  ${command.padEnd(width)}   ${does}`);
  const isNarrow = width <= 50 && besides.every((line) => line.length <= most);
  const lines = isNarrow
    ? besides
    : examples.flatMap(([command, does]) => [
        ...wrapWhole(does, most - 4).map((line) => `  # ${line}`),
        `  ${broken(command, most)}`,
      ]);
  return `\nExamples:\n${lines.join('\n')}\n`;
}

/** A command over several lines as a shell reads it; a flag stays with its value, and nothing is broken inside quotes. */
function broken(command: string, most: number): string {
  const lines: string[] = [];
  let line = '';
  for (const [part] of command.matchAll(
    /(?:--\S+|\||>>?|&&) (?![-|>&])(?:"[^"]*"|'[^']*'|\S)+|(?:"[^"]*"|'[^']*'|\S)+/g,
  )) {
    // Two blanks before the first line, six before the others, and the backslash.
    if (line !== '' && `${line} ${part} \\`.length > most - (lines.length === 0 ? 2 : 6)) {
      lines.push(line);
      line = part;
    } else line = line === '' ? part : `${line} ${part}`;
  }
  return [...lines, line].join(' \\\n      ');
}
