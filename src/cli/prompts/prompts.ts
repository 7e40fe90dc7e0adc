import { checkbox, input, password, Separator, search, select } from '@inquirer/prompts';
import {
  type AskedFact,
  type Asker,
  type Choice,
  type ChoiceGroup,
  cancelled,
} from '../terminal/interaction.ts';
import type { Io } from '../terminal/io.ts';
import { isEnter, onKeypress } from '../terminal/keypress.ts';
import { canDraw, createStyle, terminalLine } from '../terminal/style.ts';
import { shortened, truncated, widthOf, wrapFacts } from '../terminal/wrap.ts';
import { asked, type PromptPlace } from './asked.ts';
import { editedText } from './line-editor.ts';
import { askNumbers, fitting, terminalWidthOf, writeLines } from './lines.ts';
import { askByLibrary, promptTheme } from './theme.ts';

/** Asks below the command line, on standard error; Esc cancels, or `goesBack`. By `--plain`, or if the terminal cannot redraw lines, for numbers of choices. */
export function createAsker(io: Io, goesBack = false): Asker {
  const canRedraw = canDraw(io.env, io.stderr);
  const isPlain = io.plain === true || !canRedraw;

  const askText: Asker['text'] = async (wording, validate, preset) => {
    const question = {
      message: fitting(io, wording),
      validate: (answer: string) => validate?.(answer.trim()) ?? true,
    };
    if (!canRedraw) {
      const typedLine = { ...question, preset };
      return asked(io, (place) => askTypedLine(typedLine, place));
    }

    const inputOptions = {
      ...question,
      // Shown next to the question: typed characters would only be appended to editable text.
      default: preset,
      theme: promptTheme(io),
    };
    const answer = await askByLibrary(io, (place) => input(inputOptions, place), 'text');
    return answer.trim();
  };

  return {
    text: askText,
    async choice<T>(
      message: string,
      choices: readonly Choice<T>[],
      preset?: T,
      facts: readonly AskedFact[] = [],
    ) {
      writeLines(io, wrapFacts(facts, io.stderr.columns()));
      if (isPlain) {
        const presetChoices = choices.filter(({ value }) => value === preset);
        const values = await askNumbers(io, askText, message, choices, presetChoices, false);
        return values[0] as T; // one was validated
      }

      return choices.length > longestList
        ? askSearch(io, message, choices, preset, goesBack)
        : askSelect(io, message, choices, preset, goesBack);
    },
    async choices(message, groups) {
      const allChoices = groups.flatMap(({ choices }) => choices);
      const checked = allChoices.filter((choice) => choice.checked);
      if (isPlain) return askNumbers(io, askText, message, allChoices, checked, true);

      return askCheckbox(io, message, groups, goesBack);
    },
  };
}

/** Asks for a secret, without an echo. */
export function askHidden(io: Io, message: string): Promise<string> {
  if (!canDraw(io.env, io.stderr)) {
    const hiddenLine = {
      message,
      validate: () => true as const,
      isHidden: true,
    };
    return asked(io, (place) => askTypedLine(hiddenLine, place));
  }

  const passwordOptions = {
    message,
    mask: false,
    toggleMask: false,
    theme: promptTheme(io),
  };
  return askByLibrary(io, (place) => password(passwordOptions, place), 'text');
}

/** Typing filters a list of more choices. */
const longestList = 12;

/** Asks for one of a few choices. */
function askSelect<T>(
  io: Io,
  message: string,
  choices: readonly Choice<T>[],
  preset: T | undefined,
  goesBack: boolean,
): Promise<T> {
  const question = {
    message: fitting(io, message),
    choices: choices.map((choice) => shownChoice(io, choice)),
    default: preset,
    pageSize: pageSizeFor(io, message),
    theme: promptTheme(io, goesBack),
  };
  return askByLibrary(io, (place) => select<T>(question, place), 'list');
}

/**
 * Asks for one of many choices, the preset first: typed characters leave the choices whose name contains them, in upper or
 * lower case.
 */
function askSearch<T>(
  io: Io,
  message: string,
  choices: readonly Choice<T>[],
  preset: T | undefined,
  goesBack: boolean,
): Promise<T> {
  const presetChoices = choices.filter(({ value }) => value === preset);
  const otherChoices = choices.filter(({ value }) => value !== preset);
  const orderedChoices = [...presetChoices, ...otherChoices];
  const shownChoices = orderedChoices.map((choice) => shownChoice(io, choice));
  const question = {
    message: fitting(io, message),
    source: (typed = '') => {
      const searchTerm = typed.toLowerCase();
      // Tab types the name as it is shown, which may be shortened.
      const matches = (shownName: string) => shownName.toLowerCase().includes(searchTerm);
      const matchingChoices = shownChoices.filter(
        ({ name, short }) => matches(name) || matches(short),
      );
      const listedChoices = matchingChoices.slice(0, longestSearch);
      return [...listedChoices, ...remainderOf(io, matchingChoices.length)];
    },
    pageSize: pageSizeFor(io, message),
    theme: promptTheme(io, goesBack, ['↑↓ choose', 'type to filter']),
  };
  return askByLibrary(io, (place) => search<T>(question, place), 'text');
}

/** The library lays out every choice for each key: thousands would delay typing. */
const longestSearch = 200;

/** The line that says how many choices are left out. */
function remainderOf(io: Io, matches: number): Separator[] {
  if (matches <= longestSearch) return [];

  const remainderText = `… ${matches - longestSearch} more: type a part of the name`;
  const shownText = truncated(remainderText, terminalWidthOf(io) - marginColumns);
  return [dimSeparator(io, shownText)];
}

function dimSeparator(io: Io, text: string): Separator {
  const { dim } = createStyle(io.env, io.stderr);
  return new Separator(terminalLine(dim(text)));
}

/** Asks for any number of choices under headings, at least one. */
function askCheckbox<T>(
  io: Io,
  message: string,
  groups: readonly ChoiceGroup<T>[],
  goesBack: boolean,
): Promise<T[]> {
  const listRows = groups.flatMap(({ heading, choices }) => [
    dimSeparator(io, `── ${heading}`),
    ...choices.map((choice) => shownChoice(io, choice)),
  ]);
  const pageSize = pageSizeFor(io, message);
  const arrows = listRows.length > pageSize ? '↑↓ scroll' : '↑↓ move';
  const theme = promptTheme(io, goesBack, [arrows, 'space chooses']);
  const question = {
    message: fitting(io, message),
    choices: listRows,
    pageSize,
    // A list without an end would show no place to begin at.
    loop: false,
    shortcuts: { all: null, invert: null },
    validate: (chosen: readonly unknown[]) => chosen.length > 0 || 'Choose at least one.',
    theme: {
      ...theme,
      // Without a colour of its own: the library paints the whole marked line.
      icon: { checked: '◉', unchecked: '◯' },
      style: {
        ...theme.style,
        renderSelectedChoices: (chosen: readonly unknown[], shownRows: readonly unknown[]) => {
          const offered = shownRows.filter((row) => !Separator.isSeparator(row));
          return `${chosen.length} of ${offered.length}`;
        },
      },
    },
  };
  return askByLibrary(io, (place) => checkbox<T>(question, place), 'list');
}

/** The cursor, a tick and the blank before a choice. */
const marginColumns = 3;

/**
 * A choice in one line of the terminal; its whole name is shown once it is chosen. Names and descriptions are escaped, since
 * another account may have written them to the store.
 */
function shownChoice<T>(io: Io, choice: Choice<T>) {
  const { name, description } = choice;
  return {
    ...choice,
    name: shortened(terminalLine(name), terminalWidthOf(io) - marginColumns),
    short: terminalLine(name),
    ...(description && { description: terminalLine(description) }),
  };
}

/** The rows of a list that leave room for its question, a blank, a description and the help: the library cannot redraw more. */
function pageSizeFor(io: Io, message: string): number {
  const questionRows = fitting(io, message).split('\n').length;
  const footRows = 5;
  const terminalRows = io.stderr.rows() ?? 24;
  return Math.max(3, terminalRows - questionRows - footRows);
}

interface TypedLine {
  message: string;
  preset?: string;
  /** Returns true, or a sentence about the fault of the text. */
  validate(text: string): true | string;
  isHidden?: boolean;
}

/**
 * Asks for a line on a terminal that cannot move its cursor (`TERM=dumb`), without an escape sequence: typed characters are
 * added, and removed ones are overwritten by blanks. The signal cancels it (exit 130).
 */
function askTypedLine(
  { message, preset, validate, isHidden }: TypedLine,
  { input, output, signal, drawnBy }: PromptPlace,
): Promise<string> {
  const shownPreset = preset ? ` (${preset})` : '';
  const question = `? ${message}${shownPreset} `;
  let typedText = '';
  output.write(question);
  drawnBy({
    leave: () => void output.write('\n'),
    drawAgain: () => void output.write(question + (isHidden ? '' : typedText)),
  });
  input.setRawMode?.(true);
  return new Promise<string>((resolve, reject) => {
    const cancel = () => {
      output.write('\n');
      reject(cancelled());
    };
    const stopKeys = onKeypress(input, (key) => {
      if (signal.aborted) return;
      if (!isEnter(key)) {
        const previousText = typedText;
        typedText = editedText(typedText, key);
        if (isHidden) return;
        const removedText = previousText.startsWith(typedText)
          ? previousText.slice(typedText.length)
          : '';
        output.write(
          removedText ? '\b \b'.repeat(widthOf(removedText)) : typedText.slice(previousText.length),
        );
        return;
      }
      const answer = typedText.trim() || (preset ?? '');
      const verdict = validate(answer);
      output.write('\n');
      if (verdict === true) {
        stopKeys();
        signal.removeEventListener('abort', cancel);
        resolve(answer);
      } else {
        typedText = '';
        output.write(`> ${verdict}\n${question}`);
      }
    });
    signal.addEventListener('abort', cancel);
    input.resume();
  }).finally(() => input.setRawMode?.(false));
}
