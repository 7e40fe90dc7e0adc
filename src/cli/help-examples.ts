import type { CommandDefinition } from './command.ts';

/** The width of a help text that no terminal sets. */
const usualWidth = 80;

/** The examples of a help text: each command with what it does, in no more than 80 columns where its words allow. */
export function examplesText(examples: CommandDefinition['examples']): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  const besides = examples.map(([command, does]) => `  ${command.padEnd(width)}   ${does}`);
  const isNarrow = width <= 50 && besides.every((line) => line.length <= usualWidth);
  const lines = isNarrow ? besides : examples.map(([command, does]) => `  # ${does}\n  ${broken(command)}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}

/** A command over several lines as a shell reads it; a flag stays with its value, and nothing is broken inside quotes. */
function broken(command: string): string {
  const lines: string[] = [];
  let line = '';
  for (const [part] of command.matchAll(
    /(?:--\S+|\||>>?|&&) (?![-|>&])(?:"[^"]*"|'[^']*'|\S)+|(?:"[^"]*"|'[^']*'|\S)+/g,
  )) {
    // Two blanks before the first line, six before the others, and the backslash.
    if (line !== '' && `${line} ${part} \\`.length > usualWidth - (lines.length === 0 ? 2 : 6)) {
      lines.push(line);
      line = part;
    } else line = line === '' ? part : `${line} ${part}`;
  }
  return [...lines, line].join(' \\\n      ');
}
