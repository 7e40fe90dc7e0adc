import { type EditedLine, edited, editedText, toEditedLine } from '../../prompts/line-editor.ts';
import type { Choice, ChoiceGroup } from '../../terminal/interaction.ts';
import { type AskedFact, type Asker, cancelled, type Screen } from '../../terminal/interaction.ts';
import { isCancelKey, isEnter, type Keypress } from '../../terminal/keypress.ts';
import type { Style } from '../../terminal/style.ts';
import { shortened, truncated, wrapFacts, wrapText } from '../../terminal/wrap.ts';

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
  const ask = async <T>(
    message: string,
    question: Question<T>,
    facts: readonly AskedFact[] = [],
  ): Promise<T> => {
    const linesFor = (columns: number, rows: number) => {
      const echoes = answered.map(
        (one) => `${style.green('✔')} ${truncated(`${one.message}: ${one.echo}`, columns - 2)}`,
      );
      const above = [...head(columns), ...echoes, ...wrapFacts(facts, columns)];
      // On a small terminal the question comes first, then the latest answers.
      const lines = question.lines(columns, Math.max(rows - above.length, Math.min(rows, 8)));
      return [...above.slice(Math.max(0, above.length + lines.length - rows)), ...lines].slice(
        0,
        rows,
      );
    };
    for (;;) {
      // Waiting input was typed quickly or pasted, and is shown at once.
      if (!screen.hasMore()) screen.draw(linesFor);
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
    text: (message, validate, preset) =>
      ask(message, createTextQuestion(message, validate, preset, style)),
    choice: (message, choices, preset, facts) =>
      ask(message, createChoiceQuestion(message, choices, preset, style), facts),
    choices: (message, groups) => ask(message, createListQuestion(message, groups, style)),
  };
}

/** Asks for a line of text; the preset is shown next to the question. */
export function createTextQuestion(
  message: string,
  validate: Parameters<Asker['text']>[1],
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
      const wrong =
        problem === undefined ? [] : wrapText(problem, columns).map((text) => style.yellow(text));
      return [...asked, ...wrong, style.dim('Enter submits, Esc cancels')].slice(0, rows);
    },
    press(key) {
      if (!isEnter(key)) {
        line = edited(line, key);
        problem = undefined;
        return undefined;
      }
      const value = line.characters.join('').trim() || (preset ?? '');
      problem = validate?.(value);
      return problem === undefined ? { value, echo: value } : undefined;
    },
  };
}

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
  const { lines, press } = createListQuestion(message, [{ heading: '', choices }], style, {
    preset,
  });
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
  const matching = (choices: readonly Choice<T>[]) =>
    choices.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const narrow = (newFilter: string, marked?: Choice<T>) => {
    filter = newFilter;
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
      const visibleRows = Math.max(1, rows - 3 - foot.length);
      if (asked.length > visibleRows)
        asked.push(truncated(asked.splice(visibleRows - 1).join(' '), columns));
      const all = groups.flatMap(
        ({ heading, choices: grouped }): readonly (Choice<T> | string)[] => {
          const shown = matching(grouped);
          return heading === '' || shown.length === 0 ? shown : [heading, ...shown];
        },
      );
      if (all.length === 0)
        return [
          ...asked,
          style.yellow(truncated('  No match. Backspace takes a character back.', columns)),
          ...foot,
        ];
      // As many rows as fit, at least three, the marked one among them.
      const free = Math.max(3, rows - asked.length - foot.length);
      const from = Math.max(
        0,
        Math.min(all.indexOf(marked ?? '') - Math.floor(free / 2), all.length - free),
      );
      const to = from + free;
      const lines = all.slice(from, to).map((row, i) => {
        if (i === 0 && from > 0)
          return style.dim(`  ↑ ${choicesIn(all.slice(0, from + 1))} more above`);
        if (i === free - 1 && to < all.length)
          return style.dim(`  ↓ ${choicesIn(all.slice(to - 1))} more below`);
        if (typeof row === 'string') return style.dim(` ── ${row}`);
        const tick = checked.has(row) ? '◉' : '◯';
        const text = single
          ? ` ${shortened(row.name, columns - 2)}`
          : `${tick} ${truncated(row.name, columns - 3)}`;
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

const severalHelp =
  '↑↓ move, type to filter, space chooses, Ctrl-A all, Enter submits, Esc cancels';

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
