import type { Command } from 'commander';
import { type Actor, findActor, requireUnchanged } from '../../core/domain/actors.ts';
import { domainSeenBy } from '../../core/domain/confinement.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { steadyClocks, storeClock } from '../../core/domain/steady-clock.ts';
import { HkctlError } from '../../core/errors.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type { BackupSeries } from '../../core/operations/backups.ts';
import type { Engine } from '../../core/operations/engine.ts';
import type { ExampleName } from '../../core/operations/examples.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import { stopText } from '../../core/operations/stops.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { KeptStopped } from '../../core/port/stops.ts';
import type { Store } from '../../core/port/store.ts';
import type { ReadingReader } from '../../core/readings/imports.ts';
import type { RowReader } from '../../core/records/imports.ts';
import { withoutSecrets } from '../../core/secrets.ts';
import { printable, toSafeJson } from '../../core/text/shown-text.ts';
import { canAsk, type Io, type Output } from '../terminal/io.ts';
import { journalLine, type MessageLevel } from '../terminal/journal.ts';
import { createStyle, type Style, terminalLine, visibleText } from '../terminal/style.ts';
import { wrapWhole } from '../terminal/wrap.ts';
import type { FlagValues, globalFlags } from './flags.ts';
import { chosenFields } from './json-fields.ts';

/** The services of every command: input and output, the flags that all share, and, at the first call, the store and actor. */
export type Context = ReturnType<typeof createContext>;

/** The profile that acts, and the domain as it sees it. A command that declares `needs` receives one. */
export interface StoreSession {
  domain: Domain;
  actor: Actor;
}

/** `program` gives the program with the command loaded that words name; `naming` adds the store to the commands of a hint, if the line named it. */
export function createContext(
  io: Io,
  services: Services,
  globals: FlagValues<typeof globalFlags> & { fields?: readonly string[] | undefined },
  program: (words: readonly string[]) => Promise<Command>,
  naming: (hint: string) => string,
) {
  /** Writes messages to standard error. */
  const tell = (level: MessageLevel, ...lines: string[]): void => {
    const text = io.logsMessages
      ? lines.map((line) => journalLine(level, withoutSecrets(line), {}, io.clock())).join('')
      : linesOf(lines, io.stderr);
    io.stderr.write(text);
  };
  let isNamed = globals.store !== undefined || !io.isSystemStore;
  const useStore = () => {
    const path = globals.store ?? io.defaultStorePath ?? noStoreNamed();
    // Also with --json, since this store was not named on the command line.
    if (!isNamed && !globals.quiet) tell('info', `Store: ${path}`);
    isNamed = true;
    return path;
  };
  let opened: Promise<Domain> | undefined;
  let acting: Promise<Actor> | undefined;
  let seen: Promise<StoreSession> | undefined;
  let style: Style | undefined;
  /** The domain on a store that was opened elsewhere. */
  const domainOf = (store: Store): Domain => {
    const clock = storeClock(store, io.clock);
    const steady = () => ({ ms: clock(), latestMs: clock(), isSteady: false });
    return { store, clock, steady, random: io.random, newId: io.newId };
  };
  const open = async (): Promise<Domain> => {
    const store = await (await services.engine(useStore())).open();
    try {
      const bareDomain = domainOf(store);
      return { ...bareDomain, ...(await steadyClocks(store, bareDomain.clock, io.uptime)) };
    } catch (thrown) {
      await store.close();
      throw thrown;
    }
  };
  /** Opens the store at the first call. `warns`: says what was stopped again, which a daemon logs. */
  const domain = ({ warns } = { warns: true }) => {
    opened ??= open().then((openedDomain) => {
      if (warns) warn(...linesOfStops(openedDomain.store.stoppedAgain ?? []));
      return openedDomain;
    });
    return opened;
  };
  const login = globals.as ?? io.osAccount;
  /** The profile that acts in a store that was opened elsewhere. */
  const actorIn = (domain: Domain) => findActor(domain, login, io.osAccount);
  /** The fields of a JSON value that were asked for by `--json FIELD,…`. */
  const chosen = (value: unknown) => chosenFields(value, globals.fields);
  const session = async () => {
    const openedDomain = await domain();
    acting ??= actorIn(openedDomain);
    const actor = await acting;
    return { domain: domainSeenBy(openedDomain, actor.user), actor };
  };
  const printJson = (value: unknown) =>
    io.stdout.write(
      `${toSafeJson(chosen(value), io.stdout.isTTY ? 2 : undefined, withoutSecrets)}\n`,
    );
  /** Writes to standard output what a successful command has changed; nothing with `--quiet`. */
  const confirm = (...lines: string[]) => {
    if (!globals.quiet) io.stdout.write(linesOf(lines.map(naming), io.stdout));
  };
  /** Writes warnings to standard error; nothing with `--json`. */
  const warn = (...lines: string[]) => {
    if (!globals.json) tell('warn', ...lines.map(naming));
  };
  /** Writes hints for people to standard error; nothing with `--json` or `--quiet`. */
  const say = (...lines: string[]) => {
    if (!globals.json && !globals.quiet) tell('info', ...lines.map(naming));
  };
  return {
    io,
    services,
    json: globals.json,
    /** Whether questions can be asked: there is a terminal for them, and neither --yes nor --json was given. */
    get canAsk() {
      return canAsk(io) && !globals.json;
    },
    /** Lists show times in full and in UTC, as `--utc` asks for. */
    utc: globals.utc,
    get storePath() {
      return useStore();
    },
    login,
    /** Colours of standard output. */
    get style() {
      style ??= createStyle(io.env, io.stdout);
      return style;
    },
    domain,
    domainOf,
    actorIn,
    /** Opens the store and finds the actor, for `runCommand` alone. Throws `no_profile` or `profile_inactive` (exit 4). */
    session() {
      seen ??= session();
      return seen;
    },
    /** Refuses a profile that was stopped or changed since {@link session} found it, after a question; see `requireUnchanged`. */
    async requireUnchangedActor() {
      if (opened && acting) await requireUnchanged(await opened, await acting);
    },
    /** Adds the store to a hint. `say` and `warn` do so themselves. */
    naming,
    /** Writes lines to standard output. Each is made safe for a terminal: a name may contain any character, also a line break. */
    print: (...lines: string[]) => io.stdout.write(linesOf(lines)),
    /** Writes a text of the program itself, such as a script, as it is; with `--json` the value given instead. */
    printDocument(text: string, json?: unknown) {
      if (globals.json && json !== undefined) printJson(json);
      else io.stdout.write(`${text}\n`);
    },
    printJson,
    /** The fields that `--json FIELD,…` names. */
    fields: globals.fields,
    chosen,
    /** Writes rows for programs: cells behind tabs, each in one line. */
    printTabbed(rows: readonly (readonly string[])[]) {
      const lines = rows.map((cells) => `${cells.map(tabbedCell).join('\t')}\n`);
      io.stdout.write(lines.join(''));
    },
    confirm,
    /** Reports what a successful command has changed: with `--json` the value, else the lines as {@link confirm}. */
    report(json: unknown, ...lines: string[]) {
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

function linesOfStops(stopped: readonly KeptStopped[]): string[] {
  if (stopped.length === 0) return [];
  return [
    `warning: The journal of stops names what this store did not have as stopped, as in a copy without its -wal file. Stopped again: ${stopped.map(stopText).join(', ')}.`,
  ];
}

function noStoreNamed(): never {
  throw new HkctlError('usage', 'This account has no home folder for a store.', {
    hint: 'Name the store: --store PATH, or HKCTL_STORE.',
  });
}

/** A cell between tabs: what would end it is written as in C, and what deceives a terminal as its number. */
function tabbedCell(text: string): string {
  const escaped = withoutSecrets(text)
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return printable(escaped);
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

/**
 * Services of the other layers for the commands, given by the composition root, which loads each only when it is called:
 * `hkctl keys list` pays for no daemon and `hkctl --help` for no store.
 */
export interface Services {
  version: string;
  /**
   * The engine of the store at a path or an address, with the rights of the account that owns its folder; `makesFolder` if the
   * folder may be missing yet.
   */
  engine(location: string, how?: { makesFolder: boolean }): Promise<Engine>;
  /** The backups in a folder of the store with this id. */
  backupSeries(folder: string, storeId: string): Promise<BackupSeries>;
  /** SQL for the roles of the store at an address, or its distribution over the workers of Citus; of a file at the usual place. */
  postgresSql(kind: 'roles' | 'citus', location: string): Promise<string>;
  /** Serves until `stop` is aborted, then drains; resolves once the last answer is sent. */
  serve(domain: Domain, settings: ServeSettings, hooks: ServeHooks): Promise<void>;
  example(name: ExampleName): Promise<string>;
  /** The OpenAPI document of this version. */
  openapi(baseUrl: string | undefined): Promise<unknown>;
  resources(): Promise<readonly ResourceDefinition[]>;
  rowReader(): Promise<RowReader>;
  readingReader(): Promise<ReadingReader>;
  /** Fills a new store with the demo plant; returns commands that show it best, each with a sentence before it. */
  loadDemo(
    domain: Domain,
    actor: Actor,
    entity: Entity,
  ): Promise<readonly (readonly [what: string, command: string])[]>;
}

interface ServeHooks {
  /** Aborted on SIGTERM or SIGINT. */
  stop: AbortSignal;
  /** Called once the daemon answers, with its address. */
  listening(baseUrl: string): void;
  /** Destination of the log: standard output, or error. */
  logFd: 1 | 2;
  /** Breaks a line of the log at its blanks for the terminal that shows it. */
  wrapLogLine(line: string): string;
  /** Whether to write a line there at the first call of each key. */
  announcesCalls: boolean;
}
