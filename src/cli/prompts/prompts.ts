import type { AskedFact, Asker, Choice, ChoiceGroup } from '../terminal/asker.ts';
import { belowText } from '../terminal/canvas.ts';
import type { Io } from '../terminal/io.ts';
import { openScreen } from '../terminal/screen.ts';
import { canDraw, createStyle } from '../terminal/style.ts';
import { terminalLine } from '../terminal/terminal-text.ts';
import { wrapFacts, wrapText } from '../terminal/wrap.ts';
import { createDialog } from './dialog.ts';
import { sentenceLines } from './question.ts';

/**
 * Asks for a line of text; `validate` returns what is wrong with it, or undefined. An empty answer means the `preset`, which
 * is shown next to the question and not as editable text, to which typed characters would only be appended.
 */
export function askText(
  io: Io,
  message: string,
  validate: (text: string) => string | undefined = () => undefined,
  preset?: string,
): Promise<string> {
  return asked(io, (asker) => asker.text(message, validate, preset));
}

export function askHidden(io: Io, message: string): Promise<string> {
  return asked(io, (asker) => asker.hidden(message));
}

/** More choices than this are asked for on the alternate screen. */
const mostBelow = 12;

export function askChoice<T>(
  io: Io,
  message: string,
  choices: readonly Choice<T>[],
  preset?: T,
  facts: readonly AskedFact[] = [],
): Promise<T> {
  if (io.asker) return io.asker.choice(message, choices, preset, facts);
  if (facts.length > 0) write(io, wrapFacts(facts, io.stderr.columns()));
  if (isPlain(io)) return askNumber(io, message, choices, preset);
  return asked(io, (asker) => asker.choice(message, choices, preset), choices.length <= mostBelow);
}

/**
 * Asks for any number of choices under headings, at least one. The list is longer than many terminals have rows, so that it
 * is drawn on the alternate screen; the answer is echoed on the normal one.
 */
export function askChoices<T>(io: Io, message: string, groups: readonly ChoiceGroup<T>[]): Promise<T[]> {
  if (!io.asker && isPlain(io)) {
    return askNumbers(
      io,
      message,
      groups.flatMap(({ choices }) => choices),
    );
  }
  return asked(io, (asker) => asker.choices(message, groups), false);
}

/** Asks on the screen of the settings page if it is open, else on standard error, which keeps the answer. */
async function asked<T>(io: Io, ask: (asker: Asker) => Promise<T>, isBelow = true): Promise<T> {
  if (io.asker) return ask(io.asker);
  const style = createStyle(io.env, io.stderr);
  const screen = openScreen(io, { output: io.stderr, ...(isBelow && { canvasOn: belowText }) });
  const answered: string[] = [];
  try {
    return await ask(createDialog({ screen, style, head: () => [], answered, plain: isPlain(io) }));
  } finally {
    screen.close();
    write(
      io,
      answered.flatMap((answer) => wrapText(`${style.green('✔')} ${answer}`, screen.size().columns)),
    );
  }
}

function write({ stderr }: Io, lines: readonly string[]): void {
  stderr.write(lines.map((line) => `${terminalLine(line)}\n`).join(''));
}

/** Whether nothing may be redrawn: by `--plain`, or because the terminal cannot. */
function isPlain(io: Io): boolean {
  return io.plain === true || !canDraw(io.env, io.stderr);
}

async function askNumber<T>(io: Io, message: string, choices: readonly Choice<T>[], preset: T | undefined): Promise<T> {
  writeNumbered(io, message, choices);
  const at = choices.findIndex(({ value }) => value === preset);
  const preselected = at < 0 ? undefined : `${at + 1}`;
  const answer = await askText(io, `Number, 1 to ${choices.length}`, validateNumber(choices.length), preselected);
  return (choices[Number(answer) - 1] as Choice<T>).value; // the number was validated
}

async function askNumbers<T>(io: Io, message: string, choices: readonly Choice<T>[]): Promise<T[]> {
  writeNumbered(io, message, choices);
  const validateOne = validateNumber(choices.length);
  const validate = (text: string) =>
    text
      .split(',')
      .map((part) => validateOne(part.trim()))
      .find(Boolean);
  const preset = choices.flatMap(({ checked }, i) => (checked ? [i + 1] : [])).join(', ');
  const answer = await askText(io, 'Numbers, joined by commas', validate, preset);
  const wanted = new Set(answer.split(',').map(Number));
  return choices.filter((_, i) => wanted.has(i + 1)).map(({ value }) => value);
}

function writeNumbered(io: Io, message: string, choices: readonly Choice<unknown>[]): void {
  const columns = io.stderr.columns() ?? 80;
  write(io, [...sentenceLines(message, columns), ...choices.map(({ name }, i) => `${i + 1}. ${name}`)]);
}

function validateNumber(highest: number): (text: string) => string | undefined {
  return (text) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= highest
      ? undefined
      : `Give a number from 1 to ${highest}.`;
}
