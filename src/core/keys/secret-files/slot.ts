import { errnoOf, HkctlError } from '../../errors.ts';
import { readPlainFile, requireReplaceable } from '../../files/existing-file.ts';
import { type NamedPath, requireClosed, resolvePath } from '../../files/named-path.ts';
import { moveFile, NewFile, removeFile } from '../../files/new-file.ts';
import { pathFaults } from '../../files/path-faults.ts';
import { secretLength } from '../../secrets.ts';
import { shellWord } from '../../text/quoting.ts';

/**
 * The place of one key's secret: PATH, and `PATH.new`, which holds the next secret until its key is committed. The text of
 * each is as it was when the slot was opened.
 */
export class SecretSlot {
  readonly path: string;
  readonly pendingPath: string;
  /** The texts, without blanks at the ends; undefined for a file that is missing. */
  readonly text: string | undefined;
  readonly pendingText: string | undefined;
  readonly #current: NamedPath;
  readonly #isNew: boolean;
  readonly #pending: NamedPath;
  #written: NewFile | undefined;

  /** `isNew`: PATH must not exist yet, and a file that appears meanwhile is not overwritten. Throws `bad_input`, `state_forbids`. */
  static open(path: string, options: { isNew: boolean }): SecretSlot {
    return translating(path, () => new SecretSlot(path, options));
  }

  private constructor(path: string, { isNew }: { isNew: boolean }) {
    if (/\/\.?$/.test(path)) throw Object.assign(new Error(path), { code: 'EISDIR' });
    this.path = path;
    this.#isNew = isNew;
    this.#current = isNew ? resolvePath(path, { followsLast: false }) : targetOf(path);
    this.pendingPath = `${this.#current.path}.new`;
    removeSecondName(this.#current, this.pendingPath);
    if (isNew && this.#current.stats) throw taken(path, this.#current.stats);
    this.#pending = neighbourOf(this.#current, this.pendingPath);
    this.text = textAt(this.#current);
    this.pendingText = textAt(this.#pending);
  }

  /** Refuses files that could not be put in place after the commit. */
  requireReplaceable(): void {
    for (const file of [this.#current, this.#pending]) {
      translating(file.path, () => requireReplaceable(file));
    }
  }

  removePending(): void {
    translating(this.pendingPath, () => removeFile(this.pendingPath));
  }

  /**
   * Writes a secret to `PATH.new`, synced, with the owner of PATH. A program that reads the old file can thus read the new one,
   * whichever account rotates the key. If that fails, nothing is left.
   */
  write(secret: string): void {
    this.#written?.close();
    translating(this.pendingPath, () => {
      this.#written = new NewFile(this.pendingPath);
      try {
        this.#written.write(`${secret}\n`, this.#current.stats);
      } catch (thrown) {
        this.withdraw();
        throw thrown;
      }
    });
  }

  /** Whether `PATH.new` is the file that this process has written. */
  holdsWritten(): boolean {
    return this.#written?.isInPlace() === true;
  }

  /** The content of PATH by now. */
  currentText(): string | undefined {
    const { path } = this.#current;
    return translating(path, () => textAt(resolvePath(path, { followsLast: false })));
  }

  /** Gives `PATH.new` the name PATH, synced. */
  putInPlace(): void {
    const isReplacing = !this.#isNew;
    translating(this.path, () => moveFile(this.pendingPath, this.#current.path, isReplacing), '');
  }

  /** Removes the file that this process has written, if it is still `PATH.new`. */
  withdraw(): void {
    try {
      this.#written?.discard();
    } catch (thrown) {
      const errno = errnoOf(thrown) ?? '';
      throw new HkctlError(
        'output_failed',
        `${this.pendingPath} was emptied, but cannot be removed (${errno}). Nothing was changed.`,
        { cause: thrown },
      );
    }
  }

  close(): void {
    this.#written?.close();
  }
}

/** A file next to another one, which is reached on the same way. */
function neighbourOf({ openness }: NamedPath, path: string): NamedPath {
  const neighbour = resolvePath(path, { followsLast: false });
  return { ...neighbour, openness: openness ?? neighbour.openness };
}

/** A creation that was killed between the two steps of `moveFile` leaves one file with both names. */
function removeSecondName(current: NamedPath, pendingPath: string): void {
  const { stats } = current;
  const pending = neighbourOf(current, pendingPath);
  if (stats === undefined || pending.stats === undefined) return;
  const isSameFile = pending.stats.ino === stats.ino && pending.stats.dev === stats.dev;
  if (!isSameFile) return;
  requireClosed(pending, closedHint);
  removeFile(pendingPath);
}

/** The file that a rotation replaces, behind links. The target may be on a disk that is not mounted now. */
function targetOf(path: string): NamedPath {
  const target = resolveIfThere(path);
  if (target?.stats || target?.isBehindLink === false) return target;
  const link = resolvePath(path, { followsLast: false });
  if (!link.stats) return link;
  throw new HkctlError(
    'bad_input',
    `${path} cannot be used: it is a link to a file that does not exist.`,
    { hint: 'Give the path that it leads to, or remove the link.' },
  );
}

function resolveIfThere(path: string): NamedPath | undefined {
  try {
    return resolvePath(path);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return undefined;
  }
}

const closedHint =
  'Keep it in a folder that only root and this account can write, all the way up. Or hand the secret over: --deliver COMMAND, or standard output.';

/** The text of a file that nobody else can exchange. A file that is larger than any secret holds something else. */
function textAt(file: NamedPath): string | undefined {
  const { path, stats } = file;
  if (stats === undefined) return undefined;
  requireClosed(file, closedHint);
  if (!stats.isFile()) throw new HkctlError('bad_input', `${path} is not a regular file.`);
  if (stats.size > 16 * secretLength) return 'more than a secret';
  return readPlainFile(path)?.bytes.toString('utf8').trim();
}

function translating<T>(path: string, operation: () => T, consequence?: string): T {
  try {
    return operation();
  } catch (thrown) {
    throw unusable(path, thrown, consequence);
  }
}

const outputHint = 'Standard output works: leave out the flag, and redirect it to a new file.';

const hintsByErrno: Readonly<Record<string, string>> = {
  EACCES: outputHint,
  EPERM: `Its folder may be immutable or append-only: lsattr -d shows that, chattr -i -a clears it. ${outputHint}`,
  EROFS: 'Mount its folder so that it can be written, or give another path.',
  EBUSY: 'Mount its folder, not the file: a file that is mounted cannot be replaced.',
};

/**
 * The error for a file that cannot take a secret: `bad_input` because of its path, `state_forbids` if it exists, `output_failed`
 * for a fault of the disk. An error of our own is returned unchanged.
 */
export function unusable(
  path: string,
  thrown: unknown,
  consequence = ' Nothing was changed.',
): unknown {
  const errno = errnoOf(thrown);
  if (errno === undefined) return thrown;
  if (errno === 'EEXIST') return taken(path);

  const pathFault = pathFaults[errno];
  if (pathFault) {
    const hint = hintsByErrno[errno];
    return new HkctlError('bad_input', `${path} cannot be used: ${pathFault}.`, {
      ...(hint !== undefined && { hint }),
      cause: thrown,
    });
  }

  const reason = errno === 'ENOSPC' ? 'the disk is full' : errno;
  return new HkctlError('output_failed', `${path} could not be written: ${reason}.${consequence}`, {
    cause: thrown,
  });
}

/** The refusal of a file that exists and must not be overwritten; only a plain file can hold a secret to test. */
function taken(path: string, entry?: { isFile(): boolean }): HkctlError {
  const verifyAdvice = entry?.isFile()
    ? ` To test the secret in it: hkctl keys verify < ${shellWord(path)}`
    : '';
  return new HkctlError('state_forbids', `${path} exists already, and is not overwritten.`, {
    hint: `Give another path, or move the file away.${verifyAdvice}`,
  });
}
