import { HkctlError } from '../core/errors.ts';
import { holdsSecret } from '../core/keys/secrets.ts';
import type { Context } from './context.ts';
import { type Flag, type Flags, type FlagValues, parsed, toggle } from './flags.ts';

/** One command: what it takes, what help says, and what it does. */
export interface CommandDefinition {
  name: string;
  summary: string;
  /** More for help, below the summary. */
  description?: string;
  /** Words after the verb: `CODE`, `REF...`, `[SENSOR...]` (commander's spelling with <> or []). */
  words: readonly { spelling: string; doc: string }[];
  flags: Flags;
  /** Command lines as people type them, with what each does. */
  examples: readonly (readonly [command: string, does: string])[];
  /** It changes nothing: a reader that closes the pipe early has simply seen enough. */
  readOnly: boolean;
  /** Does it; a number is the exit code, nothing means 0. Its flags are typed by {@link defineCommand}. */
  run(
    context: Context,
    flags: Readonly<Record<string, unknown>>,
    words: readonly string[],
  ): Promise<number | undefined>;
}

/** Several commands on one noun. */
export interface Noun {
  name: string;
  summary: string;
  verbs: readonly CommandDefinition[];
  /** What the noun does without a verb. */
  bare?: CommandDefinition;
}

type TypedDefinition<F extends Flags> = Omit<CommandDefinition, 'flags' | 'run' | 'words' | 'readOnly'> & {
  words?: CommandDefinition['words'];
  readOnly?: boolean;
  flags: F;
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that ends well need not say so
  run(context: Context, flags: FlagValues<F>, words: readonly string[]): Promise<number | void>;
};

/** Declares a command; the flags it is given are typed by their declarations. */
export function defineCommand<F extends Flags>(definition: TypedDefinition<F>): CommandDefinition {
  return {
    words: [],
    readOnly: false,
    ...definition,
    // The flags were read by the same declarations, see readFlags.
    run: async (context, flags, words) => (await definition.run(context, flags as FlagValues<F>, words)) ?? undefined,
  };
}

/** The flag of every command that can ask. */
export const yesFlag: Flag<boolean> = toggle('-y, --yes', 'ask nothing: what would be asked is confirmed');

/** The flag of commands that show the address of the API. */
export const baseUrlFlag: Flag<string | undefined> = parsed(
  '--base-url <URL>',
  'address of the API in examples (default: where the daemon runs)',
  requireBaseUrl,
);

/** An http or https address, without a slash at its end. Throws `usage`. */
export function requireBaseUrl(given: string): string {
  if (!/^https?:\/\/[^\s/?#"'$`\\]+(\/[^\s?#"'$`\\]*)?$/.test(given) || !URL.canParse(given) || holdsSecret(given)) {
    throw new HkctlError('usage', `"${given}" is no address: give one such as https://api.example.com.`);
  }
  return given.replace(/\/+$/, '');
}
