import { errnoOf } from '../../errno.ts';
import { HkctlError } from '../../errors.ts';
import { ExistingFile } from '../../files/existing-file.ts';
import { NewFile } from '../../files/new-file.ts';
import { locate, type Place } from '../../files/place.ts';
import { secretLength } from '../../secrets.ts';
import { taken, unusable } from './faults.ts';

/**
 * The place of one key's secret: PATH, and `PATH.new`, which holds the next secret until its key is committed. Both are
 * opened once, by their folder; the text of each is as it was then.
 */
export class SecretSlot {
  readonly path: string;
  readonly pendingPath: string;
  /** The texts, without blanks at the ends; undefined for a file that is missing. */
  readonly text: string | undefined;
  readonly pendingText: string | undefined;
  readonly #place: Place;
  readonly #name: string;
  readonly #pendingName: string;
  readonly #isNew: boolean;
  readonly #existing: ExistingFile | undefined;
  #pending: ExistingFile | undefined;
  #written: NewFile | undefined;

  /** `isNew`: PATH must not exist yet, and a file that appears meanwhile is not overwritten. Throws `bad_input`, `state_forbids`. */
  static open(path: string, { isNew }: { isNew: boolean }): SecretSlot {
    const place = placeOf(path, isNew);
    try {
      removeSecondName(place);
      const entry = place.folder.statOf(place.name);
      if (isNew && entry) throw taken(path, entry);
      return new SecretSlot(path, isNew, place);
    } catch (thrown) {
      place.folder.close();
      throw unusable(path, thrown);
    }
  }

  private constructor(path: string, isNew: boolean, place: Place) {
    this.path = path;
    this.#isNew = isNew;
    this.#place = place;
    this.#name = place.name.toString();
    this.#pendingName = pendingNameOf(place);
    this.pendingPath = place.folder.pathOf(this.#pendingName);
    this.#existing = isNew ? undefined : ExistingFile.open(place.folder, this.#name);
    this.#pending = translating(this.pendingPath, () =>
      ExistingFile.open(place.folder, this.#pendingName),
    );
    this.text = textOf(this.#existing);
    this.pendingText = textOf(this.#pending);
  }

  /** Refuses files that could not be put in place after the commit; see `ExistingFile.requireReplaceable`. */
  requireReplaceable(): void {
    const files = [
      { file: this.#existing, path: this.path },
      { file: this.#pending, path: this.pendingPath },
    ];
    for (const { file, path } of files) {
      translating(path, () => file?.requireReplaceable(this.#place.way));
    }
  }

  removePending(): void {
    translating(this.pendingPath, () => this.#place.folder.remove(this.#pendingName));
    this.#pending?.close();
    this.#pending = undefined;
  }

  /**
   * Writes a secret to `PATH.new`, synced, with the owner of PATH: a program that reads the old file can read the new one when
   * another account rotates the key. If that fails, or the file could not be put in place, nothing is left.
   */
  write(secret: string): void {
    const { folder } = this.#place;
    this.#written?.close();
    translating(this.pendingPath, () => {
      this.#written = new NewFile(folder, this.#pendingName);
      try {
        this.#written.prepare(this.#existing?.stats);
        this.#written.write(`${secret}\n`);
        folder.probeRemoval(this.#pendingName);
      } catch (thrown) {
        this.withdraw();
        throw thrown;
      }
    });
  }

  /** Whether `PATH.new` is the file that this process has written. */
  holdsWritten(): boolean {
    return this.#written?.isAt(this.#pendingName) === true;
  }

  /** The content of PATH by now. */
  currentText(): string | undefined {
    const { folder } = this.#place;
    const currentFile = translating(this.path, () => ExistingFile.open(folder, this.#name));
    try {
      return textOf(currentFile);
    } finally {
      currentFile?.close();
    }
  }

  /** Gives `PATH.new` the name PATH, synced. */
  putInPlace(): void {
    const { folder } = this.#place;
    translating(this.path, () => this.#rename(), '');
    translating(this.path, () => folder.sync(), '');
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
        { hint: 'Its folder may be append-only: chattr -a', cause: thrown },
      );
    }
  }

  close(): void {
    this.#existing?.close();
    this.#pending?.close();
    this.#written?.close();
    this.#place.folder.close();
  }

  /** A link, unlike a rename, replaces no file; some file systems have none. */
  #rename(): void {
    const { folder } = this.#place;
    if (!this.#isNew) {
      folder.rename(this.#pendingName, this.#name);
      return;
    }
    try {
      folder.link(this.#pendingName, this.#name);
      folder.remove(this.#pendingName);
    } catch (thrown) {
      const errno = errnoOf(thrown) ?? '';
      if (!linksUnsupported.test(errno)) throw thrown;

      const entry = folder.statOf(this.#name);
      if (entry) throw taken(this.path, entry);
      folder.rename(this.#pendingName, this.#name);
    }
  }
}

/** The errors of file systems that have no hard links. */
const linksUnsupported = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/;

function pendingNameOf({ name }: Place): string {
  return `${name}.new`;
}

/** A creation that was killed between the two steps of `#rename` leaves one file with both names. */
function removeSecondName(place: Place): void {
  const { folder, name } = place;
  const entry = folder.statOf(name);
  const pendingEntry = folder.statOf(pendingNameOf(place));
  if (pendingEntry === undefined || entry === undefined) return;

  const isSameFile = pendingEntry.ino === entry.ino && pendingEntry.dev === entry.dev;
  if (isSameFile) folder.remove(pendingNameOf(place));
}

function placeOf(path: string, isNew: boolean): Place {
  let place: Place;
  try {
    place = locate(path, { followsLast: !isNew });
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT' && isLink(path)) {
      throw danglingLink(path);
    }
    throw unusable(path, thrown);
  }

  const fault = linkFault(path, place);
  if (fault === undefined) return place;
  place.folder.close();
  throw fault;
}

function linkFault(path: string, place: Place): HkctlError | undefined {
  const { folder, name, isKernelLink, isBehindLink } = place;
  if (isKernelLink) return new HkctlError('bad_input', `${path} is not a regular file.`);
  if (isBehindLink && !folder.statOf(name)) {
    return danglingLink(path);
  }
  return undefined;
}

function isLink(path: string): boolean {
  try {
    const { folder, name } = locate(path, { followsLast: false });
    try {
      return folder.statOf(name)?.isSymbolicLink() === true;
    } finally {
      folder.close();
    }
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

/** The target may be on a disk that is not mounted now: the file would take the place of the link. */
function danglingLink(path: string): HkctlError {
  return new HkctlError(
    'bad_input',
    `${path} cannot be used: it is a link to a file that does not exist.`,
    { hint: 'Give the path that it leads to, or remove the link.' },
  );
}

/** A file that is larger than any secret holds something else. */
function textOf(secretFile: ExistingFile | undefined): string | undefined {
  if (secretFile === undefined) return undefined;

  const text = secretFile.text(16 * secretLength);
  return text?.trim() ?? 'more than a secret';
}

function translating<T>(path: string, operation: () => T, consequence?: string): T {
  try {
    return operation();
  } catch (thrown) {
    throw unusable(path, thrown, consequence);
  }
}
