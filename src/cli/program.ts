import { Command, CommanderError, type Help } from 'commander';
import { HkctlError } from '../core/errors.ts';
import { redactSecrets } from '../core/secrets.ts';
import { quotedText } from '../core/text/shown-text.ts';
import type { CommandDefinition } from './command/command.ts';
import { addFlags, globalFlags } from './command/flags.ts';
import {
  aliases,
  nounIn,
  requireNoun,
  requireVerb,
  unknownFlag,
  verbMissing,
} from './command-words.ts';
import { type NamedCommand, type NamedNoun, type NounEntry, nounGroups } from './nouns.ts';
import type { Io } from './terminal/io.ts';
import { wrapWhole } from './terminal/wrap.ts';

/** The widest that examples are. */
const maxExampleColumns = 80;

/** The examples of a help text: each command with what it does, in no more than 80 columns if its words are short enough. */
function examplesText(examples: CommandDefinition['examples'], columns: number): string {
  const maxColumns = Math.min(columns, maxExampleColumns);
  const commandWidth = Math.max(...examples.map(([command]) => command.length));
  const inlineExamples = examples.map(
    ([command, purpose]) => `  ${command.padEnd(commandWidth)}   ${purpose}`,
  );
  const isNarrow = commandWidth <= 50 && inlineExamples.every((line) => line.length <= maxColumns);
  const exampleLines = isNarrow
    ? inlineExamples
    : examples.flatMap(([command, purpose]) => [
        ...wrapWhole(purpose, maxColumns - 4).map((line) => `  # ${line}`),
        `  ${brokenCommand(command, maxColumns)}`,
      ]);
  return `\nExamples:\n${exampleLines.join('\n')}\n`;
}

/** A command over several lines as a shell reads it; a flag stays with its value, and nothing is broken inside quotes. */
function brokenCommand(command: string, maxColumns: number): string {
  const lines: string[] = [];
  let currentLine = '';
  for (const [token] of command.matchAll(
    /(?:--\S+|\||>>?|&&) (?![-|>&])(?:"[^"]*"|'[^']*'|\S)+|(?:"[^"]*"|'[^']*'|\S)+/g,
  )) {
    // Two blanks before the first line, six before the others, and the backslash.
    if (
      currentLine !== '' &&
      `${currentLine} ${token} \\`.length > maxColumns - (lines.length === 0 ? 2 : 6)
    ) {
      lines.push(currentLine);
      currentLine = token;
    } else currentLine = currentLine === '' ? token : `${currentLine} ${token}`;
  }
  return [...lines, currentLine].join(' \\\n      ');
}

type Dispatch = (
  definition: CommandDefinition,
  typedFlags: Record<string, unknown>,
  args: string[],
) => Promise<void>;

/**
 * Builds the program. Only the noun that `argv` names is loaded, the others are known by name and summary; without
 * `argv` everything is loaded, for tests that walk all commands.
 */
export async function createProgram(
  { stdout }: Pick<Io, 'stdout'>,
  version: string,
  dispatch: Dispatch,
  argv?: readonly string[],
): Promise<Command> {
  const helpWidth = (maxColumns: number) => Math.min(stdout.columns() ?? 80, maxColumns);
  // The commands below inherit all of this.
  const program = new Command('hkctl')
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    // `run()` takes the word help for --help.
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false, subcommandTerm: termOf, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // run() reports errors, in one place and one form.
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth(120),
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .description('API keys and a client API for manufacturing sites.')
    .version(version, '-V, --version', 'print the version');
  addFlags(program, globalFlags, true);
  const addExamples = (
    command: Command,
    examples: CommandDefinition['examples'],
    footer = globalOptionsText,
  ) =>
    command.addHelpText(
      'after',
      () => examplesText(examples, helpWidth(maxExampleColumns)) + footer,
    );
  const programExamples = [
    ['hkctl init', 'create a store'],
    ['hkctl keys', 'manage API keys'],
    ['hkctl serve', 'run the API'],
  ] as const;
  addExamples(program, programExamples, '');
  program.action(async () => {
    const { overviewOf } = await import('./overview.ts');
    await dispatch(overviewOf(program), program.opts(), []);
  });

  const fillCommand = (command: Command, definition: NamedCommand): Command => {
    const { summary, description } = definition;
    command
      .summary(summary)
      .description(description === undefined ? `${summary}.` : `${summary}.\n\n${description}`);
    for (const { spelling, doc } of definition.arguments) command.argument(spelling, doc);
    addFlags(command, definition.flags);
    // commander would name the first missing argument alone; run() names all of them, and the missing flags.
    Object.assign(command, { missingArgument() {} });
    refuseUnknownFlags(command, definition.flagGuidance);
    command.allowExcessArguments(true);
    command.action(() => {
      requireNoExcess(command, definition);
      return dispatch(definition, command.optsWithGlobals(), command.args);
    });
    return addExamples(command, definition.examples);
  };

  refuseUnknownFlags(program);
  const addNoun = (noun: NamedNoun, summary: string): Command => {
    const { name, verbs, bare } = noun;
    const command = program.command(name).helpCommand(false).summary(summary).description(summary);
    for (const verb of verbs) {
      const verbCommand = fillCommand(command.command(verb.name), verb);
      const alias = aliases[verb.name];
      if (alias !== undefined) verbCommand.alias(alias);
    }
    if (bare) {
      command.description(`${summary}.\n\nWithout a verb: ${bare.description ?? bare.summary}`);
      fillCommand(command.command(bare.name, { isDefault: true, hidden: true }), bare);
    } else {
      command.action(() => {
        throw verbMissing(noun);
      });
    }
    return addExamples(command, [
      ...(bare?.examples ?? []),
      ...verbs.flatMap((verb) => verb.examples.slice(0, 1)),
    ]);
  };

  const namedNoun = argv && nounIn(argv);
  if (namedNoun) await requireNoun(namedNoun.noun);
  const loadNoun = async ({ load, summary }: NounEntry) => {
    const noun = await load();
    if ('run' in noun) return fillCommand(program.command(noun.name), noun);
    if (namedNoun) requireVerb(noun, namedNoun.rest);
    return addNoun(noun, summary);
  };
  for (const [heading, entries] of Object.entries(nounGroups)) {
    for (const entry of entries) {
      const isLoaded = argv === undefined || entry.name === namedNoun?.noun;
      const { name, summary } = entry;
      const command = isLoaded
        ? await loadNoun(entry)
        : program.command(name).summary(summary).description(summary);
      command.helpGroup(`${heading}:`);
    }
  }
  return program;
}

/** Flags that a command does not have are refused in our words: commander's suggestions know no risk. */
function refuseUnknownFlags(command: Command, guidance?: CommandDefinition['flagGuidance']): void {
  const refuse = (flag: string) => {
    const commandPath = [command, command.parent, command.parent?.parent];
    const options = commandPath.flatMap((ancestor) => ancestor?.options ?? []);
    throw unknownFlag(
      flag,
      options.flatMap((option) => option.flags.match(/--[a-z-]+/g) ?? []),
      guidance,
    );
  };
  Object.assign(command, { unknownOption: refuse });
}

/** Refuses more words than a command takes: `usage`, with what to do instead if it is known. */
function requireNoExcess(command: Command, { excessGuidance }: CommandDefinition): void {
  const { registeredArguments: declaredArguments, args } = command;
  const excess = args[declaredArguments.length];
  if (excess === undefined || declaredArguments.at(-1)?.variadic) return;
  const guidance = excessGuidance?.(redactSecrets(excess));
  if (guidance !== undefined) throw new HkctlError('usage', guidance);
  const commandNames = [command.parent?.name(), command.name()].filter(
    (name) => name !== 'hkctl' && name !== 'bare',
  );
  const expectedArguments =
    declaredArguments.length === 0
      ? 'no argument'
      : declaredArguments.map((argument) => argument.name()).join(' ');
  const quotedExcess = quotedText(excess);
  throw new HkctlError(
    'usage',
    `${commandNames.join(' ')} takes ${expectedArguments}; ${quotedExcess} is one too many.`,
    {
      hint:
        excess === 'help'
          ? 'Did you mean --help?'
          : 'Add --help to see what it takes. Quote a name that has a space.',
    },
  );
}

const globalOptionsText = '\nGlobal options: hkctl --help\n';

function termOf(this: Help, command: Command): string {
  const argumentTerms = command.registeredArguments.map((argument) => {
    const argumentName = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? argumentName : `[${argumentName}]`;
  });
  return [[command.name(), ...command.aliases()].join(', '), ...argumentTerms].join(' ');
}

/** Whether commander ended because help or the version was asked for and shown. */
export function isShown(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0;
}
