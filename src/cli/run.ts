import { CommanderError } from 'commander';
import { errorTable, HkctlError, isHkctlError } from '../core/errors.ts';
import { exposureIn, redactSecrets } from '../core/secrets.ts';
import { printable, textOfAny } from '../core/text/shown-text.ts';
import type { CommandDefinition } from './command/command.ts';
import { type Context, createContext } from './command/context.ts';
import { globalFlags, readFlags, serviceLinksIn } from './command/flags.ts';
import { requireFields } from './command/json-fields.ts';
import { journalLine, logsMessages, writeMessage } from './command/printer.ts';
import { runCommand } from './command/running.ts';
import type { Services } from './command/services.ts';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { createStoreNaming, requireFlagsBehindCommand } from './command-words.ts';
import { createProgram, isShown, withOptionalValues } from './program.ts';
import { withClosedStore, withSwitchedAccount } from './store-account.ts';
import { type Io, isClosedPipe } from './terminal/io.ts';
import { createStyle, terminalLine } from './terminal/style.ts';
import { wrapWhole } from './terminal/wrap.ts';
import { unknownVariableWarnings } from './unknown-variables.ts';

/**
 * Runs one command line (`argv` without interpreter and script) and returns its exit code (promise 3.1). Every error is
 * reported on standard error, with `--json` as `{"error":{"code","message","hint"}}`; nothing is thrown.
 */
export async function runCommandLine(
  argv: readonly string[],
  io: Io,
  services: Services,
): Promise<number> {
  let commandLine: CommandLine = { argv };
  let context: Context | undefined;
  let exitCode = 0;
  let runningCommand: CommandDefinition | undefined;

  const dispatch = async (
    definition: CommandDefinition,
    typedFlags: Record<string, unknown>,
    args: string[],
  ) => {
    runningCommand = definition;
    const globals = readFlags(globalFlags, typedFlags, io.env);
    const flags = readFlags(definition.flags, typedFlags, io.env);
    const { fields } = commandLine;
    if (fields !== undefined) requireFields(fields, definition.fields, '--json');

    const loadProgram = (words: readonly string[]) =>
      createProgram(io, services.version, async () => {}, words);
    context = createContext(
      io,
      services,
      { ...globals, fields, yes: flags.yes === true, isReadOnly: definition.readOnly === true },
      loadProgram,
      createStoreNaming(argv),
    );

    for (const variable of serviceLinksIn(definition.flags, typedFlags, io.env)) {
      context.warn(ignoredLink(variable));
    }
    if (!definition.readOnly) {
      context.warn(...(await unknownVariableWarnings(definition.flags, io.env)));
    }

    try {
      exitCode = await runCommand(context, definition, flags, args);
      const exposure = exposureIn(argv);
      if (exposure !== undefined) context.warn(exposure);
      writeMessage(io, 'warn', ...context.takeAnnounced());
    } catch (thrown) {
      const error = withSwitchedAccount(thrown, io);
      throw globals.store === undefined ? withClosedStore(error, io) : error;
    }
  };

  try {
    requireFlagsBehindCommand(argv);
    commandLine = await readCommandLine(argv);
    const program = await createProgram(io, services.version, dispatch, commandLine.argv);
    const typedWords = withOptionalValues(program, commandLine.argv);
    await program.parseAsync(typedWords, { from: 'user' });
  } catch (thrown) {
    const warnings = context?.takeAnnounced();
    exitCode = isShown(thrown) ? 0 : report(thrown, argv, io, runningCommand, warnings);
  }

  try {
    await context?.close();
  } catch (thrown) {
    exitCode ||= report(thrown, argv, io, runningCommand);
  }
  return exitCode;
}

function ignoredLink(variable: string): string {
  return `warning: ${variable} is ignored: its value is the one that Kubernetes sets for a Service named hkctl. To leave such variables out: enableServiceLinks: false.`;
}

/**
 * Reports an error on standard error and returns the exit code; `running` is the command, if any. Node itself would print the message
 * of an uncaught error with its control characters and secrets.
 */
export function report(
  thrown: unknown,
  argv: readonly string[],
  io: Io,
  running?: CommandDefinition,
  warnings: readonly string[] = [],
): number {
  const error = toError(thrown);
  // Help and the like, before any command runs, change nothing either.
  const changesNothing = running === undefined || running.readOnly;
  if (changesNothing && isClosedPipe(error)) return 0;

  const exitCode = errorTable[error.code].exit;
  const message = error.lines.map(safeText).join('\n');
  const hint = hintOf(error, argv);
  if (logsMessages(io)) {
    const logFields = {
      code: error.code,
      ...(hint !== null && { hint }),
    };
    const logLine = journalLine('error', message, logFields, io.clock());
    io.stderr.write(logLine);
    return exitCode;
  }

  if (isFlagSet(argv, io, '--json', 'HKCTL_JSON')) {
    writeJsonError(io, {
      code: error.code,
      message,
      hint,
      ...error.details,
      ...(warnings.length > 0 && { warnings }),
    });
  } else {
    writeErrorText(io, message, hint);
  }

  if (error.code === 'internal' && isFlagSet(argv, io, '--debug', 'HKCTL_DEBUG')) {
    const stackLines = stackOf(thrown).split('\n');
    writeError(io, `${stackLines.map(safeText).join('\n')}\n`);
  }
  return exitCode;
}

/** The hint of an error, and a warning if the command line contains a secret; null without either. */
function hintOf(error: HkctlError, argv: readonly string[]): string | null {
  const sentences = [error.hint, exposureIn(argv)].filter((sentence) => sentence !== undefined);
  if (sentences.length === 0) return null;

  const nameStore = createStoreNaming(argv);
  return safeText(nameStore(sentences.join(' ')));
}

function writeJsonError(io: Io, error: Readonly<Record<string, unknown>>): void {
  // Details quote input, such as the names of columns.
  const jsonText = JSON.stringify({ error }, (_, value) =>
    typeof value === 'string' ? redactSecrets(value) : value,
  );
  writeError(io, `${printable(jsonText)}\n`);
}

function writeErrorText(io: Io, message: string, hint: string | null): void {
  const style = createStyle(io.env, io.stderr);
  const sentences = [`${style.red('error:')} ${message}`];
  if (hint !== null) sentences.push(`${style.cyan('hint:')} ${hint}`);

  const errorLines = sentences.flatMap((sentence) => sentence.split('\n'));
  const columns = io.stderr.columns();
  // A terminal itself would break them inside a word.
  const wrapLine = (line: string) => (columns === undefined ? [line] : wrapWhole(line, columns));
  const wrappedLines = errorLines.flatMap(wrapLine);
  const shownLines = wrappedLines.map(terminalLine);
  writeError(io, `${shownLines.join('\n')}\n`);
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return textOfAny(thrown);

  return thrown.stack ?? thrown.message;
}

/** Messages quote arguments and input. */
function safeText(text: string): string {
  return printable(redactSecrets(text));
}

/** If standard error is closed as well, only the exit code remains. */
function writeError(io: Io, text: string): void {
  try {
    // Priority 3: `journalctl -p err` shows why a service failed.
    const prioritizedText = io.stderr.isJournal ? text.replace(/^(?=.)/gm, '<3>') : text;
    io.stderr.write(prioritizedText);
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
  }
}

function toError(thrown: unknown): HkctlError {
  if (isHkctlError(thrown)) return thrown;
  if (thrown instanceof CommanderError) return usageError(thrown);
  return new HkctlError('internal', 'Internal error. Run again with --debug.', {
    hint: '--debug shows where the error came from. Please report it.',
    cause: thrown,
  });
}

/** commander's sentence, with its suggestion as the hint. */
function usageError(thrown: CommanderError): HkctlError {
  // Redacted in one piece: an argument may itself have several lines.
  const [message = '', suggestion] = redactSecrets(thrown.message)
    .replace(/^error: /, '')
    .split('\n');
  const firstLetter = message[0]?.toUpperCase() ?? '';
  const sentence = `${firstLetter}${message.slice(1)}.`.replace(/\.\.$/, '.');
  const hint = suggestion?.replace(/^\((.*)\)$/, '$1') ?? 'Add --help to see its flags.';
  return new HkctlError('usage', sentence, { hint });
}

/** Validated by hand, since an error may come before the flags were read. */
function isFlagSet(argv: readonly string[], io: Io, flag: string, variable: string): boolean {
  const endOfFlags = argv.indexOf('--');
  const flagWords = endOfFlags === -1 ? argv : argv.slice(0, endOfFlags);
  const isTyped = flagWords.some((word) => word === flag || word.startsWith(`${flag}=`));
  if (isTyped) return true;

  const variableText = io.env[variable]?.toLowerCase() ?? '';
  return ['1', 'true', 'yes', 'on'].includes(variableText);
}
