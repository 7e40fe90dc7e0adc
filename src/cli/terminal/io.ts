import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, errorTable, HkctlError, isHkctlError } from '../../core/errors.ts';
import { isJournalStream } from '../../core/files/descriptors.ts';
import type { RandomBytes } from '../../core/secrets.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Asker, Screen } from './interaction.ts';
import { createSignals, isHangupIgnored, type Signals } from './signals.ts';

/** Everything outside the program that a command uses; tests pass their own. */
export interface Io {
  /** Standard input, opened on first access. */
  readonly stdin: Input;
  /** Whether standard input is a terminal; found out without opening it. */
  readonly stdinIsTTY: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The output of questions: a stream on standard error, opened on first access. */
  readonly promptOutput: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Show questions as numbered lines that are never redrawn, for screen readers (`keys --plain`). */
  readonly plain?: boolean;
  /** Asks the questions instead of lines on standard error, on the screen of the settings page. */
  readonly asker?: Asker;
  /** Whether the command line starts the daemon. */
  readonly isDaemon?: boolean;
  readonly screen?: Screen;
  /** The account of the operating system that acts; under sudo the one that called it. */
  readonly osAccount: string;
  /** Path of the store if no flag or variable names another; undefined if the account has no home folder. */
  readonly defaultStorePath: string | undefined;
  /** Whether the default is the store of the system's daemon; a command that uses it then prints the path. */
  readonly isSystemStore?: boolean;
  /** The store of the system's daemon, if the default is another one; a command that uses that prints both. */
  readonly otherStorePath?: string | undefined;
  /** The folder of the system's store and the account that owns it, if the acting account may not enter it. */
  closedSystemStore?(): { folder: string; account: string } | undefined;
  /** The arguments of the process that are paths, as bytes where they are no text; in the order of the command line. */
  rawPaths?(paths: readonly string[]): (string | Buffer)[];
  /** The command that starts this program: interpreter and script, or the program of a package with Node.js inside. */
  readonly program: readonly string[];
  readonly clock: Clock;
  /** How long the machine has run, in milliseconds, including sleep; setting its clock does not change it. */
  readonly uptime: Clock;
  readonly random: RandomBytes;
  readonly newId: () => string;
  /** The account that root has switched to, since the store is in a folder of it; undefined without a switch. */
  actsAs(): string | undefined;
  /** Puts a text on the clipboard of this machine; rejects if there is none. */
  copy(text: string, signal: AbortSignal): Promise<void>;
  /** Opens an address in the browser of this machine; rejects if there is none. */
  open(url: string): Promise<void>;
  /**
   * A signal that SIGTERM and SIGINT abort, and SIGHUP if it comes from a terminal that was closed. Before the first call they end the process as usual.
   * A second SIGINT ends the process at once, with exit code 130.
   */
  interrupted(): AbortSignal;
  /** Signals for a part that uses the terminal for a while: a question, the panel, the settings page. */
  readonly signals: Signals;
}

/** A stream that may be a terminal, which reports single keys in raw mode. */
export type Input = NodeJS.ReadableStream & {
  setRawMode?(raw: boolean): unknown;
};

/** A synchronous output: `write` returns once the system has accepted the whole text, and throws `output_failed` otherwise. */
export interface Output {
  readonly isTTY: boolean;
  /** Whether the output is the null device, which Node also opens in place of a closed descriptor: no text reaches a reader. */
  readonly isNull: boolean;
  /** Whether it leads to the journal of systemd, where a line may begin with its priority. */
  readonly isJournal?: boolean;
  /** Width in characters; undefined if it is unknown, as in a pipe. */
  columns(): number | undefined;
  rows(): number | undefined;
  write(text: string): void;
  /** The same for bytes that are no text. */
  writeBytes(bytes: Uint8Array): void;
  /** Syncs the written text to disk if the output is a file. */
  flush(): void;
  /** Calls back when the size of the terminal changes; returns a function that stops this. */
  onResize(listener: () => void): () => void;
}

/** See {@link Io.program}. A package with Node.js inside has a program that finds both, also after an upgrade. */
function programOf({ execPath, argv }: NodeJS.Process): readonly string[] {
  const script = argv[1] ?? 'hkctl';
  const scriptFolder = dirname(script);
  const bundledNode = join(scriptFolder, '..', 'libexec', 'node');
  const usesBundledNode = existsSync(bundledNode) && realpathSync(bundledNode) === execPath;
  if (usesBundledNode) return [join(scriptFolder, 'hkctl')];

  return [execPath, script];
}

/** The parts that {@link createIo} cannot derive from the process itself. */
type IoParts = Omit<
  Io,
  | 'rawPaths'
  | 'program'
  | 'stdin'
  | 'stdinIsTTY'
  | 'promptOutput'
  | 'stdout'
  | 'stderr'
  | 'interrupted'
  | 'signals'
>;

/**
 * The real {@link Io}, over the file descriptors 0 to 2. The streams of the process are touched only if they are terminals
 * or are read.
 */
export function createIo(process: NodeJS.Process, parts: IoParts): Io {
  let interruption: AbortSignal | undefined;
  const ignoresHangup = isHangupIgnored(process.ppid);
  // Without a listener the signal would end the process.
  if (ignoresHangup) process.on('SIGHUP', () => {});
  return {
    ...parts,
    rawPaths,
    get program() {
      return programOf(process);
    },
    get stdin() {
      return process.stdin;
    },
    get stdinIsTTY() {
      return isTerminal(process, 0);
    },
    get promptOutput() {
      return process.stderr;
    },
    stdout: createOutput(process, parts.env, 1, () => process.stdout),
    stderr: createOutput(process, parts.env, 2, () => process.stderr),
    interrupted: () => (interruption ??= interruptedBy(process, ignoresHangup)),
    signals: createSignals(process, ignoresHangup),
  };
}

/** Whether there is a terminal for questions: standard input and error are one. */
export function canAsk(io: Io): boolean {
  return io.stderr.isTTY && io.stdinIsTTY;
}

/** Asks node:tty only about a character device other than the null device, since nothing else can be a terminal. */
function isTerminal(process: NodeJS.Process, fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isCharacterDevice()) return false;
  if (isNullDevice(process, stats)) return false;

  const tty = process.getBuiltinModule('node:tty');
  return tty.isatty(fd);
}

function isNullDevice({ platform }: NodeJS.Process, stats: Stats): boolean {
  if (platform === 'win32' || !stats.isCharacterDevice()) return false;

  return statSync('/dev/null').rdev === stats.rdev;
}

function createOutput(
  process: NodeJS.Process,
  env: Io['env'],
  fd: 1 | 2,
  openStream: () => NodeJS.WriteStream,
): Output {
  const isOnTerminal = isTerminal(process, fd);
  return {
    isTTY: isOnTerminal,
    get isNull() {
      return isNullDevice(process, fstatSync(fd));
    },
    get isJournal() {
      return isJournalStream(env.JOURNAL_STREAM, fstatSync(fd));
    },
    // A terminal that does not know its size reports 0.
    columns: () => (isOnTerminal ? openStream().columns || undefined : undefined),
    rows: () => (isOnTerminal ? openStream().rows || undefined : undefined),
    write: (text) => writeAll(fd, Buffer.from(text)),
    writeBytes: (bytes) => writeAll(fd, bytes),
    flush: () => flush(fd),
    onResize(listener) {
      if (!isOnTerminal) return () => {};
      openStream().on('resize', listener);
      return () => openStream().off('resize', listener);
    },
  };
}

function writeAll(fd: number, bytes: Uint8Array): void {
  let unwritten = bytes;
  while (unwritten.length > 0) {
    try {
      unwritten = unwritten.subarray(writeSync(fd, unwritten));
    } catch (thrown) {
      if (errnoOf(thrown) !== 'EAGAIN') throw outputFailed(thrown);
      // Another process made the pipe non-blocking, and its reader is slow: wait.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Converts a failed write to `output_failed` with the reason in words; the cause keeps the system's error. */
export function outputFailed(thrown: unknown): HkctlError {
  const reasons: Record<string, string> = {
    EPIPE: 'its reader has closed the pipe',
    ENOSPC: 'the disk is full',
    EBADF: 'it is closed',
    EIO: 'the device failed',
  };
  const code = errnoOf(thrown) ?? 'unknown';
  const reason = reasons[code] ?? code;
  return new HkctlError('output_failed', `Standard output could not be written: ${reason}.`, {
    cause: thrown,
  });
}

/** Whether a write failed because the reader had closed the pipe. */
export function isClosedPipe(thrown: unknown): boolean {
  if (!isHkctlError(thrown) || thrown.code !== 'output_failed') return false;

  return errnoOf(thrown.cause) === 'EPIPE';
}

function flush(fd: number): void {
  try {
    fsyncSync(fd);
  } catch (thrown) {
    // Pipes, terminals and some devices cannot be synced, and need not be.
    const unsyncedCodes = ['EINVAL', 'EROFS', 'ENOTSUP', 'EBADF'];
    const code = errnoOf(thrown) ?? '';
    if (!unsyncedCodes.includes(code)) throw outputFailed(thrown);
  }
}

/** At its exit Node restores the mode of a terminal that it had at its start, and aborts if that terminal is closed. */
function replaceByNullDevice(fd: number): void {
  closeSync(fd);
  // The system gives the lowest free number.
  openSync('/dev/null', 'r+');
}

/** A Ctrl-C may arrive twice within this time: npm forwards it to processes that the terminal has already signalled. */
const sameKeyMs = 300;

function interruptedBy(process: NodeJS.Process, ignoresHangup: boolean): AbortSignal {
  const controller = new AbortController();
  let firstInterruptMs: number | undefined;
  process.on('SIGINT', () => {
    const nowMs = performance.now();
    if (firstInterruptMs !== undefined && nowMs - firstInterruptMs > sameKeyMs)
      process.exit(errorTable.cancelled.exit);
    firstInterruptMs ??= nowMs;
    controller.abort('SIGINT');
  });
  process.on('SIGTERM', () => controller.abort('SIGTERM'));

  // SIGHUP ends the process if a terminal was closed; otherwise a daemon only reloads its certificate.
  const terminalFds = [0, 1, 2].filter((fd) => isTerminal(process, fd));
  process.on('SIGHUP', () => {
    const closedFds = terminalFds.filter((fd) => !isTerminal(process, fd));
    if (closedFds.length === 0) return;

    closedFds.forEach(replaceByNullDevice);
    if (!ignoresHangup) controller.abort('SIGHUP');
  });
  return controller.signal;
}

/** How Node shows bytes of an argument that are no UTF-8. */
const replacementCharacter = '\ufffd';

/**
 * The arguments that are paths, as bytes if they are no UTF-8: Node decodes each argument and so loses them; Linux keeps the
 * original command line of a process. The order is that of the command line.
 */
function rawPaths(paths: readonly string[]): (string | Buffer)[] {
  const isDecodedWrong = (path: string) => path.includes(replacementCharacter);
  if (!paths.some(isDecodedWrong)) return [...paths];

  const rawWords = wordsOf(readFileSync('/proc/self/cmdline'));
  let searchStart = 0;
  return paths.map((path) => {
    if (!isDecodedWrong(path)) return path;

    const wordIndex = rawWords.findIndex(
      (word, index) => index >= searchStart && word.toString() === path,
    );
    if (wordIndex === -1) return path;

    searchStart = wordIndex + 1;
    return rawWords[wordIndex] ?? path;
  });
}

function wordsOf(commandLine: Buffer): Buffer[] {
  const words: Buffer[] = [];
  for (let wordStart = 0; wordStart < commandLine.length; ) {
    const wordEnd = commandLine.indexOf(0, wordStart);
    words.push(commandLine.subarray(wordStart, wordEnd));
    wordStart = wordEnd + 1;
  }
  return words;
}
