import { type EditedLine, edited, editedText, toEditedLine } from '../../prompts/line-editor.ts';
import {
  type AskedFact,
  type Asker,
  type Choice,
  type ChoiceGroup,
  cancelled,
  Escaped,
  type Screen,
} from '../../terminal/interaction.ts';
import { isCancelKey, isEnter, type Keypress } from '../../terminal/keypress.ts';
import type { Style } from '../../terminal/style.ts';
import { shortened, truncated, wrapFacts, wrapText } from '../../terminal/wrap.ts';

/**
 * Asks one question after the other on an open screen, below a head and the answers so far. It redraws everything for every key and
 * every new size of the terminal. Ctrl-C, Ctrl-D, a signal and the end of the input cancel (exit 130), and so does Esc, as
 * {@link Escaped}.
 */
export function createDialog(
  screen: Screen,
  style: Style,
  headLines: (columns: number) => readonly string[],
): Asker {
  const answered: { message: string; echo: string }[] = [];
  const ask = async <T>(
    message: string,
    question: Question<T>,
    facts: readonly AskedFact[] = [],
  ): Promise<T> => {
    const linesFor = (columns: number, rows: number) => {
      const echoes = answered.map((answer) => {
        const echo = truncated(`${answer.message}: ${answer.echo}`, columns - 2);
        return `${style.green('✔')} ${echo}`;
      });
      const linesAbove = [...headLines(columns), ...echoes, ...wrapFacts(facts, columns)];

      // The question comes first on a small terminal, then the latest answers.
      const questionRows = Math.max(rows - linesAbove.length, Math.min(rows, 8));
      const questionLines = question.lines(columns, questionRows);
      const excessRows = Math.max(0, linesAbove.length + questionLines.length - rows);
      return [...linesAbove.slice(excessRows), ...questionLines].slice(0, rows);
    };

    for (;;) {
      // Waiting input was typed quickly or pasted, and is shown at once.
      if (!screen.hasMore()) screen.draw(linesFor);
      const event = await screen.next();
      if (event === 'signal' || event === 'end') {
        // The code that opened the screen ends by the same event.
        screen.unread(event);
        throw cancelled();
      }
      if (isCancelKey(event)) {
        if (event.ctrl) throw cancelled();
        answered.pop();
        throw new Escaped();
      }
      const answer = question.press(event);
      if (answer === undefined) continue;
      answered.push({ message, echo: answer.echo });
      return answer.value;
    }
  };
  const escapeHelp = () => (answered.length === 0 ? escCancels : 'Esc goes back');
  return {
    text: (message, validate, preset) =>
      ask(message, createTextQuestion(message, validate, preset, style, escapeHelp())),
    choice: (message, choices, preset, facts) =>
      ask(message, createChoiceQuestion(message, choices, preset, style, escapeHelp()), facts),
    choices: (message, groups) =>
      ask(message, createListQuestion(message, groups, style, undefined, escapeHelp())),
  };
}

const escCancels = 'Esc cancels';

/** Asks for a line of text; the preset is shown next to the question. */
export function createTextQuestion(
  message: string,
  validate: Parameters<Asker['text']>[1],
  preset: string | undefined,
  style: Style,
  escapeHelp = escCancels,
): Question<string> {
  let editedLine: EditedLine = toEditedLine('');
  let problem: string | undefined;
  return {
    lines(columns, rows) {
      const { characters, at: cursorIndex } = editedLine;
      const textBefore = characters.slice(0, cursorIndex).join('');
      const textAfter = characters.slice(cursorIndex).join('');
      const hint = preset && characters.length === 0 ? ` (${preset})` : '';
      const questionLines = wrapText(`? ${message}${hint}: ${textBefore}_${textAfter}`, columns);
      const problemLines = problem === undefined ? [] : wrapText(problem, columns);
      return [
        ...questionLines,
        ...problemLines.map((line) => style.yellow(line)),
        style.dim(`Enter submits, ${escapeHelp}`),
      ].slice(0, rows);
    },
    press(key) {
      if (!isEnter(key)) {
        editedLine = edited(editedLine, key);
        problem = undefined;
        return undefined;
      }
      const answerText = editedLine.characters.join('').trim() || (preset ?? '');
      problem = validate?.(answerText);
      return problem === undefined ? { value: answerText, echo: answerText } : undefined;
    },
  };
}

/** An open question: its lines, and the effect of a pressed key. */
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
  escapeHelp = escCancels,
): Question<T> {
  const groups = [{ heading: '', choices }];
  const { lines, press } = createListQuestion(message, groups, style, { preset }, escapeHelp);
  return {
    lines,
    press(key) {
      const answer = press(key);
      if (answer === undefined) return undefined;
      return { value: answer.value[0] as T, echo: answer.echo }; // one was chosen
    },
  };
}

/**
 * Asks for at least one choice under headings, or with `single` for exactly one, at first its preset. The cursor marks one choice.
 * Typed characters filter the list by name, in upper or lower case.
 */
export function createListQuestion<T>(
  message: string,
  groups: readonly ChoiceGroup<T>[],
  style: Style,
  single?: { preset: T | undefined },
  escapeHelp = escCancels,
): Question<T[]> {
  const choices = groups.flatMap((group) => group.choices);
  const checked = new Set(choices.filter((choice) => choice.checked));
  const presetIndex = choices.findIndex(({ value }) => value === single?.preset);
  let markedIndex = single ? Math.max(0, presetIndex) : 0;
  let filter = '';
  // The next character after a use begins a new filter.
  let isFilterUsed = false;
  let problem: string[] = [];

  const matching = (candidates: readonly Choice<T>[]) => {
    const lowerFilter = filter.toLowerCase();
    return candidates.filter(({ name }) => name.toLowerCase().includes(lowerFilter));
  };

  const narrow = (newFilter: string, markedChoice?: Choice<T>) => {
    filter = newFilter;
    isFilterUsed = false;
    const newIndex = markedChoice ? matching(choices).indexOf(markedChoice) : 0;
    markedIndex = Math.max(0, newIndex);
  };

  const answerOf = (chosen: readonly Choice<T>[]) => {
    const names = chosen.map(({ name }) => name).join(', ');
    return {
      value: chosen.map(({ value }) => value),
      echo: chosen.length > 2 ? `${chosen.length} chosen` : names,
    };
  };

  const footFor = (columns: number, markedChoice: Choice<T> | undefined) => {
    if (!single) {
      const help = wrapText(`${severalHelp}, ${escapeHelp}`, columns).map(style.dim);
      return [...problem.map(style.yellow), ...help];
    }
    const filterHelp = choices.length > 5 ? ', type to filter' : '';
    return [markedChoice?.description ?? '', `↑↓ choose${filterHelp}, Enter submits, ${escapeHelp}`]
      .filter(Boolean)
      .map((line) => style.dim(truncated(line, columns)));
  };

  const matchingRows = () =>
    groups.flatMap(({ heading, choices: grouped }): readonly (Choice<T> | string)[] => {
      const shownChoices = matching(grouped);
      const hasHeading = heading !== '' && shownChoices.length > 0;
      return hasHeading ? [heading, ...shownChoices] : shownChoices;
    });

  const rowText = (
    row: Choice<T> | string,
    markedChoice: Choice<T> | undefined,
    columns: number,
  ) => {
    if (typeof row === 'string') return style.dim(` ── ${row}`);
    const checkMark = checked.has(row) ? '◉' : '◯';
    const choiceText = single
      ? ` ${shortened(row.name, columns - 2)}`
      : `${checkMark} ${truncated(row.name, columns - 3)}`;
    return row === markedChoice ? style.cyan(`❯${choiceText}`) : ` ${choiceText}`;
  };

  return {
    lines(columns, rows) {
      const markedChoice = matching(choices)[markedIndex];
      const countText = single ? '' : ` (${checked.size} of ${choices.length})`;
      const filterEnd = isFilterUsed ? '' : '_';
      const filterText = filter === '' ? '' : `  Filter: ${filter}${filterEnd}`;
      const questionLines = wrapText(`? ${message}${countText}${filterText}`, columns);
      const footLines = footFor(columns, markedChoice);
      const questionRows = Math.max(1, rows - 3 - footLines.length);
      if (questionLines.length > questionRows) {
        const lastLine = questionLines.splice(questionRows - 1).join(' ');
        questionLines.push(truncated(lastLine, columns));
      }

      const listRows = matchingRows();
      if (listRows.length === 0) {
        const noMatch = truncated('  No match. Backspace takes a character back.', columns);
        return [...questionLines, style.yellow(noMatch), ...footLines];
      }

      // Shows as many rows as fit, at least three, with the marked one.
      const freeRows = Math.max(3, rows - questionLines.length - footLines.length);
      const centredIndex = listRows.indexOf(markedChoice ?? '') - Math.floor(freeRows / 2);
      const startIndex = Math.max(0, Math.min(centredIndex, listRows.length - freeRows));
      const endIndex = startIndex + freeRows;
      const listLines = listRows.slice(startIndex, endIndex).map((row, rowIndex) => {
        if (rowIndex === 0 && startIndex > 0) {
          const countAbove = choicesIn(listRows.slice(0, startIndex + 1));
          return style.dim(`  ↑ ${countAbove} more above`);
        }
        if (rowIndex === freeRows - 1 && endIndex < listRows.length) {
          const countBelow = choicesIn(listRows.slice(endIndex - 1));
          return style.dim(`  ↓ ${countBelow} more below`);
        }
        return rowText(row, markedChoice, columns);
      });
      return [...questionLines, ...listLines, ...footLines];
    },
    press(key) {
      const shownChoices = matching(choices);
      const markedChoice = shownChoices[markedIndex];
      const movedIndex = movedTo(markedIndex, shownChoices.length, key);
      const isSelectAll = key.ctrl && key.name === 'a';
      problem = [];
      if (single && isEnter(key)) return markedChoice && answerOf([markedChoice]);

      if (!single && (isSelectAll || key.name === 'space')) {
        const toggled = isSelectAll
          ? shownChoices
          : shownChoices.slice(markedIndex, markedIndex + 1);
        const areChecked = toggled.every((choice) => checked.has(choice));
        for (const choice of toggled) areChecked ? checked.delete(choice) : checked.add(choice);
        isFilterUsed = true;
      } else if (movedIndex !== undefined) markedIndex = movedIndex;
      // Enter ends a filter that was not used yet, as it ends a search.
      else if (isEnter(key) && filter !== '' && !isFilterUsed) narrow('', markedChoice);
      else if (isEnter(key)) {
        const checkedChoices = choices.filter((choice) => checked.has(choice));
        if (checkedChoices.length > 0) return answerOf(checkedChoices);
        problem = ['Choose at least one.'];
      } else {
        const editedFilter = editedText(filter, key);
        const isNewFilter = isFilterUsed && editedFilter.startsWith(filter);
        const newFilter = isNewFilter ? editedFilter.slice(filter.length) : editedFilter;
        if (editedFilter !== filter) narrow(newFilter);
      }
      return undefined;
    },
  };
}

const severalHelp = '↑↓ move, type to filter, space chooses, Ctrl-A all, Enter submits';

function choicesIn(listRows: readonly unknown[]): number {
  return listRows.filter((row) => typeof row !== 'string').length;
}

/** The index after a key that moves the mark; beyond an end it continues at the other end. */
function movedTo(markedIndex: number, choiceCount: number, { name }: Keypress): number | undefined {
  if (name === 'home') return 0;
  if (name === 'end') return Math.max(0, choiceCount - 1);
  const step = { up: -1, down: 1, pageup: -10, pagedown: 10 }[name];
  if (step === undefined || choiceCount === 0) return undefined;

  const newIndex = markedIndex + step;
  if (Math.abs(step) > 1) return Math.max(0, Math.min(choiceCount - 1, newIndex));
  return (newIndex + choiceCount) % choiceCount;
}
