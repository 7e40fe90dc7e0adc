import { Command, CommanderError, type Help } from 'commander';
import { HkctlError } from '../core/errors.ts';
import { redactSecrets } from '../core/secrets.ts';
import { quotedText } from '../core/text/shown-text.ts';
import type { CommandDefinition } from './command/command.ts';
import { addFlags, globalFlags } from './command/flags.ts';
import { aliases, nounIn, requireNoun, requireVerb, unknownFlag } from './command-words.ts';
import { type NamedCommand, type NamedNoun, type NounEntry, nounGroups } from './nouns.ts';
import type { Io } from './terminal/io.ts';
import { wrapWhole } from './terminal/wrap.ts';

/** The largest width of the examples. */
const maxExampleColumns = 80;

/** The examples of a help text: each command with its purpose, in no more than 80 columns if its words are short enough. */
function examplesText(examples: CommandDefinition['examples'], columns: number): string {
  const maxColumns = Math.min(columns, maxExampleColumns);
  const commandWidths = examples.map(([command]) => command.length);
  const commandWidth = Math.max(...commandWidths);
  const inlineExamples = examples.map(
    ([command, purpose]) => `  ${command.padEnd(commandWidth)}   ${purpose}`,
  );
  const fitsInline = inlineExamples.every((line) => line.length <= maxColumns);
  const exampleLines =
    fitsInline && commandWidth <= 50
      ? inlineExamples
      : examples.flatMap((example) => commentedExample(example, maxColumns));
  return `\nExamples:\n${exampleLines.join('\n')}\n`;
}

function commentedExample(
  [command, purpose]: CommandDefinition['examples'][number],
  maxColumns: number,
): string[] {
  const purposeLines = wrapWhole(purpose, maxColumns - 4);
  const comments = purposeLines.map((line) => `  # ${line}`);
  return [...comments, `  ${brokenCommand(command, maxColumns)}`];
}

/** A flag with its value, a redirection with its file, or a single word; quoted text stays in one piece. */
const commandTokens =
  /(?:--\S+|\||>>?|&&) (?![-|>&])(?:"[^"]*"|'[^']*'|\S)+|(?:"[^"]*"|'[^']*'|\S)+/g;

/** A command over several lines as a shell reads it; a flag stays with its value, and nothing is broken inside quotes. */
function brokenCommand(command: string, maxColumns: number): string {
  const lines: string[] = [];
  let currentLine = '';
  for (const [token] of command.matchAll(commandTokens)) {
    if (currentLine === '') {
      currentLine = token;
      continue;
    }

    // Two blanks before the first line, six before the others, and the backslash.
    const indentColumns = lines.length === 0 ? 2 : 6;
    const longerLine = `${currentLine} ${token}`;
    if (`${longerLine} \\`.length > maxColumns - indentColumns) {
      lines.push(currentLine);
      currentLine = token;
    } else {
      currentLine = longerLine;
    }
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
  const helpWidth = (maxColumns: number) => {
    const columns = stdout.columns() ?? 80;
    return Math.min(columns, maxColumns);
  };

  // The commands below inherit all of this.
  const program = new Command('hkctl')
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    // `run()` takes the word help for --help.
    .helpCommand(false)
    .configureHelp({
      sortSubcommands: false,
      subcommandTerm: termOf,
      minWidthToWrap: 20,
    })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // run() reports errors, in one place and one form.
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth(120),
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .description('API keys and a client API for manufacturing plants.')
    .version(version, '-V, --version', 'print the version');
  addFlags(program, globalFlags, true);

  const addExamples = (
    command: Command,
    examples: CommandDefinition['examples'],
    footer = globalOptionsText,
  ) => {
    const helpText = () => examplesText(examples, helpWidth(maxExampleColumns)) + footer;
    return command.addHelpText('after', helpText);
  };
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
    const details = description === undefined ? '' : `\n\n${description}`;
    command.summary(summary).description(`${summary}.${details}`);
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
      const bareCommand = command.command(bare.name, {
        isDefault: true,
        hidden: true,
      });
      fillCommand(bareCommand, bare);
    } else {
      // The command line has got the verb by then.
      command.description(`${summary}.\n\nWithout a verb: list.`);
    }

    const bareExamples = bare?.examples ?? [];
    const verbExamples = verbs.flatMap((verb) => verb.examples.slice(0, 1));
    return addExamples(command, [...bareExamples, ...verbExamples]);
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

/** Refuses unknown flags with our own suggestions: commander would also suggest risky flags. */
function refuseUnknownFlags(command: Command, guidance?: CommandDefinition['flagGuidance']): void {
  const refuse = (flag: string) => {
    const commandPath = [command, command.parent, command.parent?.parent];
    const options = commandPath.flatMap((ancestor) => ancestor?.options ?? []);
    const flagNames = options.flatMap((option) => option.flags.match(/--[a-z-]+/g) ?? []);
    throw unknownFlag(flag, flagNames, guidance);
  };
  Object.assign(command, { unknownOption: refuse });
}

/** Refuses more words than a command takes: `usage`, with the alternative as its hint if it is known. */
function requireNoExcess(command: Command, { excessGuidance }: CommandDefinition): void {
  const { registeredArguments: declaredArguments, args } = command;
  const excess = args[declaredArguments.length];
  if (excess === undefined || declaredArguments.at(-1)?.variadic) return;

  const commandName = [command.parent?.name(), command.name()]
    .filter((name) => name !== 'hkctl' && name !== 'bare')
    .join(' ');
  const argumentNames = declaredArguments.map((argument) => argument.name());
  const expectedArguments = argumentNames.join(' ') || 'no argument';
  const quotedExcess = quotedText(excess);
  const guidance =
    excessGuidance?.(redactSecrets(excess)) ??
    'Add --help to see what it takes. Quote a name that has a space.';
  const hint = excess === 'help' ? 'Did you mean --help?' : guidance;
  throw new HkctlError(
    'usage',
    `${commandName} takes ${expectedArguments}; ${quotedExcess} is one too many.`,
    { hint },
  );
}

const globalOptionsText = '\nGlobal options: hkctl --help\n';

function termOf(this: Help, command: Command): string {
  const argumentTerms = command.registeredArguments.map((argument) => {
    const argumentName = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? argumentName : `[${argumentName}]`;
  });
  const commandNames = [command.name(), ...command.aliases()].join(', ');
  return [commandNames, ...argumentTerms].join(' ');
}

/**
 * The command line with `=yes` behind a flag that lacks its optional value. commander would else take the next word, an
 * argument, for its value.
 */
export function withOptionalValues(program: Command, argv: readonly string[]): string[] {
  const optionalFlags = program.commands
    .flatMap((command) => [command, ...command.commands])
    .flatMap((command) => command.options.filter(({ optional }) => optional))
    .map(({ long }) => long);
  const endOfFlags = argv.indexOf('--');
  return argv.map((word, index) => {
    const isFlag = endOfFlags === -1 || index < endOfFlags;
    return isFlag && optionalFlags.includes(word) ? `${word}=yes` : word;
  });
}

/** Whether commander ended because help or the version was asked for and shown. */
export function isShown(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0;
}
