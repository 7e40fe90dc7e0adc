import { checkbox, input, password, select } from '@inquirer/prompts';
import { cancelled } from './context.ts';
import type { Io } from './io.ts';
import { canDraw } from './style.ts';

/** One thing to choose. */
export interface Choice<T> {
  name: string;
  value: T;
  description?: string;
  checked?: boolean;
}

/** Asks for a line of text; `judge` gives what is wrong with it, or undefined. */
export function askText(
  io: Io,
  message: string,
  judge: (text: string) => string | undefined = () => undefined,
  preset?: string,
): Promise<string> {
  return asked(io, (place) =>
    input({ message, default: preset, prefill: 'editable', validate: (given) => judge(given.trim()) ?? true }, place),
  ).then((text) => text.trim());
}

/** Asks for a secret without showing it. */
export function askHidden(io: Io, message: string): Promise<string> {
  return asked(io, (place) => password({ message, mask: false, toggleMask: false }, place));
}

/** Asks for one of some choices. */
export function askChoice<T>(io: Io, message: string, choices: readonly Choice<T>[], preset?: T): Promise<T> {
  if (isPlain(io)) return askNumber(io, message, choices, preset);
  return asked(io, (place) => select<T>({ message, choices, default: preset, pageSize: 12 }, place));
}

/** Asks for any number of choices under headings, at least one. */
export function askChoices<T>(
  io: Io,
  message: string,
  groups: readonly { heading: string; choices: readonly Choice<T>[] }[],
): Promise<T[]> {
  if (isPlain(io)) {
    return askNumbers(
      io,
      message,
      groups.flatMap(({ choices }) => choices),
    );
  }
  return asked(io, async (place) => {
    const { Separator } = await import('@inquirer/prompts');
    const choices = groups.flatMap(({ heading, choices: some }) => [new Separator(`── ${heading}`), ...some]);
    return checkbox<T>(
      { message, choices, required: true, pageSize: Math.max(6, (io.stderr.rows() ?? 24) - 6) },
      place,
    );
  });
}

/** Where nothing may be redrawn: by wish, or because the terminal cannot. */
function isPlain(io: Io): boolean {
  return io.plain === true || !canDraw(io.env, io.stderr);
}

async function askNumber<T>(io: Io, message: string, choices: readonly Choice<T>[], preset: T | undefined): Promise<T> {
  writeNumbered(io, message, choices);
  const at = choices.findIndex(({ value }) => value === preset);
  const judge = judgeNumber(choices.length);
  const question = {
    message: `Number, 1 to ${choices.length}`,
    // Shown beside the question and not in the answer's place, where a digit typed would only be added to it.
    default: at < 0 ? undefined : `${at + 1}`,
    validate: (given: string) => judge(given.trim()) ?? true,
  };
  const answer = await asked(io, (place) => input(question, place));
  const chosen = choices[Number(answer) - 1];
  if (!chosen) throw cancelled();
  return chosen.value;
}

async function askNumbers<T>(io: Io, message: string, choices: readonly Choice<T>[]): Promise<T[]> {
  writeNumbered(io, message, choices);
  const judgeOne = judgeNumber(choices.length);
  const judge = (text: string) =>
    text
      .split(',')
      .map((part) => judgeOne(part.trim()))
      .find(Boolean);
  const preset = choices.flatMap(({ checked }, i) => (checked ? [i + 1] : [])).join(', ');
  const answer = await askText(io, 'Numbers, joined by commas', judge, preset);
  const wanted = new Set(answer.split(',').map(Number));
  return choices.filter((_, i) => wanted.has(i + 1)).map(({ value }) => value);
}

function writeNumbered(io: Io, message: string, choices: readonly Choice<unknown>[]): void {
  io.stderr.write(`${message}\n${choices.map(({ name }, i) => `${i + 1}. ${name}\n`).join('')}`);
}

function judgeNumber(highest: number): (text: string) => string | undefined {
  return (text) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= highest
      ? undefined
      : `Give a number from 1 to ${highest}.`;
}

interface Place {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Shows a question on standard error; Ctrl-C and a closed input cancel (exit 130). */
async function asked<T>(io: Io, ask: (place: Place) => Promise<T>): Promise<T> {
  try {
    return await ask({ input: io.stdin, output: io.promptOutput });
  } catch (thrown) {
    if (thrown instanceof Error && ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'].includes(thrown.name)) {
      throw cancelled();
    }
    throw thrown;
  }
}
