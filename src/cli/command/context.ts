import type { Command } from 'commander';
import { type Actor, findActor, requireUnchanged } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { steadyClocks, storeClock } from '../../core/domain/steady-clock.ts';
import type { Store } from '../../core/port/store.ts';
import { withoutSecrets } from '../../core/secrets.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import type { Io, Output } from '../terminal/io.ts';
import { createStyle, type Style } from '../terminal/style.ts';
import { terminalLine, visibleText } from '../terminal/terminal-text.ts';
import { wrapWhole } from '../terminal/wrap.ts';
import type { FlagValues } from './flags.ts';
import type { globalFlags } from './global-flags.ts';
import type { Services } from './services.ts';

/** What every command receives: input and output, the flags that all share, and, at the first call, the store and actor. */
export interface Context {
  io: Io;
  services: Services;
  json: boolean;
  /** Lists show times in full and in UTC, as `--utc` asks for. */
  utc: boolean;
  storePath: string;
  login: string;
  /** Colours of standard output. */
  style: Style;
  /** Opens the store at the first call. */
  domain(): Promise<Domain>;
  /** Refuses a profile that was stopped or changed since {@link session} found it, after a question; see `requireUnchanged`. */
  requireUnchangedActor(): Promise<void>;
  /** The domain on a store that was opened elsewhere. */
  domainOf(store: Store): Domain;
  /** The profile that acts in a store that was opened elsewhere. */
  actorIn(domain: Domain): Promise<Actor>;
  /** The domain and the profile that acts; `no_profile` or `profile_inactive` (exit 4). */
  session(): Promise<{ domain: Domain; actor: Actor }>;
  /** A hint whose commands name the store, if the command line did; what is said and warned has that already. */
  naming(hint: string): string;
  /** Writes lines to standard output. Each is made safe for a terminal: a name may contain any character, also a line break. */
  print(...lines: string[]): void;
  /** Writes a text of the program itself, such as a script, as it is; with `--json` the value given instead. */
  printDocument(text: string, json?: unknown): void;
  printJson(value: unknown): void;
  /** Writes to standard output what a successful command has changed; nothing with `--quiet`. */
  confirm(...lines: string[]): void;
  /** Reports what a successful command has changed: with `--json` the value, else the lines as {@link confirm}. */
  report(json: unknown, ...lines: string[]): void;
  /** Writes hints for people to standard error; nothing with `--json` or `--quiet`. */
  say(...lines: string[]): void;
  /** Writes warnings to standard error; nothing with `--json`. */
  warn(...lines: string[]): void;
  /** The program, with the command loaded that the arguments name. */
  program(words: readonly string[]): Promise<Command>;
  close(): Promise<void>;
}

export function createContext(
  io: Io,
  services: Services,
  globals: FlagValues<typeof globalFlags>,
  program: Context['program'],
  naming: Context['naming'],
): Context {
  let isNamed = globals.store !== undefined || !io.isSystemStore;
  const useStore = () => {
    const path = globals.store ?? io.defaultStorePath;
    // Also with --json, since this store was not named on the command line.
    if (!isNamed && !globals.quiet) io.stderr.write(linesOf([`Store: ${path}`], io.stderr));
    isNamed = true;
    return path;
  };
  let opened: Promise<Domain> | undefined;
  let acting: Promise<Actor> | undefined;
  let style: Style | undefined;
  const domainOf = (store: Store): Domain => {
    const clock = storeClock(store, io.clock);
    const steady = () => ({ ms: clock(), latestMs: clock(), isSteady: false });
    return { store, clock, steady, random: io.random, newId: io.newId };
  };
  const steadily = async (store: Store) => {
    try {
      const known = domainOf(store);
      return { ...known, ...(await steadyClocks(store, known.clock, io.uptime)) };
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
  };
  const print = (...lines: string[]) => io.stdout.write(linesOf(lines));
  const printJson = (value: unknown) =>
    io.stdout.write(`${toSafeJson(value, io.stdout.isTTY ? 2 : undefined, withoutSecrets)}\n`);
  const confirm = (...lines: string[]) => {
    if (!globals.quiet) io.stdout.write(linesOf(lines.map(naming), io.stdout));
  };
  const warn = (...lines: string[]) => {
    if (!globals.json) io.stderr.write(linesOf(lines.map(naming), io.stderr));
  };
  const say = globals.quiet ? () => {} : warn;
  const login = globals.as ?? io.osAccount;
  const actorIn = (domain: Domain) => findActor(domain, login, io.osAccount);
  const domain = () => {
    opened ??= services
      .engine(useStore())
      .then((engine) => engine.open())
      .then(steadily);
    return opened;
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
    async requireUnchangedActor() {
      if (opened && acting) await requireUnchanged(await opened, await acting);
    },
    domainOf,
    actorIn,
    naming,
    async session() {
      const found = await domain();
      acting ??= actorIn(found);
      return { domain: found, actor: await acting };
    },
    print,
    printDocument(text, json) {
      if (globals.json && json !== undefined) printJson(json);
      else io.stdout.write(`${text}\n`);
    },
    printJson,
    confirm,
    report(json, ...lines) {
      if (globals.json) printJson(json);
      else confirm(...lines);
    },
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

/** How a command to paste begins, on a line of its own. */
const commandIndent = ' '.repeat(4);

/**
 * Redacts secrets that were given by mistake, such as a file name; secret delivery does not write through here. Sentences are
 * wrapped for the terminal on which they are shown, if any: it would break them inside a word. Commands to paste
 * stay whole.
 */
function linesOf(lines: readonly string[], terminal?: Pick<Output, 'columns'>): string {
  const shown = lines.map(withoutSecrets);
  const columns = terminal?.columns();
  // Before colours become escape sequences, which would be counted as text.
  const wrap = (line: string, width: number) =>
    line.startsWith(commandIndent) ? [line] : wrapWhole(visibleText(line), width);
  const wrapped = columns === undefined ? shown : shown.flatMap((line) => wrap(line, columns));
  return wrapped.map((line) => `${terminalLine(line)}\n`).join('');
}
