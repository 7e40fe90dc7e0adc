import type { Choice, ChoiceGroup } from '../terminal/asker.ts';
import { isEnter, type Keypress } from '../terminal/keypress.ts';
import type { Style } from '../terminal/style.ts';
import { shortened, truncated, wrapText } from '../terminal/wrap.ts';
import { editedText } from './line-editor.ts';

/** A question while it is asked: what it shows, and what a pressed key does to it. */
export interface Question<T> {
  /** The lines for a width, at most `rows` of them. */
  lines(columns: number, rows: number): string[];
  /** Handles a key; returns the answer and how to show it afterwards, once there is one. */
  press(key: Keypress): { value: T; echo: string } | undefined;
}

/** Asks for one of several choices; the preset, else the first, is marked to begin with. */
export function createChoiceQuestion<T>(
  message: string,
  choices: readonly Choice<T>[],
  preset: T | undefined,
  style: Style,
): Question<T> {
  const { lines, press } = createListQuestion(message, [{ heading: '', choices }], style, { preset });
  return {
    lines,
    press(key) {
      const answer = press(key);
      return answer && { value: answer.value[0] as T, echo: answer.echo }; // one was chosen
    },
  };
}

/**
 * Asks for any number of choices under headings, at least one, or with `single` for one of them, at first its preset. One choice is
 * marked. Typed characters filter the list: only choices stay whose name contains them, in upper or lower case.
 */
export function createListQuestion<T>(
  message: string,
  groups: readonly ChoiceGroup<T>[],
  style: Style,
  single?: { preset: T | undefined },
): Question<T[]> {
  const choices = groups.flatMap((group) => group.choices);
  const checked = new Set(choices.filter((choice) => choice.checked));
  let at = Math.max(0, single ? choices.findIndex(({ value }) => value === single.preset) : 0);
  let filter = '';
  // Once it was used, the next character begins a new filter.
  let isFilterUsed = false;
  let problem: string[] = [];
  const matching = (given: readonly Choice<T>[]) =>
    given.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const narrow = (given: string, marked?: Choice<T>) => {
    filter = given;
    isFilterUsed = false;
    at = Math.max(0, marked ? matching(choices).indexOf(marked) : 0);
  };
  const answerOf = (chosen: readonly Choice<T>[]) => ({
    value: chosen.map(({ value }) => value),
    echo: chosen.length > 2 ? `${chosen.length} chosen` : chosen.map(({ name }) => name).join(', '),
  });
  return {
    lines(columns, rows) {
      const marked = matching(choices)[at];
      const count = single ? '' : ` (${checked.size} of ${choices.length})`;
      const typed = filter === '' ? '' : `  Filter: ${filter}${isFilterUsed ? '' : '_'}`;
      const asked = wrapText(`? ${message}${count}${typed}`, columns);
      const foot = single
        ? [
            marked?.description ?? '',
            `↑↓ choose${choices.length > 5 ? ', type to filter' : ''}, Enter submits, Esc cancels`,
          ]
            .filter(Boolean)
            .map((text) => style.dim(truncated(text, columns)))
        : [...problem.map(style.yellow), ...wrapText(severalHelp, columns).map(style.dim)];
      const most = Math.max(1, rows - 3 - foot.length);
      if (asked.length > most) asked.push(truncated(asked.splice(most - 1).join(' '), columns));
      const all = groups.flatMap(({ heading, choices: grouped }): readonly (Choice<T> | string)[] => {
        const shown = matching(grouped);
        return heading === '' || shown.length === 0 ? shown : [heading, ...shown];
      });
      if (all.length === 0) return [...asked, style.yellow('  No match. Backspace takes a character back.'), ...foot];
      // As many rows as fit, at least three, the marked one among them.
      const free = Math.max(3, rows - asked.length - foot.length);
      const from = Math.max(0, Math.min(all.indexOf(marked ?? '') - Math.floor(free / 2), all.length - free));
      const to = from + free;
      const lines = all.slice(from, to).map((row, i) => {
        if (i === 0 && from > 0) return style.dim(`  ↑ ${choicesIn(all.slice(0, from + 1))} more above`);
        if (i === free - 1 && to < all.length) return style.dim(`  ↓ ${choicesIn(all.slice(to - 1))} more below`);
        if (typeof row === 'string') return style.dim(` ── ${row}`);
        const tick = checked.has(row) ? '◉' : '◯';
        const text = single ? ` ${shortened(row.name, columns - 2)}` : `${tick} ${truncated(row.name, columns - 3)}`;
        return row === marked ? style.cyan(`❯${text}`) : ` ${text}`;
      });
      return [...asked, ...lines, ...foot];
    },
    press(key) {
      const shown = matching(choices);
      const marked = shown[at];
      const moved = movedTo(at, shown.length, key);
      const isAll = key.ctrl && key.name === 'a';
      problem = [];
      if (single && isEnter(key)) return marked && answerOf([marked]);
      if (!single && (isAll || key.name === 'space')) {
        const toggled = isAll ? shown : shown.slice(at, at + 1);
        const isTicked = toggled.every((choice) => checked.has(choice));
        for (const choice of toggled) isTicked ? checked.delete(choice) : checked.add(choice);
        isFilterUsed = true;
      } else if (moved !== undefined) at = moved;
      // Enter ends a filter with which nothing was done yet, as it ends a search.
      else if (isEnter(key) && filter !== '' && !isFilterUsed) narrow('', marked);
      else if (isEnter(key)) {
        if (checked.size > 0) return answerOf(choices.filter((choice) => checked.has(choice)));
        problem = ['Choose at least one.'];
      } else {
        const after = editedText(filter, key);
        const isNew = isFilterUsed && after.startsWith(filter);
        if (after !== filter) narrow(isNew ? after.slice(filter.length) : after);
      }
      return undefined;
    },
  };
}

const severalHelp = '↑↓ move, type to filter, space chooses, Ctrl-A all, Enter submits, Esc cancels';

function choicesIn(rows: readonly unknown[]): number {
  return rows.filter((row) => typeof row !== 'string').length;
}

/** The index after a key that moves the mark; beyond an end it continues at the other one. */
function movedTo(at: number, count: number, { name }: Keypress): number | undefined {
  if (name === 'home') return 0;
  if (name === 'end') return Math.max(0, count - 1);
  const step = { up: -1, down: 1, pageup: -10, pagedown: 10 }[name];
  if (step === undefined || count === 0) return undefined;
  if (Math.abs(step) > 1) return Math.max(0, Math.min(count - 1, at + step));
  return (at + step + count) % count;
}
