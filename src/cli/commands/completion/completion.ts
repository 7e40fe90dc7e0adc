import type { Command, Option } from 'commander';
import { clientPermissions } from '../../../core/access/permissions.ts';
import { roleHolds } from '../../../core/access/roles.ts';
import { domainSeenBy } from '../../../core/domain/confinement.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { isHkctlError } from '../../../core/errors.ts';
import { withoutSecrets } from '../../../core/secrets.ts';
import { isTricky, printable } from '../../../core/text/shown-text.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { isRepeatable, requireOneOf, textFlag } from '../../command/flags.ts';
import bash from './hkctl.bash?raw';
import fish from './hkctl.fish?raw';
import zsh from './hkctl.zsh?raw';
import { quotedForShell, readShellLine } from './shell-words.ts';

/** Each script calls `hkctl completion SHELL -- WORD...`: one candidate a line, its description behind a tab, or `:files`. */
const completionScripts = { bash: bash.trimEnd(), zsh: zsh.trimEnd(), fish: fish.trimEnd() };

type Shell = keyof typeof completionScripts;

export default defineCommand({
  description:
    'The script asks hkctl itself at every Tab, so that it fits each version: with WORD... the command prints how the last word can continue.',
  readOnly: true,
  fields: ['shell', 'script', 'candidates', 'files'],
  arguments: [
    { spelling: '<SHELL>', doc: 'bash, zsh or fish' },
    {
      spelling: '[WORD...]',
      doc: 'behind --: the words of a command line',
      // The word that is about to be typed.
      mayBeBlank: true,
    },
  ],
  flags: {
    line: textFlag('--line <TEXT>', 'for bash: the command line up to the cursor, as it was typed'),
  },
  examples: [
    ["echo 'source <(hkctl completion bash)' >> ~/.bashrc", 'bash, for this account'],
    ["echo 'autoload -U compinit; compinit; source <(hkctl completion zsh)' >> ~/.zshrc", 'zsh'],
    [
      'mkdir -p ~/.config/fish/completions && hkctl completion fish > ~/.config/fish/completions/hkctl.fish',
      'fish',
    ],
    ['hkctl completion bash > /etc/bash_completion.d/hkctl', 'bash, for all accounts'],
  ],
  async run(context, { line }, [name = '', ...words]) {
    const shell = requireOneOf(name, Object.keys(completionScripts) as Shell[]); // the keys of that very object
    if (line !== undefined) await printForReadline(context, shell, line);
    else if (words.length > 0) await printContinuations(context, shell, words);
    else
      context.printDocument(completionScripts[shell], { shell, script: completionScripts[shell] });
  },
});

async function printContinuations(
  context: Context,
  shell: Shell,
  words: readonly string[],
): Promise<void> {
  const current = words.at(-1) ?? '';
  printCandidates(
    context,
    shell,
    await continuations(context, words.slice(0, -1), typedWord(shell, current)),
  );
}

/** The same for bash, whose readline replaces only the end of a word, behind a character such as `=`. */
async function printForReadline(context: Context, shell: Shell, line: string): Promise<void> {
  const { words, current, replaced, openQuote } = readShellLine(line);
  const { kind, found } = await continuations(context, words.slice(1), current);
  const unreplaced = current.length - replaced.length;
  const inserted = found
    .filter(({ value }) => !isTricky(value))
    .map(({ value, doc }) => ({ value: quotedForShell(value.slice(unreplaced), openQuote), doc }));
  if (kind === 'files' && !context.json) context.printDocument(`:files\t${safe(replaced)}`);
  else printCandidates(context, shell, { kind, found: inserted });
}

/** fish gives the word that is being typed with its quotes, and zsh with a quote that is still open. */
function typedWord(shell: Shell, word: string): string {
  if (shell === 'fish') return readShellLine(word).current;
  return shell === 'zsh' ? word.replace(/^["']/, '') : word;
}

interface Continuations {
  kind: Fitting['kind'];
  found: readonly Candidate[];
}

function printCandidates(context: Context, shell: Shell, { kind, found }: Continuations): void {
  if (context.json) {
    context.printJson({ candidates: found, files: kind === 'files' });
    return;
  }
  if (kind === 'files') context.printDocument(':files');
  // bash lists in columns what has no description; names of keys and sites are worth a line each.
  const isBare = shell === 'bash' && kind === undefined;
  const lines = found.map(({ value, doc }) => (isBare || doc === '' ? [value] : [value, doc]));
  if (found.length > 0)
    context.printDocument(lines.map((parts) => parts.map(safe).join('\t')).join('\n'));
}

/** Names come from the store, and the shell shows them on its terminal. */
function safe(text: string): string {
  return printable(withoutSecrets(text));
}

/** Without a store, a permission or a known command nothing fits; a shell has no place for an error. */
async function continuations(
  context: Context,
  before: readonly string[],
  current: string,
): Promise<Continuations> {
  try {
    const line = readLine(await context.program(before), before);
    const { candidates, kind, given = [], prefix = '' } = fittingAt(line, current);
    const begin = current.slice(prefix.length);
    const values =
      kind === undefined || kind === 'files'
        ? candidates
        : await valuesOfKind(context, kind, begin, line.values);
    const continuations = values
      .filter(({ value }) => value.startsWith(begin) && !given.includes(value))
      .map(({ value, doc }) => ({ value: prefix + value, doc }));
    return { kind, found: continuations };
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return { kind: undefined, found: [] };
  }
}

/** As many keys as a person can choose from. */
const mostKeys = 200;

/** The values of a kind. Pressing Tab is never refused: what the profile may not list is left out, and nothing is audited. */
async function valuesOfKind(
  context: Context,
  kind: ValueKind,
  begin: string,
  flags: ReadonlyMap<string, string>,
): Promise<Candidate[]> {
  if (kind === 'permissions') return clientPermissions.map((value) => ({ value, doc: '' }));
  if (kind === 'resources') {
    const resources = (await context.services.resources()).map(({ name, title }) => ({
      value: name,
      doc: title,
    }));
    return [...resources, { value: 'readings', doc: 'Readings of sensors' }];
  }
  const path = expandedPath(flags.get('store'), context.io.env);
  const login = flags.get('as') ?? context.login;
  const store = path === undefined ? undefined : await (await context.services.engine(path)).open();
  try {
    return await storedValues(
      store ? context.domainOf(store) : await context.domain(),
      login,
      kind,
      begin,
    );
  } finally {
    await store?.close();
  }
}

/** The home folder and exported variables in a path, which a shell does not expand before it asks what fits. */
function expandedPath(path: string | undefined, env: Context['io']['env']): string | undefined {
  return path
    ?.replace(/^~(?=\/)/, env.HOME ?? '~')
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced = '', plain = '') => env[braced || plain] ?? '');
}

async function storedValues(
  domain: Domain,
  login: string,
  kind: Exclude<ValueKind, 'permissions' | 'resources'>,
  begin: string,
): Promise<Candidate[]> {
  const user = await domain.store.users.findByLogin(login);
  if (user?.status !== 'active') return [];
  const { store, clock } = domainSeenBy(domain, user);
  const { tenantId, role } = user;
  if (kind === 'entities') {
    return (await store.entities.list(tenantId)).map(({ code, name }) => ({
      value: code,
      doc: name,
    }));
  }
  if (kind === 'users') {
    if (!roleHolds(role, 'users.manage')) return [];
    return (await store.users.list(tenantId)).map(({ login, name }) => ({
      value: login,
      doc: name,
    }));
  }
  if (!roleHolds(role, 'api_keys.view')) return [];
  const statuses = kind === 'active-keys' ? (['Active'] as const) : [];
  const search = begin.length > 'hk_'.length ? begin : undefined;
  const keys = await store.keys.list(
    tenantId,
    { nowMs: clock(), statuses, search },
    { limit: mostKeys },
  );
  return keys.map(({ prefix, name }) => ({ value: prefix, doc: name }));
}

interface Candidate {
  value: string;
  doc: string;
}

/** The values that are known only to the store or to the resource declarations. */
type ValueKind = 'keys' | 'active-keys' | 'entities' | 'users' | 'permissions' | 'resources';

/** Suggestions for the end of a command line: words of the program, values of a kind, files, or nothing. */
interface Fitting {
  candidates: readonly Candidate[];
  kind?: ValueKind | 'files';
  /** Arguments that the line names already, which need not be offered again. */
  given?: readonly string[];
  /** The part of the word before the value: the flag of `--flag=value`, and other values of a list. */
  prefix?: string;
}

/** The words behind `hkctl` before the one that is completed. */
interface Line {
  command: Command;
  args: string[];
  /** The flags that were given, by attribute name, each with its value; also the store and the profile of the line. */
  values: Map<string, string>;
  pending: Option | undefined;
  onlyArguments: boolean;
}

function readLine(program: Command, before: readonly string[]): Line {
  const line: Line = {
    command: program,
    args: [],
    values: new Map(),
    pending: undefined,
    onlyArguments: false,
  };
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
  const option = optionsOf(line.command).find(
    (candidate) => namesOf(candidate).includes(name) || candidate.short === name,
  );
  if (!option) return;
  line.values.set(option.attributeName(), value ?? '');
  if (option.required && value === undefined) line.pending = option;
}

/** Suggestions for the word behind a line, which may be empty or incomplete. Candidates are not filtered by it. */
function fittingAt(
  { command, args, values, pending, onlyArguments }: Line,
  current: string,
): Fitting {
  if (pending) return flagValues(command, pending, '', current);
  const isFlag = current.startsWith('-') && !onlyArguments;
  const verbs = isFlag || args.length > 0 ? [] : visibleCommands(command);
  if (verbs.length > 0) {
    return {
      candidates: verbs.map((verb) => ({
        value: verb.name(),
        doc: verb.summary() || verb.description(),
      })),
    };
  }
  const { registeredArguments: declaredArguments } = command;
  const last = declaredArguments.at(-1)?.variadic ? declaredArguments.at(-1) : undefined;
  const argument = isFlag ? undefined : (declaredArguments[args.length] ?? last);
  if (argument) return { ...valuesOf(command, argument.name(), argument.description), given: args };
  if (onlyArguments) return { candidates: [] };
  const [name = ''] = current.split('=', 1);
  if (name.length < current.length) {
    const option = optionsOf(command).find((candidate) => namesOf(candidate).includes(name));
    return option?.required || option?.optional
      ? flagValues(command, option, `${name}=`, current)
      : { candidates: [] };
  }
  const flags = optionsOf(command)
    .filter((option) => !values.has(option.attributeName()) || isRepeatable(option))
    .flatMap((option) => namesOf(option).map((value) => ({ value, doc: option.description })));
  return { candidates: [...flags, { value: '--help', doc: 'show help' }] };
}

/** The values of a flag behind `begin`, which is empty or `--flag=`; behind a comma the further ones of a list. */
function flagValues(command: Command, option: Option, begin: string, current: string): Fitting {
  const fitting = valuesOf(command, option.flags, option.description);
  const values = current.slice(begin.length).split(',');
  const others = isRepeatable(option) ? values.slice(0, -1) : [];
  const prefix = begin + others.map((value) => `${value},`).join('');
  return { ...fitting, given: others, prefix };
}

/** The flags of a command, of what its noun does without a verb, and of the program. */
function optionsOf(command: Command): Option[] {
  const bare = command.commands.filter((inner) => !visibleCommands(command).includes(inner));
  const program = command.parent?.parent ?? command.parent;
  return [
    ...command.options,
    ...bare.flatMap(({ options }) => options),
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
