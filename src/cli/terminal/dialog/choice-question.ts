import type { Choice } from '../prompts/asker.ts';
import type { Style } from '../style.ts';
import { shortened, truncated } from '../wrap.ts';
import { FilteredList } from './filtered-list.ts';
import { fittingMessage, isEnter, type Question } from './question.ts';

/** Asks for one of several choices; the preset, else the first, is marked to begin with. */
export function createChoiceQuestion<T>(
  message: string,
  choices: readonly Choice<T>[],
  preset: T | undefined,
  style: Style,
): Question<T> {
  const at = choices.findIndex(({ value }) => value === preset);
  const filter = choices.length > 5 ? ', type to filter' : '';
  const list = new FilteredList([{ heading: '', choices }], style, Math.max(0, at));
  return {
    lines(columns, rows) {
      const description = list.marked?.description;
      const foot = [
        ...(description ? [style.dim(truncated(description, columns))] : []),
        style.dim(truncated(`↑↓ choose${filter}, Enter submits, Esc cancels`, columns)),
      ];
      const asked = fittingMessage(message + list.typed, columns, rows, foot.length);
      const listed = list.lines(
        Math.max(3, rows - asked.length - foot.length),
        ({ name }, isMarked) => `${isMarked ? '❯' : ' '} ${shortened(name, columns - 2)}`,
      );
      return [...asked, ...listed, ...foot];
    },
    press(key) {
      const chosen = list.marked;
      if (isEnter(key)) return chosen && { value: chosen.value, echo: chosen.name };
      list.press(key);
      return undefined;
    },
  };
}
