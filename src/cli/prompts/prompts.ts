import {
  type AskedFact,
  type Asker,
  type Choice,
  cancelled,
  isCancelKey,
  type Screen,
} from '../terminal/interaction.ts';
import type { Io } from '../terminal/io.ts';
import { openLines, openScreen } from '../terminal/screen.ts';
import { canDraw, createStyle, type Style, terminalLine } from '../terminal/style.ts';
import { truncated, wrapFacts, wrapSentences } from '../terminal/wrap.ts';
import {
  type Answer,
  createChoiceQuestion,
  createListQuestion,
  createTextQuestion,
  type Look,
  type Question,
} from './questions.ts';

/**
 * Asks one question after the other on an open screen, below a head and the answers so far. It draws everything again for every key and
 * every new size of the terminal.
 */
export function createDialog(
  screen: Screen,
  style: Style,
  head: (columns: number) => readonly string[] = () => [],
): Asker {
  const answered: string[] = [];
  const ask = async <T>(message: string, question: Question<T>, facts: readonly AskedFact[] = []): Promise<T> => {
    const lines = (columns: number, rows: number) => {
      const echoes = answered.map((one) => `${style.green('✔')} ${truncated(one, columns - 2)}`);
      const above = [...head(columns), ...echoes, ...wrapFacts(facts, columns)];
      // On a small terminal the question comes first, then the latest answers.
      const asked = question.lines(columns, Math.max(rows - above.length, Math.min(rows, 8)));
      return [...above.slice(Math.max(0, above.length + asked.length - rows)), ...asked].slice(0, rows);
    };
    const { value, echo } = await answerOn(screen, { ...question, lines });
    answered.push(`${message}: ${echo}`);
    return value;
  };
  return {
    text: (message, validate, preset) => ask(message, createTextQuestion(message, validate, preset, style)),
    choice: (message, choices, preset, facts) =>
      ask(message, createChoiceQuestion(message, choices, preset, style), facts),
    choices: (message, groups) => ask(message, createListQuestion(message, groups, style)),
  };
}

/** Asks a question until it is answered. Esc, Ctrl-C, Ctrl-D, a signal and the end of the input cancel (exit 130). */
export async function answerOn<T>(screen: Screen, question: Question<T>): Promise<Answer<T>> {
  for (;;) {
    // What waits was typed quickly or pasted, and is shown at once.
    if (!screen.hasMore()) screen.draw(question.lines, question.cursor);
    const event = await screen.next();
    if (event === 'signal' || event === 'end') {
      // Whatever opened the screen ends by the same event.
      screen.unread(event);
      throw cancelled();
    }
    if (isCancelKey(event)) throw cancelled();
    const answer = question.press(event);
    if (answer !== undefined) return answer;
  }
}

/** More choices than this are asked for on the alternate screen: not every terminal has more rows. */
const mostInline = 12;

/** Asks below the command line, on standard error; by `--plain`, or if the terminal cannot redraw lines, for numbers of choices. */
export function createAsker(io: Io): Asker & { hidden(message: string): Promise<string> } {
  const { env, stderr } = io;
  const style = createStyle(env, stderr);
  const look: Look = { ...style, isInline: true };
  const isDrawn = canDraw(env, stderr);
  const isPlain = io.plain === true || !isDrawn;
  const write = (lines: readonly string[]) => stderr.write(lines.map((line) => `${terminalLine(line)}\n`).join(''));
  const wrapped = (message: string) => wrapSentences(message, stderr.columns() ?? 80);
  const asked = async <T>(screen: Screen, question: Question<T>, echoOf: (answer: Answer<T>) => string) => {
    const answer = await answerOn(screen, question).finally(screen.close);
    if (isDrawn) write(wrapped(`${style.green('✔')} ${echoOf(answer)}`));
    return answer.value;
  };
  const text = (
    message: string,
    validate?: (given: string) => string | undefined,
    preset?: string,
    isHidden = false,
  ) => {
    const question = createTextQuestion(message, validate, preset, look, isHidden);
    return asked(openLines(io), question, ({ echo }) => `${message} ${echo}`);
  };
  /** Asks for the numbers of one or several choices, in lines that are never redrawn; the marked ones are preselected. */
  const numbers = async <T>(
    message: string,
    choices: readonly Choice<T>[],
    marked: readonly Choice<T>[],
    isSeveral = false,
  ) => {
    write([...wrapped(message), ...choices.map(({ name }, i) => `${i + 1}. ${name}`)]);
    const chosenBy = (given: string) => {
      const parts = (isSeveral ? given.split(',') : [given]).map((part) => part.trim());
      return parts.map((number) => (/^\d+$/.test(number) ? choices[Number(number) - 1] : undefined));
    };
    const answer = await text(
      isSeveral ? 'Numbers, joined by commas' : `Number, 1 to ${choices.length}`,
      (given) => (chosenBy(given).every(Boolean) ? undefined : `Give a number from 1 to ${choices.length}.`),
      marked.map((choice) => choices.indexOf(choice) + 1).join(', '),
    );
    const chosen = new Set(chosenBy(answer));
    return choices.filter((choice) => chosen.has(choice)).map(({ value }) => value);
  };
  return {
    text,
    hidden: (message) => text(message, undefined, undefined, true),
    async choice<T>(message: string, choices: readonly Choice<T>[], preset?: T, facts: readonly AskedFact[] = []) {
      write(wrapFacts(facts, stderr.columns()));
      const marked = choices.filter(({ value }) => value === preset);
      if (isPlain) return (await numbers(message, choices, marked))[0] as T; // one was validated
      if (choices.length > mostInline) {
        const question = createChoiceQuestion(message, choices, preset, style);
        return asked(openScreen(io, stderr), question, ({ echo }) => `${message}: ${echo}`);
      }
      const question = createChoiceQuestion(message, choices, preset, look);
      return asked(openLines(io), question, ({ echo }) => `${message} ${echo}`);
    },
    async choices(message, groups) {
      const all = groups.flatMap(({ choices }) => choices);
      if (isPlain)
        return numbers(
          message,
          all,
          all.filter((choice) => choice.checked),
          true,
        );
      const question = createListQuestion(message, groups, style);
      return asked(openScreen(io, stderr), question, ({ value }) => `${message}: ${value.length} of ${all.length}`);
    },
  };
}
