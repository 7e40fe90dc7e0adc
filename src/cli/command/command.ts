import type { AuditAction } from '../../core/access/roles.ts';
import type { Permitted } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { HkctlError } from '../../core/errors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { holdsSecret } from '../../core/secrets.ts';
import type { Context } from './context.ts';
import { type Flag, type Flags, type FlagValues, parsed, toggle } from './flags.ts';
import type { StoreSession } from './store-access.ts';

export interface CommandDefinition<F extends Flags = Flags, A extends AuditAction = AuditAction> {
  /** By default the summary of its noun in the list of commands. */
  summary?: string;
  /** More for help, below the summary. */
  description?: string;
  /** Arguments after the verb: `CODE`, `REF...`, `[SENSOR...]` (commander's spelling with <> or []). */
  arguments: readonly ArgumentDefinition[];
  flags: F;
  /** Advice for a flag that the command does not have on purpose. */
  flagGuidance?: Readonly<Record<string, Guidance>>;
  /** Advice if more words are typed than the command takes; gets the first word too many. */
  excessGuidance?(word: string): string;
  /** Command lines as people type them, each with its effect. */
  examples: readonly (readonly [command: string, does: string])[];
  /** The fields of its JSON, or of each object of an array, from which `--json FIELD,…` chooses. */
  fields: readonly string[];
  /**
   * The required values by the names of their flags; undefined is missing. The command asks for missing values. If no terminal is
   * there to ask, it fails, and `run()` of the command line reports all missing values at once.
   */
  required?(flags: FlagValues<F>, args: readonly string[]): Readonly<Record<string, unknown>>;
  /** The command always asks before it acts, and needs `--yes` if there is no terminal to ask. */
  confirms?: boolean;
  /** The command changes nothing, so that a reader may close the pipe early without an error. */
  readOnly?: boolean;
  /**
   * The action that the actor must be permitted before the command asks or does anything, and its target, which the audit trail
   * records for a refusal; several actions have one target. Every command that opens a store declares it, except commands that
   * make, replace or serve a store. Undefined: these flags need no store.
   */
  needs?(
    flags: FlagValues<F>,
    args: readonly string[],
    context: Context,
  ): MaybePromise<Needs<A> | undefined>;
  /** Whether it also works if there is no store; it is then given no session. */
  worksWithoutStore?(flags: FlagValues<F>): boolean;
  /**
   * Runs it in the store, for the actor that the check of `needs` permitted; undefined if that names no action. A number is the
   * exit code, nothing means 0.
   */
  run(
    context: Context,
    flags: FlagValues<F>,
    args: readonly string[],
    session: CommandSession<A> | undefined,
    // biome-ignore lint/suspicious/noConfusingVoidType: a command that ends well need not say so
  ): Promise<number | void>;
}

/** The store as a permitted actor sees it. */
export interface CommandSession<A extends AuditAction = AuditAction> extends StoreSession {
  actor: Permitted<A>;
}

export interface ArgumentDefinition {
  spelling: string;
  doc: string;
  /** An empty word has a meaning, such as clearing a note. */
  mayBeBlank?: true;
  /** It names a file, and no other word: one that reads like a subcommand is refused. */
  isFile?: true;
}

type Needs<A extends AuditAction = AuditAction> = readonly [
  actions: A | readonly A[],
  target: string,
];

/** The answer to a command that people expect and that does not exist on purpose: the reason and the alternative. */
export interface Guidance {
  message: string;
  hint: string;
}

export interface Noun {
  verbs: Readonly<Record<string, Verb>>;
  /** The command of the noun without a verb. */
  bare?: Verb;
  /** The answers to verbs that do not exist on purpose. */
  guidance?: Readonly<Record<string, Guidance>>;
}

type Verb = CommandDefinition & { summary: string };

type Declared<F extends Flags, A extends AuditAction> = Omit<
  CommandDefinition<F, A>,
  'arguments' | 'flags' | 'run'
> &
  Partial<Pick<CommandDefinition<F, A>, 'arguments' | 'flags'>> & {
    /** A command that declares `needs` is typed to be given the session of its action. */
    run(
      context: Context,
      flags: FlagValues<F>,
      args: readonly string[],
      session: CommandSession<A>,
    ): ReturnType<CommandDefinition['run']>;
  };

/** Declares a command: its flags are typed by their declarations, and its actor by the action that `needs` names. */
export function defineCommand<F extends Flags, A extends AuditAction = never>(
  definition: Declared<F, A> & { summary: string },
): Verb;
export function defineCommand<F extends Flags, A extends AuditAction = never>(
  definition: Declared<F, A>,
): CommandDefinition;
export function defineCommand(definition: Declared<Flags, AuditAction>): CommandDefinition {
  return { arguments: [], flags: {}, ...definition };
}

export const yesFlag: Flag<boolean> = toggle('-y, --yes', 'answer yes to every question');

export const baseUrlFlag: Flag<string | undefined> = parsed(
  '--base-url <URL>',
  'address of the API in examples (default: where the daemon runs)',
  requireBaseUrl,
);

/** Whether a text is an http or https address, in which no character has a meaning for a shell but the brackets of IPv6. */
function isBaseUrl(address: string): boolean {
  const isPlain =
    /^https?:\/\/(\[[\d.:a-f]+\]|[\p{L}\p{N}._-]+)(:\d+)?(\/[\p{L}\p{N}._~%@+,=:/-]*)?$/iu.test(
      address,
    );
  return isPlain && isParsed(address) && !holdsSecret(address);
}

/** `URL.canParse` of Node 20 says no to a host with umlauts once its caller is compiled. */
function isParsed(address: string): boolean {
  try {
    return new URL(address).href !== '';
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}

/** An http or https address, without a slash at its end. Throws `usage`. */
export function requireBaseUrl(address: string): string {
  if (!isBaseUrl(address)) {
    throw new HkctlError(
      'usage',
      `"${address}" is not an address: give one such as https://api.example.com.`,
    );
  }
  return address.replace(/\/+$/, '');
}

/**
 * The address of the API: as given, else as a running daemon has recorded it; undefined if neither is known. A recorded
 * address may be anything that the log-in of a daemon can write, and is shown in a line for a shell.
 */
export async function baseUrlOf(
  domain: Domain,
  baseUrl: string | undefined,
): Promise<string | undefined> {
  if (baseUrl !== undefined) return baseUrl;

  const recordedAddress = await domain.store.daemon.address();
  if (recordedAddress === undefined || !isBaseUrl(recordedAddress)) return undefined;

  return recordedAddress;
}
