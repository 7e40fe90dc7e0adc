import { checkbox, confirm, input, password, select } from '@inquirer/prompts';
import { cancelled } from './context.ts';
import type { Io } from './io.ts';

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
  return asked(io, (place) => password({ message, mask: false }, place));
}

/** Asks yes or no. */
export function askYesNo(io: Io, message: string, preset = false): Promise<boolean> {
  return asked(io, (place) => confirm({ message, default: preset }, place));
}

/** Asks for one of some choices. */
export function askChoice<T>(io: Io, message: string, choices: readonly Choice<T>[], preset?: T): Promise<T> {
  return asked(io, (place) => select<T>({ message, choices, default: preset, pageSize: 12 }, place));
}

/** Asks for any number of choices under headings, at least one. */
export function askChoices<T>(
  io: Io,
  message: string,
  groups: readonly { heading: string; choices: readonly Choice<T>[] }[],
): Promise<T[]> {
  return asked(io, async (place) => {
    const { Separator } = await import('@inquirer/prompts');
    const choices = groups.flatMap(({ heading, choices: some }) => [new Separator(`── ${heading}`), ...some]);
    return checkbox<T>(
      { message, choices, required: true, pageSize: Math.max(6, (io.stderr.rows() ?? 24) - 6) },
      place,
    );
  });
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
