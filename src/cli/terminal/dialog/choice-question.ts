import type { Keypress } from '../keypress.ts';
import type { Choice } from '../prompts/asker.ts';
import type { Style } from '../style.ts';
import { truncated } from '../wrap.ts';
import { fittingMessage, isEnter, type Question } from './question.ts';

/** Asks for one of several choices; the preset, else the first, is marked to begin with. */
export function createChoiceQuestion<T>(
  message: string,
  choices: readonly Choice<T>[],
  preset: T | undefined,
  style: Style,
): Question<T> {
  let at = Math.max(
    0,
    choices.findIndex(({ value }) => value === preset),
  );
  return {
    lines(columns, rows) {
      const description = choices[at]?.description;
      const foot = [
        ...(description ? [style.dim(truncated(description, columns))] : []),
        style.dim(truncated('↑↓ choose, Enter submits, Esc cancels', columns)),
      ];
      const asked = fittingMessage(message, columns, rows, foot.length);
      const listed = choices.map(({ name }, i) => {
        const text = `${i === at ? '❯' : ' '} ${truncated(name, columns - 2)}`;
        return i === at ? style.cyan(text) : text;
      });
      return [...asked, ...windowOf(listed, at, Math.max(3, rows - asked.length - foot.length)), ...foot];
    },
    press(key) {
      const chosen = choices[at];
      if (isEnter(key)) return chosen && { value: chosen.value, echo: chosen.name };
      at = movedTo(at, choices.length, key) ?? namedBy(key, choices, at) ?? at;
      return undefined;
    },
  };
}

/** The index after a key that moves the mark; beyond an end it continues at the other one. */
export function movedTo(at: number, count: number, { name }: Keypress): number | undefined {
  if (name === 'home') return 0;
  if (name === 'end') return count - 1;
  const step = { up: -1, down: 1, pageup: -10, pagedown: 10 }[name];
  if (step === undefined) return undefined;
  if (Math.abs(step) > 1) return Math.max(0, Math.min(count - 1, at + step));
  return (at + step + count) % count;
}

/** The rows of a list that fit, with the marked one among them. */
export function windowOf(lines: readonly string[], at: number, rows: number): readonly string[] {
  const from = Math.max(0, Math.min(at - Math.floor(rows / 2), lines.length - rows));
  return lines.slice(from, from + rows);
}

/** The next choice whose name begins with a typed character, or the one of a typed number. */
function namedBy<T>({ ctrl, text }: Keypress, choices: readonly Choice<T>[], at: number): number | undefined {
  if (ctrl || text.trim() === '') return undefined;
  const number = Number(text);
  if (number >= 1 && number <= choices.length) return number - 1;
  const begins = (i: number) => choices[i]?.name.toLowerCase().startsWith(text.toLowerCase());
  return choices.map((_, i) => (at + 1 + i) % choices.length).find(begins);
}
