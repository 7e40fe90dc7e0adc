import { type Asker, type Choice, type ChoiceGroup, isEnter, type Keypress } from '../terminal/interaction.ts';
import type { Style } from '../terminal/style.ts';
import { broken, shortened, truncated, widthOf, wrapSentences, wrapText } from '../terminal/wrap.ts';
import { type EditedLine, edited, editedText, toEditedLine } from './line-editor.ts';

/** A question while it is asked: what it shows, and what a pressed key does to it. */
export interface Question<T> {
  /** The lines for a width, at most `rows` of them. */
  lines(columns: number, rows: number): string[];
  /** Where the cursor of the terminal is in them; without it they have a mark of their own. */
  cursor?(columns: number): [row: number, column: number];
  press(key: Keypress): Answer<T> | undefined;
}

/** The answer, and how to show it afterwards. */
export interface Answer<T> {
  value: T;
  echo: string;
}

/** The colours of a question, and whether it stands below the command line: sentence by sentence, with the cursor of the terminal. */
export type Look = Style & { isInline?: true };

/** Asks for a line of text; the preset is shown next to the question. Nothing is shown of a hidden one. */
export function createTextQuestion(
  message: string,
  validate: Parameters<Asker['text']>[1],
  preset: string | undefined,
  look: Look,
  isHidden = false,
): Question<string> {
  let line: EditedLine = toEditedLine('');
  let problem: string | undefined;
  const asked = `${message}${preset ? ` (${preset})` : ''}`;
  /** The question with the text up to the cursor, or with all of it. */
  const inlineLines = (columns: number, end?: number) => {
    const lines = questionLines(asked, columns, look);
    const shown = isHidden ? '' : line.characters.slice(0, end).join('');
    return [...lines.slice(0, -1), ...broken(`${lines.at(-1)} ${shown}`, columns)];
  };
  return {
    lines(columns, rows) {
      const { characters, at } = line;
      const wrong = problem === undefined ? [] : wrapText(look.isInline ? `> ${problem}` : problem, columns);
      const below = wrong.map((text) => look.yellow(text));
      if (look.isInline) return [...inlineLines(columns), ...below].slice(0, rows);
      const shown = `${characters.slice(0, at).join('')}_${characters.slice(at).join('')}`;
      return [
        ...questionLines(`${asked}: ${shown}`, columns, look),
        ...below,
        look.dim('Enter submits, Esc cancels'),
      ].slice(0, rows);
    },
    ...(look.isInline && {
      cursor(columns) {
        const lines = inlineLines(columns, line.at);
        return [lines.length - 1, widthOf(lines.at(-1) ?? '')];
      },
    }),
    press(key) {
      if (!isEnter(key)) {
        line = edited(line, key);
        problem = undefined;
        return undefined;
      }
      const value = line.characters.join('').trim() || (preset ?? '');
      problem = validate?.(value);
      return problem === undefined ? { value, echo: isHidden ? '' : value } : undefined;
    },
  };
}

/** Asks for one of several choices; the preset, else the first, is marked to begin with. */
export function createChoiceQuestion<T>(
  message: string,
  choices: readonly Choice<T>[],
  preset: T | undefined,
  look: Look,
): Question<T> {
  const { lines, press } = createListQuestion(message, [{ heading: '', choices }], look, { preset });
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
  look: Look,
  single?: { preset: T | undefined },
): Question<T[]> {
  const choices = groups.flatMap((group) => group.choices);
  const checked = new Set(choices.filter((choice) => choice.checked));
  let at = Math.max(0, single ? choices.findIndex(({ value }) => value === single.preset) : 0);
  let filter = '';
  // Once it was used, the next character begins a new filter.
  let isFilterUsed = false;
  let problem: string[] = [];
  const matching = (given: readonly Choice<T>[]) => {
    const sought = filter.toLowerCase();
    return given.filter(({ name }) => name.toLowerCase().includes(sought));
  };
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
      const asked = questionLines(`${message}${count}${typed}`, columns, look);
      const help = `↑↓ choose${choices.length > 5 && !look.isInline ? ', type to filter' : ''}, Enter submits, Esc cancels`;
      const below = [...(marked?.description ? [marked.description] : []), help];
      const foot = single
        ? [...(look.isInline ? [''] : []), ...below.map((text) => look.dim(truncated(text, columns)))]
        : [...problem.map(look.yellow), ...wrapText(severalHelp, columns).map(look.dim)];
      const most = Math.max(1, rows - 3 - foot.length);
      if (asked.length > most) asked.push(truncated(asked.splice(most - 1).join(' '), columns));
      const all = groups.flatMap(({ heading, choices: grouped }): readonly (Choice<T> | string)[] => {
        const shown = matching(grouped);
        return heading === '' || shown.length === 0 ? shown : [heading, ...shown];
      });
      if (all.length === 0)
        return [...asked, look.yellow(truncated('  No match. Backspace takes a character back.', columns)), ...foot];
      // As many rows as fit, at least three, the marked one among them.
      const free = Math.max(3, rows - asked.length - foot.length);
      const from = Math.max(0, Math.min(all.indexOf(marked ?? '') - Math.floor(free / 2), all.length - free));
      const to = from + free;
      const lines = all.slice(from, to).map((row, i) => {
        if (i === 0 && from > 0) return look.dim(`  ↑ ${choicesIn(all.slice(0, from + 1))} more above`);
        if (i === free - 1 && to < all.length) return look.dim(`  ↓ ${choicesIn(all.slice(to - 1))} more below`);
        if (typeof row === 'string') return look.dim(` ── ${row}`);
        const tick = checked.has(row) ? '◉' : '◯';
        const text = single ? ` ${shortened(row.name, columns - 2)}` : `${tick} ${truncated(row.name, columns - 3)}`;
        return row === marked ? look.cyan(`❯${text}`) : ` ${text}`;
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

function questionLines(asked: string, columns: number, { isInline }: Look): string[] {
  if (!isInline) return wrapText(`? ${asked}`, columns);
  return wrapSentences(asked, columns - 2).map((line, i) => (i === 0 ? `? ${line}` : line));
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
