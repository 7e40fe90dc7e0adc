import { Command, CommanderError, type Help } from 'commander';
import type { CommandDefinition, Noun } from './command/command.ts';
import { addFlags, type Flags } from './command/flags.ts';
import { globalFlags } from './command/global-flags.ts';
import { aliases, nounIn, requireNoun, verbIn, verbMissing } from './command-words.ts';
import { IncompleteCommand } from './incomplete-command.ts';
import { type NounEntry, nounGroups } from './nouns.ts';
import type { Io } from './terminal/io.ts';
import { wrapWhole } from './terminal/wrap.ts';

/** The widest that examples are, and their width if no terminal sets one. */
const usualWidth = 80;

/** The examples of a help text: each command with what it does, in no more than 80 columns if its words are short enough. */
function examplesText(examples: CommandDefinition['examples'], columns: number | undefined): string {
  const most = Math.min(columns ?? usualWidth, usualWidth);
  const width = Math.max(...examples.map(([command]) => command.length));
  const besides = examples.map(([command, does]) => `  ${command.padEnd(width)}   ${does}`);
  const isNarrow = width <= 50 && besides.every((line) => line.length <= most);
  const lines = isNarrow
    ? besides
    : examples.flatMap(([command, does]) => [
        ...wrapWhole(does, most - 4).map((line) => `  # ${line}`),
        `  ${broken(command, most)}`,
      ]);
  return `\nExamples:\n${lines.join('\n')}\n`;
}

/** A command over several lines as a shell reads it; a flag stays with its value, and nothing is broken inside quotes. */
function broken(command: string, most: number): string {
  const lines: string[] = [];
  let line = '';
  for (const [part] of command.matchAll(
    /(?:--\S+|\||>>?|&&) (?![-|>&])(?:"[^"]*"|'[^']*'|\S)+|(?:"[^"]*"|'[^']*'|\S)+/g,
  )) {
    // Two blanks before the first line, six before the others, and the backslash.
    if (line !== '' && `${line} ${part} \\`.length > most - (lines.length === 0 ? 2 : 6)) {
      lines.push(line);
      line = part;
    } else line = line === '' ? part : `${line} ${part}`;
  }
  return [...lines, line].join(' \\\n      ');
}

type Dispatch = (definition: CommandDefinition, given: Record<string, unknown>, args: string[]) => Promise<void>;

/**
 * Builds the program. Only the noun that `argv` names is loaded, the others are known by name and summary; without
 * `argv` everything is loaded, for tests that walk all commands.
 */
export async function createProgram(
  io: Pick<Io, 'stdout'>,
  version: string,
  dispatch: Dispatch,
  argv?: readonly string[],
): Promise<Command> {
  const program = prepared(new Command('hkctl'), io)
    .description('API keys for plants: who may read what of which site, and the API for it.')
    .version(version, '-V, --version', 'print the version')
    // `run()` takes the word help for --help.
    .helpCommand(false);
  addFlags(program, globalFlags);
  const examples = [
    ['hkctl init', 'make a store'],
    ['hkctl keys', 'manage API keys'],
    ['hkctl serve', 'run the API'],
  ] as const;
  program.addHelpText('after', () => examplesText(examples, io.stdout.columns()));
  program.action(async () => {
    const { overviewOf } = await import('./overview.ts');
    await dispatch(overviewOf(program), program.opts(), []);
  });
  const wanted = argv && nounIn(argv);
  if (wanted) await requireNoun(wanted.noun);
  const load = async (entry: NounEntry) => {
    const noun = await entry.load();
    const verb = wanted && 'verbs' in noun ? verbIn(noun, wanted.rest) : undefined;
    return addNoun(program, noun, entry.summary, io, dispatch, verb);
  };
  for (const [heading, entries] of Object.entries(nounGroups)) {
    for (const entry of entries) {
      const isLoaded = argv === undefined || entry.name === wanted?.noun;
      const command = isLoaded ? await load(entry) : addStub(program, entry);
      command.helpGroup(`${heading}:`);
    }
  }
  return program;
}

/** A command other than the one called: known by name, without the cost of its flags. */
function addStub(parent: Command, { name, summary }: Pick<NounEntry, 'name' | 'summary'>): Command {
  return parent.command(name).summary(summary).description(summary);
}

function addNoun(
  program: Command,
  noun: Noun | CommandDefinition,
  summary: string,
  io: Pick<Io, 'stdout'>,
  dispatch: Dispatch,
  only?: string,
): Command {
  if ('run' in noun) return addCommand(program, noun, io, dispatch);
  const command = prepared(program.command(noun.name), io).summary(summary).description(summary);
  for (const verb of noun.verbs) {
    const added =
      only === undefined || verb.name === only ? addCommand(command, verb, io, dispatch) : addStub(command, verb);
    const alias = aliases[verb.name];
    if (alias !== undefined) added.alias(alias);
  }
  command.helpCommand(false);
  if (only !== undefined) return command;
  const { bare } = noun;
  if (bare) {
    command.description(`${summary}.\n\nWithout a verb: ${bare.description ?? bare.summary}`);
    fill(prepared(command.command(bare.name, { isDefault: true, hidden: true }), io), bare, io, dispatch);
  } else {
    command.action(() => {
      throw verbMissing(noun);
    });
  }
  const examples = [...(bare?.examples ?? []), ...noun.verbs.flatMap((verb) => verb.examples.slice(0, 1))];
  return command.addHelpText('after', () => examplesText(examples, io.stdout.columns()) + globalOptionsText);
}

const globalOptionsText = '\nGlobal options: hkctl --help\n';

function addCommand(
  parent: Command,
  definition: CommandDefinition,
  io: Pick<Io, 'stdout'>,
  dispatch: Dispatch,
): Command {
  const command = prepared(parent.command(definition.name), io).helpCommand(false);
  fill(command, definition, io, dispatch);
  return command;
}

function fill(command: Command, definition: CommandDefinition, io: Pick<Io, 'stdout'>, dispatch: Dispatch): void {
  const { summary, description, arguments: args, flags, examples } = definition;
  command.summary(summary).description(description === undefined ? `${summary}.` : `${summary}.\n\n${description}`);
  for (const { spelling, doc } of args) command.argument(spelling, doc);
  addFlags(command, flags as Flags);
  command.addHelpText('after', () => examplesText(examples, io.stdout.columns()) + globalOptionsText);
  command.exitOverride((error) => {
    throw error.code === 'commander.missingArgument'
      ? new IncompleteCommand(definition, command.optsWithGlobals(), command.args)
      : error;
  });
  command.action(() => dispatch(definition, command.optsWithGlobals(), command.args));
}

function prepared(command: Command, { stdout }: Pick<Io, 'stdout'>): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ sortSubcommands: false, subcommandTerm: termOf, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // run() reports errors, in one place and one form.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(stdout.columns() ?? 80, 120),
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

function termOf(this: Help, command: Command): string {
  const args = command.registeredArguments.map((arg) => {
    const name = arg.variadic ? `${arg.name()}...` : arg.name();
    return arg.required ? name : `[${name}]`;
  });
  return [[command.name(), ...command.aliases()].join(', '), ...args].join(' ');
}

/** Whether commander ended because help or the version was asked for and shown. */
export function isShown(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0;
}
