import type { Style } from '../style.ts';
import { wrapText } from '../wrap.ts';
import { type EditedLine, edited, toEditedLine } from './line-editor.ts';
import { isEnter, type Question } from './question.ts';

/**
 * Asks for a line of text. An empty answer means the preset, which is shown beside the question; `validate` returns what is
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
