import type { Argument, Command, Option } from 'commander';

/** One way in which a word can continue. */
export interface Candidate {
  value: string;
  doc: string;
}

/** The values that are known only to the store or to the resource declarations. */
export type ValueKind = 'keys' | 'active-keys' | 'entities' | 'users' | 'permissions' | 'resources';

/** What fits at the end of a command line: words of the program, values of a kind, files, or nothing. */
interface Fitting {
  candidates: readonly Candidate[];
  kind?: ValueKind | 'files';
  /** Arguments that the line names already, which need not be offered again. */
  given?: readonly string[];
}

/** The words behind `hkctl` before the one that is completed. */
interface Line {
  command: Command;
  args: string[];
  /** The flags that were given, by attribute name, each with its value; also the store and the profile of the line. */
  values: Map<string, string>;
  /** The flag whose value comes next. */
  pending: Option | undefined;
  /** Whether `--` was given. */
  onlyArguments: boolean;
}

export function readLine(program: Command, before: readonly string[]): Line {
  const line: Line = { command: program, args: [], values: new Map(), pending: undefined, onlyArguments: false };
  for (const word of before) {
    if (line.pending) {
      // bash makes `=` a word of its own.
      if (word === '=') continue;
      line.values.set(line.pending.attributeName(), word);
      line.pending = undefined;
    } else if (line.onlyArguments) line.args.push(word);
    else if (word === '--') line.onlyArguments = true;
    else if (word.startsWith('-')) readFlag(line, word);
    else {
      const isNamed = (inner: Command) => inner.name() === word || inner.aliases().includes(word);
      const inner = line.args.length === 0 ? line.command.commands.find(isNamed) : undefined;
      if (inner) line.command = inner;
      else line.args.push(word);
    }
  }
  return line;
}

function readFlag(line: Line, word: string): void {
  const [name = '', value] = word.split('=', 2);
  const option = optionsOf(line.command).find((known) => namesOf(known).includes(name) || known.short === name);
  if (!option) return;
  line.values.set(option.attributeName(), value ?? '');
  if (option.required && value === undefined) line.pending = option;
}

/** What fits as the word behind a line, which may be empty or incomplete. Candidates are not filtered by it. */
export function fittingAt({ command, args, values, pending, onlyArguments }: Line, current: string): Fitting {
  if (pending) return valuesOf(command, pending.flags, pending.description);
  const isFlag = current.startsWith('-') && !onlyArguments;
  const verbs = isFlag || args.length > 0 ? [] : visibleCommands(command);
  if (verbs.length > 0) {
    return { candidates: verbs.map((verb) => ({ value: verb.name(), doc: verb.summary() || verb.description() })) };
  }
  const argument = isFlag ? undefined : argumentAt(command, args.length);
  if (argument) return { ...valuesOf(command, argument.name(), argument.description), given: args };
  // In zsh and fish `--flag=value` is one word.
  if (onlyArguments || (isFlag && current.includes('='))) return { candidates: [] };
  const flags = optionsOf(command)
    // Flags that may be repeated collect their values.
    .filter((option) => !values.has(option.attributeName()) || option.parseArg !== undefined)
    .flatMap((option) => namesOf(option).map((value) => ({ value, doc: option.description })));
  const help = { value: '--help', doc: 'show help' };
  return { candidates: [...new Map([...flags, help].map((one) => [one.value, one])).values()] };
}

/** The flags of a command, of what its noun does without a verb, and of the program. */
function optionsOf(command: Command): Option[] {
  const bare = command.commands.filter((inner) => !visibleCommands(command).includes(inner));
  const program = command.parent?.parent ?? command.parent;
  return [...command.options, ...bare.flatMap(({ options }) => options), ...(program?.options ?? [])];
}

function visibleCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function namesOf(option: Option): string[] {
  return option.flags.match(/--[a-z-]+/g) ?? [];
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments: known } = command;
  return known[index] ?? (known.at(-1)?.variadic ? known.at(-1) : undefined);
}

/** The values by the placeholder of a flag or an argument, such as `<CODE>`; most texts have none. */
const kinds: Readonly<Record<string, ValueKind | 'files'>> = {
  REF: 'keys',
  CODE: 'entities',
  LOGIN: 'users',
  KEY: 'permissions',
  RESOURCE: 'resources',
  PATH: 'files',
  FILE: 'files',
  FOLDER: 'files',
  DIR: 'files',
};

const makers: readonly string[] = ['init', 'add'];

function valuesOf(command: Command, spelling: string, doc: string): Fitting {
  const listed = /(?:^|: )((?:[a-z_.-]+, )+[a-z_.-]+(?: or [a-z_.-]+)?)$/.exec(doc)?.[1];
  if (listed !== undefined) {
    return { candidates: listed.split(/, | or /).map((value) => ({ value, doc: '' })) };
  }
  const kind = kinds[/[A-Z]+/.exec(spelling)?.[0] ?? ''];
  const isNew = (kind === 'entities' || kind === 'users') && makers.includes(command.name());
  if (kind === undefined || (isNew && !spelling.includes('--as'))) return { candidates: [] };
  const needsActive = kind === 'keys' && ['rotate', 'revoke'].includes(command.name());
  return { candidates: [], kind: needsActive ? 'active-keys' : kind };
}
