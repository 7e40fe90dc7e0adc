import { fstatSync, fsyncSync, type Stats, statSync, writeSync } from 'node:fs';
import { errorTable, HkctlError, isHkctlError } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/keys/secrets.ts';
import type { Clock } from '../../core/time/instants.ts';
import { createSignals, type Signals } from './signals.ts';

/** Everything a command knows of the world outside; a test gives its own. */
export interface Io {
  /** Standard input, opened when it is first asked for. */
  readonly stdin: Input;
  /** Whether standard input is a terminal; told without opening it. */
  readonly stdinIsTTY: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Where questions are shown: a stream on standard error, opened when it is first asked for. */
  readonly promptOutput: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nothing is asked, though somebody may be there (`--yes`). */
  readonly asksNothing?: boolean;
  /** Questions as numbered lines that are never redrawn, for screen readers (`keys --plain`). */
  readonly plain?: boolean;
  /** The account of the operating system that acts; under sudo the one that called it. */
  readonly osAccount: string;
  /** Where the store is if nobody names another. */
  readonly defaultStorePath: string;
  /** How this program was started: interpreter and script. */
  readonly program: readonly string[];
  readonly clock: Clock;
  /** How long the machine has run, in milliseconds, sleep included: what no setting of its clock changes. */
  readonly uptime: Clock;
  readonly random: RandomBytes;
  readonly newId: () => string;
  /**
   * Runs something synchronous with the rights of the person who has called hkctl, for opening what that person has named.
   * Everything else is done with the rights of the store's owner, which under root may be another account.
   */
  withOwnRights<T>(work: () => T): T;
  /** Puts a text on the clipboard of this machine; rejects where there is none. */
  copy(text: string): Promise<void>;
  /** Opens an address in the browser of this machine; rejects where there is none. */
  open(url: string): Promise<void>;
  /**
   * Aborted by SIGTERM or SIGINT, at a terminal also by SIGHUP, from its first call on; until then they end the process. A
   * second SIGINT ends it at once, with 130.
   */
  interrupted(): AbortSignal;
  /** For what has the terminal for a while: a question, the panel, the page. */
  readonly signals: Signals;
}

/** A stream that may be a terminal and then gives single keys in raw mode. */
export type Input = NodeJS.ReadableStream & {
  setRawMode?(raw: boolean): unknown;
};

/** An output written at once: `write` returns when the text has been taken, and throws `output_failed` where it was not. */
export interface Output {
  readonly isTTY: boolean;
  /** What is written reaches nobody: the output is the null device, which Node also opens in place of a closed one. */
  readonly isNull: boolean;
  /** Width in characters; undefined where nobody knows, as in a pipe. */
  columns(): number | undefined;
  rows(): number | undefined;
  write(text: string): void;
  /** Makes sure that what was written is on disk, where the output is a file. */
  flush(): void;
  /** Calls back when the size of the terminal changes; returns how to stop that. */
  onResize(listener: () => void): () => void;
}

/** What {@link createIo} needs beside the process itself. */
export type IoParts = Pick<
  Io,
  'env' | 'osAccount' | 'defaultStorePath' | 'clock' | 'uptime' | 'random' | 'newId' | 'withOwnRights' | 'copy' | 'open'
>;

/**
 * The real thing, over the file descriptors 0 to 2. Streams of the process are touched only where they are terminals or
 * are read: making them costs a tenth of a short command's time.
 */
export function createIo(process: NodeJS.Process, parts: IoParts): Io {
  return {
    ...parts,
    program: [process.execPath, process.argv[1] ?? 'hkctl'],
    get stdin() {
      return process.stdin;
    },
    get stdinIsTTY() {
      return isTerminal(process, 0);
    },
    get promptOutput() {
      return process.stderr;
    },
    stdout: createOutput(process, 1, () => process.stdout),
    stderr: createOutput(process, 2, () => process.stderr),
    interrupted: () => interruptedBy(process),
    signals: createSignals(process),
  };
}

/** Whether a question can be asked: somebody is there to type and to see it, and did not say `--yes`. */
export function canAsk(io: Io): boolean {
  return !io.asksNothing && io.stderr.isTTY && io.stdinIsTTY;
}

/**
 * Loading node:tty takes 3 ms, and only a character device other than the null device can be a terminal: pipes, files and
 * `>/dev/null` need not pay that.
 */
function isTerminal(process: NodeJS.Process, fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isCharacterDevice() || isNullDevice(process, stats)) return false;
  return process.getBuiltinModule('node:tty').isatty(fd);
}

function isNullDevice({ platform }: NodeJS.Process, stats: Stats): boolean {
  return platform !== 'win32' && stats.isCharacterDevice() && statSync('/dev/null').rdev === stats.rdev;
}

function createOutput(process: NodeJS.Process, fd: 1 | 2, stream: () => NodeJS.WriteStream): Output {
  const terminal = isTerminal(process, fd);
  return {
    isTTY: terminal,
    get isNull() {
      return isNullDevice(process, fstatSync(fd));
    },
    // A terminal that does not know its size says 0.
    columns: () => (terminal ? stream().columns || undefined : undefined),
    rows: () => (terminal ? stream().rows || undefined : undefined),
    write: (text) => writeAll(fd, text),
    flush: () => flush(fd),
    onResize(listener) {
      if (!terminal) return () => {};
      stream().on('resize', listener);
      return () => stream().off('resize', listener);
    },
  };
}

function writeAll(fd: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (thrown) {
      if (errnoOf(thrown) !== 'EAGAIN') throw outputFailed(thrown);
      // Somebody made the pipe non-blocking and its reader is slow: wait for it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Turns a failed write into a sentence; the cause keeps the system's code. */
export function outputFailed(thrown: unknown): HkctlError {
  const why: Record<string, string> = {
    EPIPE: 'its reader has closed the pipe',
    ENOSPC: 'the disk is full',
    EBADF: 'it is closed',
    EIO: 'the device failed',
  };
  const code = errnoOf(thrown) ?? 'unknown';
  return new HkctlError('output_failed', `Standard output could not be written: ${why[code] ?? code}.`, {
    cause: thrown,
  });
}

/** The system's code of a thrown error, such as `EPIPE`; errors of our own have none. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || isHkctlError(thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Whether an output could not be written because its reader has gone. */
export function isClosedPipe(thrown: unknown): boolean {
  return isHkctlError(thrown) && thrown.code === 'output_failed' && errnoOf(thrown.cause) === 'EPIPE';
}

function flush(fd: number): void {
  try {
    fsyncSync(fd);
  } catch (thrown) {
    // Pipes, terminals and some devices cannot be synced, and need not be.
    if (!['EINVAL', 'EROFS', 'ENOTSUP', 'EBADF'].includes(errnoOf(thrown) ?? '')) throw outputFailed(thrown);
  }
}

const interruptions = new WeakMap<NodeJS.Process, AbortSignal>();

/** One Ctrl-C may come twice: npm passes it on to those whom the terminal has told already. */
const sameKeyMs = 300;

function interruptedBy(process: NodeJS.Process): AbortSignal {
  const known = interruptions.get(process);
  if (known) return known;
  const controller = new AbortController();
  let askedAt: number | undefined;
  process.on('SIGINT', () => {
    const now = performance.now();
    if (askedAt !== undefined && now - askedAt > sameKeyMs) process.exit(errorTable.cancelled.exit);
    askedAt ??= now;
    controller.abort('SIGINT');
  });
  process.on('SIGTERM', () => controller.abort('SIGTERM'));
  // At a terminal a hang-up means that it is gone; to a daemon it means to read its certificate anew, and never to end.
  const atTerminal = isTerminal(process, 0);
  process.on('SIGHUP', () => {
    if (atTerminal) controller.abort('SIGHUP');
  });
  interruptions.set(process, controller.signal);
  return controller.signal;
}
