import type { Command, Option } from 'commander';
import { clientPermissions } from '../../../core/access/permissions.ts';
import { roleHolds } from '../../../core/access/roles.ts';
import { domainSeenBy } from '../../../core/domain/confinement.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { isHkctlError } from '../../../core/errors.ts';
import type { Context } from '../../command/context.ts';
import { isRepeatable } from '../../command/flags.ts';

/** The ways in which a word can continue, which may be files. */
export interface Continuations {
  kind: Fitting['kind'];
  candidates: readonly Candidate[];
}

/** The continuations of a word; empty without a store, a permission or a known command: a shell has no place for an error. */
export async function continuations(
  context: Context,
  before: readonly string[],
  current: string,
): Promise<Continuations> {
  try {
    const commandLine = readLine(await context.program(before), before);
    const fitting = fittingAt(commandLine, current);
    const { kind, namedValues = [], prefix = '' } = fitting;
    const typedStart = current.slice(prefix.length);
    const isStored = kind !== undefined && kind !== 'files';
    const offered = isStored
      ? await valuesOfKind(context, kind, typedStart, commandLine.values)
      : fitting.candidates;
    const candidates = offered
      .filter(({ value }) => value.startsWith(typedStart) && !namedValues.includes(value))
      .map(({ value, doc }) => candidateOf(prefix + value, doc));
    return { kind, candidates };
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return { kind: undefined, candidates: [] };
  }
}

/** The most keys that a person can choose from. */
const mostKeys = 200;

/** The values of a kind. Pressing Tab is never refused: values that the profile may not list are left out, and nothing is audited. */
async function valuesOfKind(
  context: Context,
  kind: ValueKind,
  typedStart: string,
  flags: ReadonlyMap<string, string>,
): Promise<Candidate[]> {
  if (kind === 'permissions') return clientPermissions.map((name) => candidateOf(name));
  if (kind === 'resources') {
    const resources = await context.services.resources();
    const candidates = resources.map(({ name, title }) => candidateOf(name, title));
    return [...candidates, candidateOf('readings', 'Readings of sensors')];
  }

  const storePath = expandedPath(flags.get('store'), context.io.env);
  const login = flags.get('as') ?? context.login;
  if (storePath === undefined) return storedValues(await context.domain(), login, kind, typedStart);

  const engine = await context.services.engine(storePath);
  const openedStore = await engine.open();
  try {
    return await storedValues(context.domainOf(openedStore), login, kind, typedStart);
  } finally {
    await openedStore.close();
  }
}

/** Expands the home folder and exported variables in a path, since a shell asks for completions before it does. */
function expandedPath(
  typedPath: string | undefined,
  env: Context['io']['env'],
): string | undefined {
  const variable = /\$(?:\{(\w+)\}|(\w+))/g;
  return typedPath
    ?.replace(/^~(?=\/)/, env.HOME ?? '~')
    .replace(
      variable,
      (_match, bracedName = '', plainName = '') => env[bracedName || plainName] ?? '',
    );
}

async function storedValues(
  domain: Domain,
  login: string,
  kind: Exclude<ValueKind, 'permissions' | 'resources'>,
  typedStart: string,
): Promise<Candidate[]> {
  const user = await domain.store.users.findByLogin(login);
  if (user?.status !== 'active') return [];
  const { store, clock } = domainSeenBy(domain, user);
  const { tenantId, role } = user;
  if (kind === 'entities') {
    const entities = await store.entities.list(tenantId);
    return entities.map(({ code, name }) => candidateOf(code, name));
  }
  if (kind === 'users') {
    if (!roleHolds(role, 'users.manage')) return [];
    const users = await store.users.list(tenantId);
    return users.map(({ login, name }) => candidateOf(login, name));
  }

  if (!roleHolds(role, 'api_keys.view')) return [];
  const statuses = kind === 'active-keys' ? (['Active'] as const) : [];
  const search = typedStart.length > 'hk_'.length ? typedStart : undefined;
  const filter = { nowMs: clock(), statuses, search };
  const keys = await store.keys.list(tenantId, filter, { limit: mostKeys });
  return keys.map(({ prefix, name }) => candidateOf(prefix, name));
}

interface Candidate {
  value: string;
  doc: string;
}

export function candidateOf(value: string, doc: string = ''): Candidate {
  return { value, doc };
}

/** The values that are known only to the store or to the resource declarations. */
type ValueKind = 'keys' | 'active-keys' | 'entities' | 'users' | 'permissions' | 'resources';

/** Suggestions for the end of a command line: words of the program, values of a kind, files, or nothing. */
interface Fitting {
  candidates: readonly Candidate[];
  kind?: ValueKind | 'files';
  /** Arguments that the line names already, which need not be offered again. */
  namedValues?: readonly string[];
  /** The part of the word before the value: the flag of `--flag=value`, and other values of a list. */
  prefix?: string;
}

/** The words behind `hkctl` before the one that is completed. */
interface CommandLine {
  command: Command;
  args: string[];
  /** The flags that were given, by attribute name, each with its value; also the store and the profile of the line. */
  values: Map<string, string>;
  pending: Option | undefined;
  onlyArguments: boolean;
}

function readLine(program: Command, before: readonly string[]): CommandLine {
  const commandLine: CommandLine = {
    command: program,
    args: [],
    values: new Map(),
    pending: undefined,
    onlyArguments: false,
  };
  for (const word of before) {
    if (commandLine.pending) {
      // bash makes `=` a word of its own.
      if (word === '=') continue;
      commandLine.values.set(commandLine.pending.attributeName(), word);
      commandLine.pending = undefined;
    } else if (commandLine.onlyArguments) commandLine.args.push(word);
    else if (word === '--') commandLine.onlyArguments = true;
    else if (word.startsWith('-')) readFlag(commandLine, word);
    else {
      const subcommand = subcommandOf(commandLine, word);
      if (subcommand) commandLine.command = subcommand;
      else commandLine.args.push(word);
    }
  }
  return commandLine;
}

/** The subcommand that a word names; only the words before the first argument name one. */
function subcommandOf({ command, args }: CommandLine, word: string): Command | undefined {
  if (args.length > 0) return undefined;
  return command.commands.find(
    (candidate) => candidate.name() === word || candidate.aliases().includes(word),
  );
}

function readFlag(commandLine: CommandLine, flagWord: string): void {
  const [flagName = '', flagValue] = flagWord.split('=', 2);
  const option = optionsOf(commandLine.command).find(
    (candidate) => namesOf(candidate).includes(flagName) || candidate.short === flagName,
  );
  if (!option) return;
  commandLine.values.set(option.attributeName(), flagValue ?? '');
  if (option.required && flagValue === undefined) commandLine.pending = option;
}

/** Suggestions for the word behind a line, which may be empty or incomplete. Candidates are not filtered by it. */
function fittingAt(
  { command, args, values, pending, onlyArguments }: CommandLine,
  current: string,
): Fitting {
  if (pending) return flagValues(command, pending, '', current);

  const isFlag = current.startsWith('-') && !onlyArguments;
  const subcommands = isFlag || args.length > 0 ? [] : visibleCommands(command);
  if (subcommands.length > 0) {
    return {
      candidates: subcommands.map((subcommand) => ({
        value: subcommand.name(),
        doc: subcommand.summary() || subcommand.description(),
      })),
    };
  }

  const argument = isFlag ? undefined : argumentAt(command, args.length);
  if (argument) {
    const fitting = valuesOf(command, argument.name(), argument.description);
    return { ...fitting, namedValues: args };
  }
  if (onlyArguments) return { candidates: [] };

  const [flagName = ''] = current.split('=', 1);
  if (flagName.length < current.length) {
    const option = optionsOf(command).find((candidate) => namesOf(candidate).includes(flagName));
    const takesValue = option?.required || option?.optional;
    if (!takesValue) return { candidates: [] };
    return flagValues(command, option, `${flagName}=`, current);
  }
  const mayFollow = (option: Option) => isRepeatable(option) || !values.has(option.attributeName());
  const flagCandidates = optionsOf(command)
    .filter(mayFollow)
    .flatMap((option) => namesOf(option).map((name) => candidateOf(name, option.description)));
  return { candidates: [...flagCandidates, candidateOf('--help', 'show help')] };
}

/** The declared argument at an index; a variadic one goes on to the end of the line. */
function argumentAt(command: Command, argumentIndex: number) {
  const { registeredArguments: declaredArguments } = command;
  const lastArgument = declaredArguments.at(-1);
  const variadicArgument = lastArgument?.variadic ? lastArgument : undefined;
  return declaredArguments[argumentIndex] ?? variadicArgument;
}

/** The values of a flag behind `flagPrefix`, which is empty or `--flag=`; behind a comma the further values of a list. */
function flagValues(
  command: Command,
  option: Option,
  flagPrefix: string,
  current: string,
): Fitting {
  const fitting = valuesOf(command, option.flags, option.description);
  const listValues = current.slice(flagPrefix.length).split(',');
  const earlierValues = isRepeatable(option) ? listValues.slice(0, -1) : [];
  const prefix = flagPrefix + earlierValues.map((value) => `${value},`).join('');
  return { ...fitting, namedValues: earlierValues, prefix };
}

/** The flags of a command, of the default command of its group, and of the program. */
function optionsOf(command: Command): Option[] {
  const defaultCommands = command.commands.filter(
    (subcommand) => !visibleCommands(command).includes(subcommand),
  );
  const program = command.parent?.parent ?? command.parent;
  return [
    ...command.options,
    ...defaultCommands.flatMap(({ options }) => options),
    ...(program?.options ?? []),
  ];
}

function visibleCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function namesOf(option: Option): string[] {
  return option.flags.match(/--[a-z-]+/g) ?? [];
}

/** The values by the placeholder of a flag or an argument, such as `<CODE>`; most texts have none. */
const kindByPlaceholder: Readonly<Record<string, ValueKind | 'files'>> = {
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

/** The commands that make the entity or user whose code or login they take. */
const makingCommands: readonly string[] = ['init', 'add'];

/** The values at the end of a description: `bash, zsh or fish`. */
const valueList = /(?:^|: )((?:[a-z_.-]+, )+[a-z_.-]+(?: or [a-z_.-]+)?)$/;

function valuesOf(command: Command, spelling: string, description: string): Fitting {
  const listedValues = valueList.exec(description)?.[1];
  if (listedValues !== undefined) {
    const values = listedValues.split(/, | or /);
    return { candidates: values.map((value) => candidateOf(value)) };
  }

  const [placeholder = ''] = /[A-Z]+/.exec(spelling) ?? [];
  const kind = kindByPlaceholder[placeholder];
  if (kind === undefined) return { candidates: [] };

  const isMade =
    (kind === 'entities' || kind === 'users') && makingCommands.includes(command.name());
  if (isMade && !spelling.includes('--as')) return { candidates: [] };

  const needsActive = kind === 'keys' && ['rotate', 'revoke'].includes(command.name());
  return { candidates: [], kind: needsActive ? 'active-keys' : kind };
}
