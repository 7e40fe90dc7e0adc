import type { Asker, Choice } from '../terminal/interaction.ts';
import type { Io } from '../terminal/io.ts';
import { terminalLine } from '../terminal/style.ts';
import { wrapWhole } from '../terminal/wrap.ts';

/** Writes lines to standard error, where questions are. */
export function writeLines(io: Io, lines: readonly string[]): void {
  const shownLines = lines.map((line) => `${terminalLine(line)}\n`);
  io.stderr.write(shownLines.join(''));
}

/**
 * A question for the width of the terminal, which would break it inside a word. If it is too long for one line, each sentence
 * begins a line.
 */
export function fitting(io: Io, message: string): string {
  // The mark before the question and a blank.
  const questionWidth = terminalWidthOf(io) - 2;
  const [firstLine, ...moreLines] = wrapWhole(terminalLine(message), questionWidth);
  if (firstLine !== undefined && moreLines.length === 0) return firstLine;

  const sentences = message.split(/(?<=[.?!]) (?=\p{Lu})/u);
  const questionLines = sentences.flatMap((sentence) =>
    wrapWhole(terminalLine(sentence), questionWidth),
  );
  return questionLines.join('\n');
}

/** The width of the terminal; the usual width if it is unknown. */
export function terminalWidthOf({ stderr }: Io): number {
  return stderr.columns() ?? 80;
}

/** Asks for the numbers of one or several choices, in lines that are never redrawn. */
export async function askNumbers<T>(
  io: Io,
  askText: Asker['text'],
  message: string,
  choices: readonly Choice<T>[],
  preselected: readonly Choice<T>[],
  isSeveral: boolean,
): Promise<T[]> {
  const questionLines = fitting(io, message).split('\n');
  const choiceLines = choices.map(({ name }, index) => `${index + 1}. ${name}`);
  writeLines(io, [...questionLines, ...choiceLines]);

  const choiceOf = (number: string) =>
    /^\d+$/.test(number) ? choices[Number(number) - 1] : undefined;
  const choicesOf = (answerText: string) => {
    const numbers = isSeveral ? answerText.split(',') : [answerText];
    return numbers.map((number) => choiceOf(number.trim()));
  };

  const question = isSeveral ? 'Numbers, joined by commas' : `Number, 1 to ${choices.length}`;
  const validate = (answerText: string) => {
    const isValid = choicesOf(answerText).every(Boolean);
    return isValid ? undefined : `Give a number from 1 to ${choices.length}.`;
  };
  const presetNumbers = preselected.map((choice) => choices.indexOf(choice) + 1);
  const answer = await askText(question, validate, presetNumbers.join(', '));

  const chosen = new Set(choicesOf(answer));
  const chosenInOrder = choices.filter((choice) => chosen.has(choice));
  return chosenInOrder.map(({ value }) => value);
}
