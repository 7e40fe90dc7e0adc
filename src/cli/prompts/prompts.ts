import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { input, password, select } from '@inquirer/prompts';
import { type AskedFact, type Asker, type Choice, cancelled } from '../terminal/interaction.ts';
import type { Input, Io } from '../terminal/io.ts';
import { isCancelKey, onKeypress } from '../terminal/keypress.ts';
import { openScreen } from '../terminal/screen.ts';
import { canDraw, createStyle, terminalLine } from '../terminal/style.ts';
import { wrapFacts, wrapWhole } from '../terminal/wrap.ts';
import { createDialog } from './dialog.ts';
import { askTypedLine } from './typed-line.ts';

/** Asks below the command line, on standard error; by `--plain`, or if the terminal cannot redraw lines, for numbers of choices. */
export function createAsker(io: Io): Asker {
  const canRedraw = canDraw(io.env, io.stderr);
  const isPlain = io.plain === true || !canRedraw;
  const text: Asker['text'] = async (given, validate, preset) => {
    const question = {
      message: fitting(io, given),
      validate: (answer: string) => validate?.(answer.trim()) ?? true,
    };
    if (!canRedraw) return asked(io, (place) => askTypedLine({ ...question, preset }, place));
    // The preset is shown next to the question and not as editable text, to which typed characters would only be appended.
    const look = { default: preset, theme: promptTheme(io) };
    return (await asked(io, (place) => input({ ...question, ...look }, place))).trim();
  };
  return {
    text,
    async choice<T>(
      message: string,
      choices: readonly Choice<T>[],
      preset?: T,
      facts: readonly AskedFact[] = [],
    ) {
      writeLines(io, wrapFacts(facts, io.stderr.columns()));
      const marked = choices.filter(({ value }) => value === preset);
      if (isPlain) return (await askNumbers(io, text, message, choices, marked, false))[0] as T; // one was validated
      if (choices.length > pageSize) {
        const chosen = await askedOnScreen(io, (dialog) => dialog.choice(message, choices, preset));
        echo(io, message, choices.find(({ value }) => value === chosen)?.name ?? '');
        return chosen;
      }
      const question = {
        message: fitting(io, message),
        choices: choices.map(safely),
        default: preset,
        pageSize,
        theme: promptTheme(io),
      };
      return asked(io, (place) => select<T>(question, place));
    },
    // The list is longer than many terminals have rows, so that it is drawn on the alternate screen.
    async choices(message, groups) {
      const all = groups.flatMap(({ choices }) => choices);
      const checked = all.filter((choice) => choice.checked);
      if (isPlain) return askNumbers(io, text, message, all, checked, true);
      const chosen = await askedOnScreen(io, (dialog) => dialog.choices(message, groups));
      echo(io, message, `${chosen.length} of ${all.length}`);
      return chosen;
    },
  };
}

export function askHidden(io: Io, message: string): Promise<string> {
  const typed = { message, validate: () => true as const, isHidden: true };
  if (!canDraw(io.env, io.stderr)) return asked(io, (place) => askTypedLine(typed, place));
  return asked(io, (place) =>
    password({ message, mask: false, toggleMask: false, theme: promptTheme(io) }, place),
  );
}

/** More choices than this are asked for on the alternate screen, where typing filters them. */
const pageSize = 12;

function echo(io: Io, message: string, answer: string): void {
  const style = createStyle(io.env, io.stderr);
  writeLines(io, [`${style.green('✔')} ${message}: ${answer}`]);
}

function writeLines(io: Io, lines: readonly string[]): void {
  io.stderr.write(lines.map((line) => `${terminalLine(line)}\n`).join(''));
}

function askedOnScreen<T>(io: Io, ask: (dialog: Asker) => Promise<T>): Promise<T> {
  const screen = openScreen(io, io.stderr);
  return ask(createDialog(screen, createStyle(io.env, io.stderr))).finally(screen.close);
}

/**
 * A question for the width of the terminal, which itself would break it inside a word: if it is too long for one line, each
 * sentence begins a line of its own.
 */
function fitting(io: Io, message: string): string {
  // The mark before the question and a blank.
  const width = (io.stderr.columns() ?? 80) - 2;
  const [line, ...more] = wrapWhole(terminalLine(message), width);
  if (line !== undefined && more.length === 0) return line;
  const sentences = message.split(/(?<=[.?!]) (?=\p{Lu})/u);
  return sentences.flatMap((sentence) => wrapWhole(terminalLine(sentence), width)).join('\n');
}

/** Escapes names and descriptions, which may come from a store that another account wrote. */
function safely<T>(choice: Choice<T>): Choice<T> {
  const { name, description } = choice;
  return {
    ...choice,
    name: terminalLine(name),
    ...(description && { description: terminalLine(description) }),
  };
}

/** Asks for the numbers of one or several choices, in lines that are never redrawn; the marked ones are preselected. */
async function askNumbers<T>(
  io: Io,
  askText: Asker['text'],
  message: string,
  choices: readonly Choice<T>[],
  marked: readonly Choice<T>[],
  isSeveral: boolean,
): Promise<T[]> {
  writeLines(io, [
    ...fitting(io, message).split('\n'),
    ...choices.map(({ name }, i) => `${i + 1}. ${name}`),
  ]);
  const chosenBy = (text: string) => {
    const numbers = (isSeveral ? text.split(',') : [text]).map((part) => part.trim());
    return numbers.map((number) =>
      /^\d+$/.test(number) ? choices[Number(number) - 1] : undefined,
    );
  };
  const answer = await askText(
    isSeveral ? 'Numbers, joined by commas' : `Number, 1 to ${choices.length}`,
    (text) =>
      chosenBy(text).every(Boolean) ? undefined : `Give a number from 1 to ${choices.length}.`,
    marked.map((choice) => choices.indexOf(choice) + 1).join(', '),
  );
  const chosen = new Set(chosenBy(answer));
  return choices.filter((choice) => chosen.has(choice)).map(({ value }) => value);
}

interface Place {
  input: Input;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/** Shows a question on standard error. Esc, Ctrl-C, Ctrl-D, a signal and the end of the input cancel it (exit 130). */
async function asked<T>(io: Io, ask: (place: Place) => Promise<T>): Promise<T> {
  const { stdin } = io;
  const { input, release } = withoutLongPastes(stdin);
  const cancelling = new AbortController();
  const cancel = () => cancelling.abort();
  // Listens before the question does: an Esc that Enter follows at once must not choose the marked option.
  const stopKeys = onKeypress(input, (key) => {
    if (isCancelKey(key)) cancel();
  });
  const stopSignals = io.signals.onInterrupt(cancel);
  stdin.on('end', cancel);
  stdin.on('error', cancel);
  try {
    return await ask({ input, output: io.promptOutput, signal: cancelling.signal });
  } catch (thrown) {
    throw thrown instanceof Error && /^(Exit|Abort|Cancel)PromptError$/.test(thrown.name)
      ? cancelled()
      : thrown;
  } finally {
    stopKeys();
    stopSignals();
    stdin.off('end', cancel);
    stdin.off('error', cancel);
    release();
  }
}

/** The look of questions below the command line: the colours of everything else, and how to cancel. */
function promptTheme({ env, stderr }: Io) {
  const style = createStyle(env, stderr);
  const cyan = (text: string) => terminalLine(style.cyan(text));
  return {
    prefix: { idle: cyan('?'), done: terminalLine(style.green('✔')) },
    style: {
      answer: cyan,
      highlight: cyan,
      keysHelpTip: () => terminalLine(style.dim('↑↓ choose, Enter submits, Esc cancels')),
    },
  };
}

/** An answer holds at most so many bytes that were pasted; no path of a file is longer. */
const longestAnswer = 4096;
/** More bytes at once than a single key sends. */
const longestKey = 32;
const ctrlC = Buffer.from('\u0003');

/**
 * The input of one question, without the rest of a text that was pasted and is longer than any answer. The question draws its
 * line again for each character, so that a megabyte would keep it busy for hours, and Ctrl-C would wait behind it.
 */
export function withoutLongPastes(stdin: Input): { input: Input; release(): void } {
  let left = longestAnswer;
  const limited = new Transform({
    transform(chunk: Buffer, _, done) {
      if (chunk.length <= longestKey) return done(null, chunk);
      // A new decoder keeps back the beginning of a character.
      const kept =
        chunk.length <= left
          ? chunk
          : Buffer.from(new StringDecoder().write(chunk.subarray(0, left)));
      left -= kept.length;
      if (kept.length > 0) this.push(kept);
      if (chunk.includes(ctrlC, kept.length)) this.push(ctrlC);
      done();
    },
  });
  const input: Input = Object.assign(
    limited,
    stdin.setRawMode && { setRawMode: stdin.setRawMode.bind(stdin) },
  );
  stdin.pipe(limited);
  return {
    input,
    release() {
      stdin.unpipe(limited);
      stdin.pause();
      limited.destroy();
    },
  };
}
