import type { Command } from 'commander';
import { type Actor, type Domain, findActor } from '../core/access/actors.ts';
import { HkctlError } from '../core/errors.ts';
import { withoutSecrets } from '../core/keys/secrets.ts';
import type { Store } from '../core/port/store.ts';
import { toSafeJson } from '../core/text/shown-text.ts';
import { wordList } from '../core/text/word-list.ts';
import { steadyClock, storeClock } from '../core/time/steady-clock.ts';
import { cancelled } from './cancellation.ts';
import type { FlagValues } from './flags.ts';
import type { globalFlags } from './global-flags.ts';
import type { Services } from './services.ts';
import { canAsk, type Io, type Output } from './terminal/io.ts';
import { sentenceOf } from './terminal/sentence.ts';
import { createStyle, type Style } from './terminal/style.ts';
import { terminalLine, visibleText } from './terminal/terminal-text.ts';
import { wrapWhole } from './terminal/wrap.ts';

/** What every command receives: input and output, the flags that all share, and, at the first call, the store and actor. */
export interface Context {
  io: Io;
  services: Services;
  json: boolean;
  /** Lists show times in full and in UTC, as `--utc` asks for. */
  utc: boolean;
  storePath: string;
  /** The login of the profile that acts. */
  login: string;
  /** Colours of standard output. */
  style: Style;
  /** Opens the store at the first call. */
  domain(): Promise<Domain>;
  /** The profile that acts; `no_profile` or `profile_inactive` (exit 4). */
  actor(): Promise<Actor>;
  /** The domain on a store that was opened elsewhere. */
  domainOf(store: Store): Domain;
  /** The profile that acts in a store that was opened elsewhere. */
  actorIn(domain: Domain): Promise<Actor>;
  /** The domain and the actor, which nearly every command needs. */
  session(): Promise<{ domain: Domain; actor: Actor }>;
  /** Writes lines to standard output. Each is made safe for a terminal: a name may contain any character, also a line break. */
  print(...lines: string[]): void;
  /** Writes a text of the program itself, such as a script, as it is. */
  printDocument(text: string): void;
  /** Writes one JSON document to standard output. */
  printJson(value: unknown): void;
  /** Writes to standard output what a successful command has changed; nothing with `--quiet`. */
  confirm(...lines: string[]): void;
  /** Writes hints for people to standard error; nothing with `--json` or `--quiet`. */
  say(...lines: string[]): void;
  /** Writes warnings to standard error; nothing with `--json`. */
  warn(...lines: string[]): void;
  /** The program, with the command loaded that the arguments name. */
  program(words: readonly string[]): Promise<Command>;
  /** Closes the store. */
  close(): Promise<void>;
}

/** Creates the context of one run. */
export function createContext(
  io: Io,
  services: Services,
  globals: FlagValues<typeof globalFlags>,
  program: Context['program'],
): Context {
  let isNamed = globals.store !== undefined || !io.isSystemStore;
  const useStore = () => {
    const path = globals.store ?? io.defaultStorePath;
    if (!isNamed) say(`Store: ${path}`);
    isNamed = true;
    return path;
  };
  let opened: Promise<Domain> | undefined;
  let acting: Promise<Actor> | undefined;
  let style: Style | undefined;
  const domainOf = (store: Store) => ({
    store,
    clock: storeClock(store, io.clock),
    random: io.random,
    newId: io.newId,
  });
  const steadily = async (store: Store) => {
    try {
      const known = domainOf(store);
      return { ...known, clock: await steadyClock(store, known.clock, io.uptime) };
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
  };
  const print = (...lines: string[]) => io.stdout.write(linesOf(lines));
  const confirm = (...lines: string[]) => io.stdout.write(linesOf(lines, io.stdout));
  const warn = (...lines: string[]) => {
    if (!globals.json) io.stderr.write(linesOf(lines, io.stderr));
  };
  const say = globals.quiet ? () => {} : warn;
  const login = globals.as ?? io.osAccount;
  const actorIn = (domain: Domain) => findActor(domain, login, io.osAccount);
  const domain = () => {
    opened ??= services.openStore(useStore()).then(steadily);
    return opened;
  };
  const actor = () => {
    acting ??= domain().then(actorIn);
    return acting;
  };
  return {
    io,
    services,
    json: globals.json,
    utc: globals.utc,
    get storePath() {
      return useStore();
    },
    login,
    get style() {
      style ??= createStyle(io.env, io.stdout);
      return style;
    },
    domain,
    actor,
    domainOf,
    actorIn,
    session: async () => ({ domain: await domain(), actor: await actor() }),
    print,
    printDocument: (text) => io.stdout.write(`${text}\n`),
    printJson: (value) => io.stdout.write(`${toSafeJson(value, io.stdout.isTTY ? 2 : undefined, withoutSecrets)}\n`),
    confirm: globals.quiet ? () => {} : confirm,
    say,
    warn,
    program,
    async close() {
      const closing = opened;
      opened = undefined;
      // An open that failed was reported already, and left nothing to close.
      const domainToClose = await closing?.catch(() => undefined);
      await domainToClose?.store.close();
    },
  };
}

/**
 * Redacts secrets that were given by mistake, such as a file name; secret delivery does not write through here. Sentences are
 * wrapped for the terminal on which they are shown, if any: it would break them inside a word.
 */
function linesOf(lines: readonly string[], terminal?: Pick<Output, 'columns'>): string {
  const shown = lines.map(withoutSecrets);
  const columns = terminal?.columns();
  // Before colours become escape sequences, which would be counted as text.
  const wrapped = columns === undefined ? shown : shown.flatMap((line) => wrapWhole(visibleText(line), columns));
  return wrapped.map((line) => `${terminalLine(line)}\n`).join('');
}

/** Asks for a value that was not given, on a terminal; elsewhere exit 2 with the flag's name. */
export async function valueOrAsk<T>(
  context: Context,
  given: T | undefined,
  flag: string,
  ask: () => Promise<T>,
): Promise<T> {
  requireGiven(context, { [flag]: given });
  return given ?? ask();
}

/** Asks for a text that was not given, on a terminal; `rule` throws where the answer is not valid. */
export function textOrAsk(
  context: Context,
  given: string | undefined,
  flag: string,
  question: string,
  rule: (answer: string) => void,
  preset?: string,
): Promise<string> {
  return valueOrAsk(context, given, flag, async () => {
    const { askText } = await import('./terminal/prompts.ts');
    return askText(context.io, question, (answer) => sentenceOf(() => rule(answer)), preset);
  });
}

/**
 * Where nothing can be asked, throws `usage` with every flag that was not given, so that all are reported at once. `values` are
 * what was given, by flag.
 */
export function requireGiven(context: Pick<Context, 'io' | 'json'>, values: Readonly<Record<string, unknown>>): void {
  if (canAsk(context.io) && !context.json) return;
  const missing = missingOf(values);
  if (missing.length === 0) return;
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new HkctlError('usage', `${wordList(missing, 'and')} ${are} missing.`, {
    hint: context.io.asksNothing
      ? `With --yes nothing is asked: give ${them}.`
      : `Give ${them}; hkctl asks only on a terminal, without --json.`,
  });
}

/** The names without a value. */
export function missingOf(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((name) => values[name] === undefined);
}

/** Asks before something that cannot be undone; without `--yes` and off a terminal it is exit 2, a no is exit 130. */
export async function requireConfirmation(
  context: Context,
  yes: boolean,
  question: string,
  action: string,
): Promise<void> {
  if (yes) return;
  requireConfirmable(context, yes, question);
  const { askChoice } = await import('./terminal/prompts.ts');
  // An Enter too many destroys nothing: the safe answer stands first, and is chosen to begin with.
  const choices = [
    { name: 'Cancel', value: false },
    { name: action, value: true },
  ];
  const answer = await askChoice(context.io, question, choices, false);
  if (!answer) throw cancelled();
}

/** The same for the most destructive commands: the answer has to be typed in full, such as the code of an entity. */
export async function requireTyped(context: Context, yes: boolean, question: string, word: string): Promise<void> {
  if (yes) return;
  requireConfirmable(context, yes, question);
  const { askText } = await import('./terminal/prompts.ts');
  const message = `${question} Type ${word} to confirm, or nothing to cancel`;
  const answer = await askText(context.io, message, (given) =>
    given === word || given === '' ? undefined : `That is not ${word}. Type nothing to cancel.`,
  );
  if (answer !== word) throw cancelled();
}

/** Refuses what a question would have to confirm where nobody can be asked and `--yes` is missing (exit 2). */
export function requireConfirmable(context: Context, yes: boolean, question: string): void {
  if (yes || (canAsk(context.io) && !context.json)) return;
  throw new HkctlError('confirmation_required', `This needs --yes where nobody can be asked: ${question}`, {
    hint: 'Give --yes to confirm it.',
  });
}
