import type { Choice, ChoiceGroup } from '../terminal/asker.ts';
import { isEnter, type Keypress } from '../terminal/keypress.ts';
import type { Style } from '../terminal/style.ts';
import { shortened, truncated, wrapText } from '../terminal/wrap.ts';
import { edited, toEditedLine } from './line-editor.ts';

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
  const at = choices.findIndex(({ value }) => value === preset);
  const filter = choices.length > 5 ? ', type to filter' : '';
  const list = new FilteredList([{ heading: '', choices }], style, Math.max(0, at));
  return {
    lines(columns, rows) {
      const help = `↑↓ choose${filter}, Enter submits, Esc cancels`;
      const foot = [list.marked?.description, help].filter(Boolean) as string[]; // none is undefined now
      return list.lines(message, columns, rows, {
        foot: foot.map((text) => style.dim(truncated(text, columns))),
        textOf: ({ name }) => ` ${shortened(name, columns - 2)}`,
      });
    },
    press(key) {
      const chosen = list.marked;
      if (isEnter(key)) return chosen && { value: chosen.value, echo: chosen.name };
      list.press(key);
      return undefined;
    },
  };
}

/** Asks for any number of choices under headings, at least one. A long selection is echoed as a count. */
export function createChoicesQuestion<T>(
  message: string,
  groups: readonly ChoiceGroup<T>[],
  style: Style,
): Question<T[]> {
  const choices = groups.flatMap((group) => group.choices);
  const checked = new Set(choices.filter((choice) => choice.checked));
  const list = new FilteredList(groups, style);
  let problem: string[] = [];
  return {
    lines(columns, rows) {
      const help = '↑↓ move, type to filter, space chooses, Ctrl-A all, Enter submits, Esc cancels';
      return list.lines(`${message} (${checked.size} of ${choices.length})`, columns, rows, {
        foot: [...problem.map(style.yellow), ...wrapText(help, columns).map(style.dim)],
        textOf: (choice) => `${checked.has(choice) ? '◉' : '◯'} ${truncated(choice.name, columns - 3)}`,
      });
    },
    press(key) {
      problem = [];
      const isAll = key.ctrl && key.name === 'a';
      if (key.name === 'space' || isAll) {
        const toggled = isAll ? list.shown : list.marked ? [list.marked] : [];
        const isTicked = toggled.every((choice) => checked.has(choice));
        for (const choice of toggled) isTicked ? checked.delete(choice) : checked.add(choice);
        list.useFilter();
      } else if (isEnter(key) && !list.isFiltering) {
        const chosen = choices.filter((choice) => checked.has(choice));
        const echo = chosen.length > 2 ? `${chosen.length} chosen` : chosen.map(({ name }) => name).join(', ');
        if (chosen.length > 0) return { value: chosen.map(({ value }) => value), echo };
        problem = ['Choose at least one.'];
      } else list.press(key);
      return undefined;
    },
  };
}

interface ListParts<T> {
  foot: readonly string[];
  /** The text of a choice behind the mark. */
  textOf(choice: Choice<T>): string;
}

/**
 * A list of choices of which one is marked. Typed characters filter it: only choices stay whose name contains them, in upper or
 * lower case.
 */
class FilteredList<T> {
  #filter = '';
  /** The next character begins a new filter. */
  #isFilterUsed = false;

  constructor(
    private readonly groups: readonly ChoiceGroup<T>[],
    private readonly style: Style,
    private at = 0,
  ) {}

  get shown(): readonly Choice<T>[] {
    return this.groups.flatMap((group) => this.#matching(group));
  }

  get marked(): Choice<T> | undefined {
    return this.shown[this.at];
  }

  /** The message with what was typed, the choices that fit, at least three rows of them, and the foot. */
  lines(message: string, columns: number, rows: number, { foot, textOf }: ListParts<T>): string[] {
    const typed = this.#filter === '' ? '' : `  Filter: ${this.#filter}${this.#isFilterUsed ? '' : '_'}`;
    const asked = wrapText(`? ${message}${typed}`, columns);
    const most = Math.max(1, rows - 3 - foot.length);
    if (asked.length > most) asked.push(truncated(asked.splice(most - 1).join(' '), columns));
    return [...asked, ...this.#rows(Math.max(3, rows - asked.length - foot.length), textOf), ...foot];
  }

  /** The rows that fit, the marked one among them; the first and last say how many more choices there are. */
  #rows(rows: number, textOf: (choice: Choice<T>) => string): string[] {
    const { marked, style } = this;
    const all = this.groups.flatMap((group): readonly (Choice<T> | string)[] => {
      const choices = this.#matching(group);
      return group.heading === '' || choices.length === 0 ? choices : [group.heading, ...choices];
    });
    if (all.length === 0) return [style.yellow('  No match. Backspace takes a character back.')];
    const from = Math.max(0, Math.min(all.indexOf(marked ?? '') - Math.floor(rows / 2), all.length - rows));
    const to = from + rows;
    return all.slice(from, to).map((row, i) => {
      if (i === 0 && from > 0) return style.dim(`  ↑ ${choicesIn(all.slice(0, from + 1))} more above`);
      if (i === rows - 1 && to < all.length) return style.dim(`  ↓ ${choicesIn(all.slice(to - 1))} more below`);
      if (typeof row === 'string') return style.dim(` ── ${row}`);
      return row === marked ? style.cyan(`❯${textOf(row)}`) : ` ${textOf(row)}`;
    });
  }

  /** Ends the use of the filter: it stays until the next character is typed. */
  useFilter(): void {
    this.#isFilterUsed = true;
  }

  /** Whether a filter was typed and nothing was done with it yet. */
  get isFiltering(): boolean {
    return this.#filter !== '' && !this.#isFilterUsed;
  }

  /** Handles a key that moves the mark or changes the filter; Enter ends a filter, as it ends a search. */
  press(key: Keypress): void {
    const moved = movedTo(this.at, this.shown.length, key);
    if (moved !== undefined) this.at = moved;
    else if (isEnter(key)) this.#narrow('', this.marked);
    else {
      const before = this.#filter;
      const after = edited(toEditedLine(before), key).characters.join('');
      const isNew = this.#isFilterUsed && after.startsWith(before);
      if (after !== before) this.#narrow(isNew ? after.slice(before.length) : after);
    }
  }

  #narrow(filter: string, marked?: Choice<T>): void {
    this.#filter = filter;
    this.#isFilterUsed = false;
    this.at = Math.max(0, marked ? this.shown.indexOf(marked) : 0);
  }

  #matching({ choices }: ChoiceGroup<T>): readonly Choice<T>[] {
    const wanted = this.#filter.toLowerCase();
    return choices.filter(({ name }) => name.toLowerCase().includes(wanted));
  }
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

function choicesIn(rows: readonly unknown[]): number {
  return rows.filter((row) => typeof row !== 'string').length;
}
