import { isHkctlError } from '../../core/errors.ts';
import { withoutSecrets } from '../../core/secrets.ts';
import { printable, toSafeJson } from '../../core/text/shown-text.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import type { Io, Output } from '../terminal/io.ts';
import { createStyle, type Style, terminalLine, visibleText } from '../terminal/style.ts';
import { wrapWhole } from '../terminal/wrap.ts';
import { chosenFields } from './json-fields.ts';

/** Writes the answer of a command, for people or for programs. */
export interface Printer {
  /** Whether the answer is JSON. */
  readonly json: boolean;
  /** The fields that `--json FIELD,…` names. */
  readonly fields: readonly string[] | undefined;
  /** Colours of standard output. */
  readonly style: Style;
  /** Adds the store to a hint. `say` and `warn` do so themselves. */
  naming(hint: string): string;
  /** The fields of a JSON value that were asked for by `--json FIELD,…`. */
  chosen(value: unknown): unknown;
  /** Writes lines to standard output. Each is made safe for a terminal: a name may contain any character, also a line break. */
  print(...lines: string[]): void;
  /** Writes a text of the program itself, such as a script, as it is; with `--json` the value given instead. */
  printDocument(text: string, json?: unknown): void;
  printJson(value: unknown): void;
  /** Writes rows for programs: cells behind tabs, each in one line. */
  printTabbed(rows: readonly (readonly string[])[]): void;
  /** Writes the changes of a successful command to standard output; nothing with `--quiet`. */
  confirm(...lines: string[]): void;
  /** Reports the changes of a successful command: with `--json` the value, else the lines as {@link confirm}. */
  report(json: unknown, ...lines: string[]): void;
  /** Writes hints for people to standard error; nothing with `--json` or `--quiet`. */
  say(...lines: string[]): void;
  /** Writes warnings to standard error, as {@link announce} does. */
  warn(...lines: string[]): void;
  /** Writes to standard error, with `--json` too: then at the end, or as a part of the error's document. */
  announce(level: MessageLevel, ...lines: string[]): void;
  /** Messages that wait for the end. */
  takeAnnounced(): string[];
}

/** The style is found at its first use. */
type Printing = Omit<Printer, 'style'> & { useStyle(): Style };

/** The flags that decide what a command writes. */
interface PrintFlags {
  json: boolean;
  quiet: boolean;
  fields?: readonly string[] | undefined;
}

/** `naming` adds the store to the commands of a hint, if the line named it. */
export function createPrinter(
  io: Io,
  { json, quiet, fields }: PrintFlags,
  naming: (hint: string) => string,
): Printing {
  let style: Style | undefined;
  const waitingLines: string[] = [];
  const printing: Printing = {
    json,
    fields,
    naming,
    useStyle() {
      style ??= createStyle(io.env, io.stdout);
      return style;
    },
    chosen: (value) => chosenFields(value, fields),
    print: (...lines) => io.stdout.write(linesOf(lines)),
    printDocument(text, document) {
      if (json && document !== undefined) printing.printJson(document);
      else io.stdout.write(`${text}\n`);
    },
    printJson(value) {
      const indent = io.stdout.isTTY ? 2 : undefined;
      const jsonText = toSafeJson(printing.chosen(value), indent, withoutSecrets);
      io.stdout.write(`${jsonText}\n`);
    },
    printTabbed(rows) {
      const tabbedLines = rows.map((cells) => {
        const tabbedCells = cells.map(tabbedCell);
        return `${tabbedCells.join('\t')}\n`;
      });
      io.stdout.write(tabbedLines.join(''));
    },
    confirm(...lines) {
      if (quiet) return;

      const namedLines = lines.map(naming);
      io.stdout.write(linesOf(namedLines, io.stdout));
    },
    report(value, ...lines) {
      if (json) printing.printJson(value);
      else printing.confirm(...lines);
    },
    say(...lines) {
      if (!json && !quiet) writeMessage(io, 'info', ...lines.map(naming));
    },
    warn: (...lines) => printing.announce('warn', ...lines),
    announce(level, ...lines) {
      const namedLines = lines.map(naming);
      // A text before the document of an error would keep a program from reading it.
      if (json && !logsMessages(io)) waitingLines.push(...namedLines);
      else writeMessage(io, level, ...namedLines);
    },
    takeAnnounced: () => waitingLines.splice(0),
  };
  return printing;
}

/** Writes messages to standard error, in the form of the log if that is a journal. */
export function writeMessage(io: Io, level: MessageLevel, ...lines: string[]): void {
  const toLine = (line: string) => journalLine(level, withoutSecrets(line), {}, io.clock());
  const text = logsMessages(io) ? lines.map(toLine).join('') : linesOf(lines, io.stderr);
  try {
    io.stderr.write(text);
  } catch (thrown) {
    // A command does its work, such as the step behind a rotation, also if nobody reads its messages.
    if (!isHkctlError(thrown) || thrown.code !== 'output_failed') throw thrown;
  }
}

/** A cell between tabs: tabs and line breaks are escaped as in C, characters that deceive a terminal as their numbers. */
function tabbedCell(cellText: string): string {
  const escaped = withoutSecrets(cellText)
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
  const columns = terminal?.columns();
  const safeLines = lines.map(withoutSecrets);
  const wrappedLines = safeLines.flatMap((line) => wrapSentence(line, columns));
  const shownLines = wrappedLines.map((line) => `${terminalLine(line)}\n`);
  return shownLines.join('');
}

function wrapSentence(line: string, columns: number | undefined): string[] {
  if (columns === undefined) return [line];
  if (line.startsWith(commandIndent)) return [line];

  // Before colours become escape sequences, which would be counted as text.
  return wrapWhole(visibleText(line), columns);
}

/** Priorities of sd-daemon(3), by which `journalctl -p` selects. */
const priorities = {
  error: 3,
  warn: 4,
  info: 6,
} as const;

type MessageLevel = keyof typeof priorities;

/** A message of a command in the form of the daemon's log in the journal of systemd: one JSON object after its priority. */
export function journalLine(
  level: MessageLevel,
  message: string,
  facts: Readonly<Record<string, unknown>>,
  nowMs: number,
): string {
  const entry = {
    level,
    time: formatInstantMs(nowMs),
    ...facts,
    msg: message,
  };
  const json = printable(JSON.stringify(entry));
  return `<${priorities[level]}>${json}\n`;
}

/** Whether messages are lines of the daemon's log, since standard error leads to the same journal. */
export function logsMessages({ isDaemon, stderr }: Pick<Io, 'isDaemon' | 'stderr'>): boolean {
  return isDaemon === true && stderr.isJournal === true;
}
