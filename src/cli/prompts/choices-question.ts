import type { Choice, ChoiceGroup } from '../terminal/asker.ts';
import type { Style } from '../terminal/style.ts';
import { truncated, wrapText } from '../terminal/wrap.ts';
import { FilteredList } from './filtered-list.ts';
import { fittingMessage, isEnter, type Question } from './question.ts';

const keys = '↑↓ move, type to filter, space chooses, Ctrl-A all, Enter submits, Esc cancels';

/** Asks for any number of choices under headings, at least one. A long selection is echoed as a count. */
export function createChoicesQuestion<T>(
  message: string,
  groups: readonly ChoiceGroup<T>[],
  style: Style,
): Question<T[]> {
  const choices = groups.flatMap((group) => group.choices);
  const checked = new Set(choices.filter((choice) => choice.checked));
  const list = new FilteredList(groups, style);
  let problem = '';
  return {
    lines(columns, rows) {
      const foot = [
        ...(problem === '' ? [] : [style.yellow(problem)]),
        ...wrapText(keys, columns).map((text) => style.dim(text)),
      ];
      const title = `${message} (${checked.size} of ${choices.length})${list.typed}`;
      const asked = fittingMessage(title, columns, rows, foot.length);
      const listed = list.lines(Math.max(3, rows - asked.length - foot.length), (choice, isMarked) => {
        const tick = checked.has(choice) ? '◉' : '◯';
        return `${isMarked ? '❯' : ' '}${tick} ${truncated(choice.name, columns - 3)}`;
      });
      return [...asked, ...listed, ...foot];
    },
    press(key) {
      problem = '';
      const isAll = key.ctrl && key.name === 'a';
      if (key.name === 'space' || isAll) {
        toggle(checked, isAll ? list.shown : list.marked ? [list.marked] : []);
        list.useFilter();
      } else if (isEnter(key) && !list.isFiltering) {
        const chosen = choices.filter((choice) => checked.has(choice));
        if (chosen.length > 0) return { value: chosen.map(({ value }) => value), echo: echoOf(chosen) };
        problem = 'Choose at least one.';
      } else list.press(key);
      return undefined;
    },
  };
}

/** Up to two names; more than that are a count. */
function echoOf(chosen: readonly Choice<unknown>[]): string {
  return chosen.length <= 2 ? chosen.map(({ name }) => name).join(', ') : `${chosen.length} chosen`;
}

/** Ticks choices, or takes their ticks away if all of them have one. */
function toggle<T>(checked: Set<Choice<T>>, choices: readonly Choice<T>[]): void {
  const isTicked = choices.every((choice) => checked.has(choice));
  for (const choice of choices) {
    if (isTicked) checked.delete(choice);
    else checked.add(choice);
  }
}
