import type { Asker, Choice } from '../terminal/interaction.ts';
import type { Io } from '../terminal/io.ts';
import { fitting, writeLines } from './lines.ts';

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
