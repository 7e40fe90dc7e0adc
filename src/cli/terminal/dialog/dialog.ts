import { cancelled } from '../../questions/cancellation.ts';
import { isCancelKey } from '../keypress.ts';
import type { AskedFact, Asker } from '../prompts/asker.ts';
import type { Screen } from '../screen.ts';
import type { Style } from '../style.ts';
import { truncated, wrapFacts } from '../wrap.ts';
import { createChoiceQuestion } from './choice-question.ts';
import { createChoicesQuestion } from './choices-question.ts';
import type { Question } from './question.ts';
import { createTextQuestion } from './text-question.ts';

/** Where a dialog is drawn. */
interface DialogPlace {
  screen: Screen;
  /** The size of the terminal, which may change while a question is open. */
  size(): { columns: number; rows: number };
  style: Style;
  /** The lines above the questions, for a width. */
  head(columns: number): readonly string[];
}

/**
 * Asks one question after the other on an open screen, below the answers so far. It draws everything again for every key and
 * every new size of the terminal. Esc, Ctrl-C, Ctrl-D, a signal and the end of the input cancel (exit 130).
 */
export function createDialog({ screen, size, style, head }: DialogPlace): Asker {
  const answered: { message: string; echo: string }[] = [];
  const ask = async <T>(message: string, question: Question<T>, facts: readonly AskedFact[] = []): Promise<T> => {
    for (;;) {
      const { columns, rows } = size();
      const echoes = answered.map(
        (one) => `${style.green('✔')} ${truncated(`${one.message}: ${one.echo}`, columns - 2)}`,
      );
      const above = [...head(columns), ...echoes, ...wrapFacts(facts, columns)];
      // On a small terminal the question comes first, then the latest answers.
      const lines = question.lines(columns, Math.max(rows - above.length, Math.min(rows, 8)));
      screen.draw([...above.slice(Math.max(0, above.length + lines.length - rows)), ...lines].slice(0, rows));
      const event = await screen.next();
      if (event === 'resize') continue;
      if (event === 'signal' || event === 'end') {
        // Whatever opened the screen ends by the same event.
        screen.unread(event);
        throw cancelled();
      }
      if (isCancelKey(event)) throw cancelled();
      const answer = question.press(event);
      if (answer === undefined) continue;
      answered.push({ message, echo: answer.echo });
      return answer.value;
    }
  };
  return {
    text: (message, validate, preset) => ask(message, createTextQuestion(message, validate, preset, style)),
    choice: (message, choices, preset, facts) =>
      ask(message, createChoiceQuestion(message, choices, preset, style), facts),
    choices: (message, groups) => ask(message, createChoicesQuestion(message, groups, style)),
    lendTerminal() {
      screen.suspend();
      return () => screen.resume();
    },
  };
}
