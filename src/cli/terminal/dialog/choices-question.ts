import type { Choice, ChoiceGroup } from '../prompts/asker.ts';
import type { Style } from '../style.ts';
import { truncated, wrapText } from '../wrap.ts';
import { movedTo, windowOf } from './choice-question.ts';
import { fittingMessage, isEnter, type Question } from './question.ts';

/** Asks for any number of choices under headings, at least one. A long selection is echoed as a count. */
export function createChoicesQuestion<T>(
  message: string,
  groups: readonly ChoiceGroup<T>[],
  style: Style,
): Question<T[]> {
  const choices = groups.flatMap((group) => group.choices);
  const checked = new Set(choices.filter((choice) => choice.checked));
  let at = 0;
  let problem = '';
  return {
    lines(columns, rows) {
      const keys = ['↑↓ move', 'space chooses', 'a all', 'i inverts', 'Enter submits', 'Esc cancels'].join(', ');
      const foot = [
        ...(problem === '' ? [] : [style.yellow(problem)]),
        ...wrapText(keys, columns).map((text) => style.dim(text)),
      ];
      const title = `${message} (${checked.size} of ${choices.length})`;
      const asked = fittingMessage(title, columns, rows, foot.length);
      const listed: string[] = [];
      let row = 0;
      for (const { heading, choices: some } of groups) {
        listed.push(style.dim(` ── ${heading}`));
        for (const choice of some) {
          const isMarked = choice === choices[at];
          if (isMarked) row = listed.length;
          const text = `${isMarked ? '❯' : ' '}${checked.has(choice) ? '◉' : '◯'} ${truncated(choice.name, columns - 3)}`;
          listed.push(isMarked ? style.cyan(text) : text);
        }
      }
      return [...asked, ...windowOf(listed, row, Math.max(3, rows - asked.length - foot.length)), ...foot];
    },
    press(key) {
      problem = '';
      if (isEnter(key)) {
        const chosen = choices.filter((choice) => checked.has(choice));
        if (chosen.length > 0) return { value: chosen.map(({ value }) => value), echo: echoOf(chosen) };
        problem = 'Choose at least one.';
      } else if (key.name === 'space') toggle(checked, choices[at]);
      else if (key.text === 'a')
        setAll(checked, choices, (choice) => checked.size < choices.length || !checked.has(choice));
      else if (key.text === 'i') setAll(checked, choices, (choice) => !checked.has(choice));
      else at = movedTo(at, choices.length, key) ?? at;
      return undefined;
    },
  };
}

/** Up to two names; more than that are a count. */
function echoOf(chosen: readonly Choice<unknown>[]): string {
  return chosen.length <= 2 ? chosen.map(({ name }) => name).join(', ') : `${chosen.length} chosen`;
}

function toggle<T>(checked: Set<Choice<T>>, choice: Choice<T> | undefined): void {
  if (choice && !checked.delete(choice)) checked.add(choice);
}

function setAll<T>(
  checked: Set<Choice<T>>,
  choices: readonly Choice<T>[],
  isWanted: (choice: Choice<T>) => boolean,
): void {
  const wanted = choices.filter(isWanted);
  checked.clear();
  for (const choice of wanted) checked.add(choice);
}
