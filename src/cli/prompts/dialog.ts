import { type AskedFact, type Asker, cancelled, type Screen } from '../terminal/asker.ts';
import { isCancelKey, isEnter } from '../terminal/keypress.ts';
import type { Style } from '../terminal/style.ts';
import { truncated, wrapFacts, wrapText } from '../terminal/wrap.ts';
import { type EditedLine, edited, toEditedLine } from './line-editor.ts';
import { createChoiceQuestion, createListQuestion, type Question } from './list-questions.ts';

/**
 * Asks one question after the other on an open screen, below a head and the answers so far. It draws everything again for every key and
 * every new size of the terminal. Esc, Ctrl-C, Ctrl-D, a signal and the end of the input cancel (exit 130).
 */
export function createDialog(
  screen: Screen,
  style: Style,
  head: (columns: number) => readonly string[] = () => [],
): Asker {
  const answered: { message: string; echo: string }[] = [];
  const ask = async <T>(message: string, question: Question<T>, facts: readonly AskedFact[] = []): Promise<T> => {
    for (;;) {
      screen.draw((columns, rows) => {
        const echoes = answered.map(
          (one) => `${style.green('✔')} ${truncated(`${one.message}: ${one.echo}`, columns - 2)}`,
        );
        const above = [...head(columns), ...echoes, ...wrapFacts(facts, columns)];
        // On a small terminal the question comes first, then the latest answers.
        const lines = question.lines(columns, Math.max(rows - above.length, Math.min(rows, 8)));
        return [...above.slice(Math.max(0, above.length + lines.length - rows)), ...lines].slice(0, rows);
      });
      const event = await screen.next();
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
    choices: (message, groups) => ask(message, createListQuestion(message, groups, style)),
    screen,
  };
}

/**
 * Asks for a line of text. An empty answer means the preset, which is shown next to the question; `validate` returns what is
 * wrong with an answer.
 */
export function createTextQuestion(
  message: string,
  validate: (text: string) => string | undefined,
  preset: string | undefined,
  style: Style,
): Question<string> {
  let line: EditedLine = toEditedLine('');
  let problem: string | undefined;
  return {
    lines(columns, rows) {
      const { characters, at } = line;
      const shown = `${characters.slice(0, at).join('')}_${characters.slice(at).join('')}`;
      const hint = preset && characters.length === 0 ? ` (${preset})` : '';
      const asked = wrapText(`? ${message}${hint}: ${shown}`, columns);
      const wrong = problem === undefined ? [] : wrapText(problem, columns).map((text) => style.yellow(text));
      return [...asked, ...wrong, style.dim('Enter submits, Esc cancels')].slice(0, rows);
    },
    press(key) {
      if (!isEnter(key)) {
        line = edited(line, key);
        problem = undefined;
        return undefined;
      }
      const value = line.characters.join('').trim() || (preset ?? '');
      problem = validate(value);
      return problem === undefined ? { value, echo: value } : undefined;
    },
  };
}
