import { Command, CommanderError, type Help } from 'commander';
import { type CommandDefinition, globalFlags, type Noun } from './command.ts';
import { addFlags, type Flags } from './flags.ts';
import type { Io } from './io.ts';
import { type NounEntry, nouns } from './nouns.ts';

/** What happens when a command line was understood. */
export type Dispatch = (
  definition: CommandDefinition,
  given: Record<string, unknown>,
  words: string[],
) => Promise<void>;

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
    .description('API keys for plants: who may read what of which site, and the API that serves it.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show help for a command');
  addFlags(program, globalFlags);
  program.addHelpText(
    'after',
    examplesText([
      ['hkctl init', 'make a store'],
      ['hkctl keys', 'manage API keys'],
      ['hkctl serve', 'run the API'],
    ]),
  );
  const wanted = argv && nounIn(argv);
  for (const entry of nouns) {
    if (argv === undefined || entry.name === wanted) addNoun(program, await entry.load(), io, dispatch);
    else addStub(program, entry);
  }
  return program;
}

/** The first word of a command line, past the flags that all commands share; after `help` the word behind it. */
function nounIn(argv: readonly string[]): string | undefined {
  const withValue = Object.values(globalFlags)
    .filter((flag) => flag.kind === 'value')
    .map((flag) => flag.spelling.split(' ')[0]);
  let found: string | undefined;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (withValue.includes(word)) i++;
    else if (!word.startsWith('-') && word !== 'help') {
      found = word;
      break;
    }
  }
  return found;
}

function addStub(program: Command, { name, summary }: NounEntry): void {
  program.command(name).summary(summary).description(summary);
}

function addNoun(program: Command, noun: Noun | CommandDefinition, io: Pick<Io, 'stdout'>, dispatch: Dispatch): void {
  if ('run' in noun) {
    addCommand(program, noun, io, dispatch);
    return;
  }
  const command = prepared(program.command(noun.name), io).summary(noun.summary).description(noun.summary);
  for (const verb of noun.verbs) addCommand(command, verb, io, dispatch);
  command.helpCommand(false);
  if (noun.bare) fill(command, noun.bare, dispatch);
  else command.addHelpText('after', examplesText(noun.verbs.flatMap(({ examples }) => examples.slice(0, 1))));
}

function addCommand(parent: Command, definition: CommandDefinition, io: Pick<Io, 'stdout'>, dispatch: Dispatch): void {
  fill(prepared(parent.command(definition.name), io).helpCommand(false), definition, dispatch);
}

function fill(command: Command, definition: CommandDefinition, dispatch: Dispatch): void {
  const { summary, description, words, flags, examples } = definition;
  command.summary(summary).description(description === undefined ? `${summary}.` : `${summary}.\n\n${description}`);
  for (const { spelling, doc } of words) command.argument(spelling, doc);
  addFlags(command, flags as Flags);
  command.addHelpText('after', examplesText(examples));
  command.action(() => dispatch(definition, command.optsWithGlobals(), command.args));
}

function prepared(command: Command, { stdout }: Pick<Io, 'stdout'>): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false, subcommandTerm: termOf })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // Errors are told by run(), in one place and one form.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(stdout.columns() ?? 80, 120),
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

function termOf(this: Help, command: Command): string {
  const words = command.registeredArguments.map((word) => (word.required ? word.name() : `[${word.name()}]`));
  return [command.name(), ...words].join(' ');
}

function examplesText(examples: CommandDefinition['examples']): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  const lines = examples.map(([command, does]) =>
    width > 50 ? `  # ${does}\n  ${command}` : `  ${command.padEnd(width)}   ${does}`,
  );
  return `\nExamples:\n${lines.join('\n')}\n`;
}

/** Whether commander ended because help or the version was asked for and shown. */
export function isShown(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0;
}
