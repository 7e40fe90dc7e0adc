import type { Choice, ChoiceGroup } from '../terminal/asker.ts';
import type { Keypress } from '../terminal/keypress.ts';
import type { Style } from '../terminal/style.ts';
import { edited, toEditedLine } from './line-editor.ts';
import { isEnter } from './question.ts';

/**
 * A list of choices of which one is marked. Typed characters filter it: only choices stay whose name contains them, in upper or
 * lower case.
 */
export class FilteredList<T> {
  #filter = '';
  /** The next character begins a new filter. */
  #isFilterUsed = false;
  #at: number;

  constructor(
    private readonly groups: readonly ChoiceGroup<T>[],
    private readonly style: Style,
    marked = 0,
  ) {
    this.#at = marked;
  }

  /** What was typed, to show behind the question. */
  get typed(): string {
    return this.#filter === '' ? '' : `  Filter: ${this.#filter}${this.#isFilterUsed ? '' : '_'}`;
  }

  get shown(): readonly Choice<T>[] {
    return this.groups.flatMap((group) => this.#matching(group));
  }

  get marked(): Choice<T> | undefined {
    return this.shown[this.#at];
  }

  /** The rows that fit, the marked one among them; the first and last say how many more choices there are. */
  lines(rows: number, textOf: (choice: Choice<T>, isMarked: boolean) => string): string[] {
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
      return row === marked ? style.cyan(textOf(row, true)) : textOf(row, false);
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
    const moved = movedTo(this.#at, this.shown.length, key);
    if (moved !== undefined) this.#at = moved;
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
    this.#at = Math.max(0, marked ? this.shown.indexOf(marked) : 0);
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
