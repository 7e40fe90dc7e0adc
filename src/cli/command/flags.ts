import type { Command, Option } from 'commander';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { isStoreAddress, splitPassword } from '../../core/store-address.ts';
import { nearest } from '../../core/text/words.ts';

export interface Flag<T> {
  /** As help shows it: `--name <NAME>`, `--all, --show-inactive`. */
  spelling: string;
  doc: string;
  kind: 'value' | 'toggle' | 'list';
  /** Reads one given text; throws `usage` or `bad_input` with the allowed values. */
  parse: (text: string) => unknown;
  /** A text may give several values, separated by commas. */
  takesCommas?: true;
  /** An empty value clears something, such as a note. */
  mayBeBlank?: true;
  /** An empty environment variable is refused instead of being ignored: without its value the command allows more. */
  requiresVariableValue?: true;
  /** Refuses a text that may stand in a variable, but not on the command line, which others can read. */
  refuseGiven?: (text: string) => void;
  /** Environment variables that replace it, the first that is set; `HKCTL_<FLAG>` by default. */
  env: readonly string[];
  /** Never filled; carries the type. */
  readonly value?: T;
}

// biome-ignore lint/suspicious/noExplicitAny: a flag of whatever type; only its inferred type is used
export type Flags = Readonly<Record<string, Flag<any>>>;

export type FlagValues<F extends Flags> = {
  [K in keyof F]: F[K] extends Flag<infer T> ? T : never;
};

export function textFlag(spelling: string, doc: string): Flag<string | undefined> {
  return parsed(spelling, doc, (text) => text);
}

export function parsed<T>(
  spelling: string,
  doc: string,
  parse: (text: string) => T,
): Flag<T | undefined> {
  return {
    spelling,
    doc,
    kind: 'value',
    parse,
    env: variablesOf(spelling),
  };
}

/** A flag that names a file or folder. A stream is refused: `-` would make a file of that name. */
export function pathFlag(spelling: string, doc: string, advice?: string): Flag<string | undefined> {
  return parsed(spelling, doc, (path) => requirePath(path, advice));
}

/** Throws `usage` for `-`, with advice on what to do instead. */
function requirePath(path: string, advice = 'Give the path of a file.'): string {
  if (path !== '-') return path;
  throw new HkctlError('usage', '"-" is no file here, and no pipe is read or written.', {
    hint: `${advice} Write ./- to mean a file of that name.`,
  });
}

export function oneOf<const T extends string>(
  spelling: string,
  values: readonly T[],
  doc: string,
): Flag<T | undefined> {
  const docWithValues = `${doc}: ${values.join(', ')}`;
  return parsed(spelling, docWithValues, (text) => requireOneOf(text, values));
}

/** A flag without a value. In the environment: 1, true, yes or on; 0, false, no or off. */
export function toggle(spelling: string, doc: string): Flag<boolean> {
  return {
    spelling,
    doc,
    kind: 'toggle',
    parse: parseToggle,
    env: variablesOf(spelling),
  };
}

/** A flag that may be given several times; in the environment its values are separated by commas. */
export function listFlag<T = string>(
  spelling: string,
  doc: string,
  parse: (text: string) => T = (text) => text as T, // T is string by default
): Flag<T[]> {
  return {
    spelling,
    doc,
    kind: 'list',
    parse,
    env: variablesOf(spelling),
  };
}

/** The same for values that contain no comma: they may be separated by commas on the command line, too. */
export function commaList<T>(spelling: string, doc: string, parse: (text: string) => T): Flag<T[]> {
  return { ...listFlag(spelling, doc, parse), takesCommas: true };
}

/** Narrows a word to an allowed value; the error names all allowed values and the nearest. */
export function requireOneOf<T extends string>(typedWord: string, allowedValues: readonly T[]): T {
  const match = allowedValues.find((value) => value === typedWord);
  if (match !== undefined) return match;

  const nearestValue = nearest(typedWord, allowedValues);
  throw new HkctlError('usage', `"${typedWord}" is none of ${allowedValues.join(', ')}.`, {
    hint: nearestValue ? `Did you mean ${nearestValue}?` : undefined,
  });
}

/**
 * Declares the flags to commander; values stay texts until {@link readFlags}. A flag with a single value is refused if it is given
 * twice, unless `lastCounts`: a script may append global flags to those of an alias.
 */
export function addFlags(command: Command, flags: Flags, lastCounts = false): void {
  for (const [flagName, flag] of Object.entries(flags)) {
    const option = command.createOption(flag.spelling, flag.doc);
    if (flag.kind === 'list') option.argParser(collect);
    else if (flag.kind === 'value' && !lastCounts) option.argParser(onceOnly(flag));

    // commander takes `--no-page` for the opposite of a flag `--page`; it is a flag by itself.
    option.negate = false;
    // commander keeps it under the name of its declaration.
    option.attributeName = () => flagName;
    command.addOption(option);
  }
}

/** Whether a flag may be given several times. */
export function isRepeatable(option: Option): boolean {
  return option.parseArg === collect;
}

/** Reads values from the command line, else from the environment. An error names the flag or the variable. */
export function readFlags<F extends Flags>(
  flags: F,
  typedFlags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): FlagValues<F> {
  const entries = Object.entries(flags).map(([flagName, flag]) => [
    flagName,
    readFlag(flag, typedFlags[flagName], env),
  ]);
  return Object.fromEntries(entries) as FlagValues<F>; // each entry was read by the flag of that name
}

/** The variables of flags that hold an address of Kubernetes instead of a value, unless the flag was given. */
export function serviceLinksIn(
  flags: Flags,
  typedFlags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.entries(flags)
    .filter(([name]) => typedFlags[name] === undefined)
    .flatMap(([, flag]) => flag.env.filter((variable) => isServiceLink(variable, env)));
}

/** Kubernetes sets `HKCTL_PORT=tcp://10.0.0.1:80` in each container next to a Service named hkctl, as Docker's links did. */
function isServiceLink(
  variable: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (!variable.endsWith('_PORT')) return false;

  return /^(?:tcp|udp|sctp):\/\//.test(env[variable] ?? '');
}

/** The long name of a flag, for sentences: `--secret-file`. */
export function nameOf(flag: Pick<Flag<unknown>, 'spelling'>): string {
  const [longName] = longNames(flag.spelling);
  return `--${longName}`;
}

function readFlag(
  flag: Flag<unknown>,
  typedValue: unknown,
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  if (flag.kind === 'toggle' && typedValue !== undefined) return typedValue === true;

  const variable = typedValue === undefined ? variableOf(flag, env) : undefined;
  const source = variable ?? nameOf(flag);
  const givenValue = variable === undefined ? typedValue : env[variable];
  if (givenValue === undefined) return valueIfAbsent[flag.kind];

  const givenTexts = [givenValue].flat().map(String);
  const mayHaveCommas = variable !== undefined || flag.takesCommas;
  const isCommaList = flag.kind === 'list' && mayHaveCommas;
  const valueTexts = isCommaList ? givenTexts.flatMap(splitAtCommas) : givenTexts;
  if (!flag.mayBeBlank) {
    for (const valueText of valueTexts) requireNotBlank(source, valueText);
  }

  const parsedValues = valueTexts.map((valueText) =>
    withSource(source, () => {
      if (variable === undefined) flag.refuseGiven?.(valueText);
      return flag.parse(valueText);
    }),
  );
  return flag.kind === 'list' ? parsedValues : parsedValues[0];
}

const valueIfAbsent = {
  value: undefined,
  list: [],
  toggle: false,
} as const;

/** The first variable of a flag that is set. An empty one counts as unset, unless the flag requires its value. */
function variableOf(
  { env: variables, requiresVariableValue }: Flag<unknown>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const isSet = (variable: string) =>
    requiresVariableValue ? env[variable] !== undefined : Boolean(env[variable]);
  return variables.find((variable) => isSet(variable) && !isServiceLink(variable, env));
}

/** Refuses an empty value, to which a shell expands a variable that is not set: `usage`. */
export function requireNotBlank(source: string, value: string): void {
  if (value.trim() !== '') return;

  throw new HkctlError('usage', `${source}: the value is empty.`, {
    hint: 'Give a value, or leave it out. Is a variable of your shell not set?',
  });
}

function splitAtCommas(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function withSource(source: string, parseText: () => unknown): unknown {
  try {
    return parseText();
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;

    const { message, hint } = thrown;
    throw new HkctlError('usage', `${source}: ${message}`, { hint });
  }
}

function parseToggle(text: string): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off'].includes(word)) return false;

  throw new HkctlError(
    'usage',
    `"${text}" is neither yes nor no: give 1, true, yes or on, or 0, false, no or off.`,
  );
}

/** Reads a flag with a single value, and refuses a second one: `usage`. */
function onceOnly(flag: Flag<unknown>) {
  return (valueText: string, previousText: unknown): string => {
    if (previousText === undefined) return valueText;

    throw new HkctlError('usage', `${nameOf(flag)} was given twice.`, {
      hint: 'It takes one value: give it once.',
    });
  };
}

function collect(valueText: string, previousTexts: string[] | undefined): string[] {
  return [...(previousTexts ?? []), valueText];
}

/** `--all, --show-inactive` → HKCTL_ALL, HKCTL_SHOW_INACTIVE. */
function variablesOf(spelling: string): string[] {
  return longNames(spelling).map((longName) => {
    const variableEnd = longName.toUpperCase().replaceAll('-', '_');
    return `HKCTL_${variableEnd}`;
  });
}

/** The long names of a flag, without hyphens before them. */
function longNames(spelling: string): string[] {
  const matches = [...spelling.matchAll(/--([a-z-]+)/g)];
  return matches.map(([, longName = '']) => longName);
}

export const globalFlags = {
  store: {
    ...parsed(
      '--store <PATH>',
      'the store (default: $STATE_DIRECTORY/hkctl.db, else hkctl/hkctl.db in $XDG_DATA_HOME or ~/.local/share, else /var/lib/hkctl/hkctl.db)',
      requireStoreName,
    ),
    refuseGiven: refusePassword,
    // `requireStoreName` refuses an empty name with a reason.
    mayBeBlank: true,
  },
  as: {
    ...textFlag(
      '--as <LOGIN>',
      'act as this user profile instead of the OS account (variable: HKCTL_USER)',
    ),
    env: ['HKCTL_USER', 'HKCTL_AS'],
  },
  json: toggle(
    '--json',
    'print one JSON document on standard output, errors as JSON on standard error; with names behind it, such as --json name,prefix, only these fields',
  ),
  quiet: toggle('--quiet', 'suppress messages on success; results, warnings and errors stay'),
  utc: toggle('--utc', 'show times in full and in UTC, instead of "4 min ago"'),
  debug: toggle('--debug', 'show where an unexpected error came from'),
} satisfies Flags;

/** Other accounts of the machine can read the command line of a process. Throws `usage`. */
function refusePassword(address: string): void {
  if (splitPassword(address).password === undefined) return;

  throw new HkctlError(
    'usage',
    'A password on the command line can be read by everybody on this machine.',
    {
      hint: 'Put it into ~/.pgpass (mode 0600), or give the address in HKCTL_STORE; and change that password.',
    },
  );
}

/**
 * Accepts the location of a store: SQLite takes an empty name and `:memory:` for a database that is gone at the end. Throws `usage`. A
 * password is left out here, so that nothing shows it; who connects takes it from the variable again.
 */
function requireStoreName(location: string): string {
  requirePath(location);
  if (location.trim() === '' || location === ':memory:') {
    throw new HkctlError(
      'usage',
      `"${location}" is not a place where a store can be kept: give the path of a file.`,
    );
  }

  // Taken for a path, a mistyped address would make folders, and its password would be shown.
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(location)?.[0];
  if (scheme !== undefined && !isStoreAddress(location)) {
    throw new HkctlError(
      'usage',
      `No store can be kept at an address that begins with "${scheme}".`,
      {
        hint: 'Give the path of a file, or an address such as postgres://db.example.com/plant',
      },
    );
  }
  return splitPassword(location).address;
}

/** The most rows of a list. */
export function limitFlag(addition = '') {
  return parsed('--limit <N>', `how many at most${addition}`, parseLimit);
}

function parseLimit(typedLimit: string): number {
  const limit = Number(typedLimit);
  if (/^\d+$/.test(typedLimit) && limit >= 1 && limit <= 100_000) return limit;
  throw new HkctlError('usage', `"${typedLimit}" is not a limit: give a number from 1 to 100000.`);
}
