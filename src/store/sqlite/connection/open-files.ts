import { type BigIntStats, existsSync, fstatSync, readdirSync, statSync } from 'node:fs';
import { translating } from '../../sqlite-database/errors.ts';
import { databaseNames } from '../../sqlite-database/schema/migrated-schema.ts';
import { isCode, type StoreFiles } from './files.ts';

/**
 * The files of a store as a process has them open. SQLite continues with a file that was removed or renamed, without an
 * error, and never sees what others commit to the new file at the path. The same holds for a log that was removed.
 */
export class OpenFiles {
  /** Device and inode of each file; of a file that did not exist yet, from when it is first seen. */
  readonly #identities = new Map<string, string>();
  readonly #watched: readonly string[];

  /** Records the files as they are open. A path that already leads to another file counts as displaced. */
  constructor(files: StoreFiles) {
    const databases = databaseNames.map((name) => files[name]);
    const logs = databases.flatMap((file) => [`${file}-wal`, `${file}-shm`]);
    this.#watched = [...databases, ...logs, files.revocations];
    const open = openIdentities();
    for (const file of [...databases, ...logs]) {
      const identity = identityAt(file);
      const isOpen = identity !== undefined && (open?.has(identity) ?? true);
      if (isOpen || databases.includes(file)) this.#identities.set(file, isOpen ? identity : 'displaced');
    }
  }

  /** The first file that is not at its path any more; undefined if all are. About 2 µs a file. */
  displaced(): string | undefined {
    return this.#watched.find((file) => {
      const identity = identityAt(file);
      const known = this.#identities.get(file);
      if (known === undefined && identity !== undefined) this.#identities.set(file, identity);
      return known !== undefined && known !== identity;
    });
  }
}

function identityAt(file: string): string | undefined {
  return translating(file, () => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && identityOf(stat);
  });
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** The files that this process has open; undefined on a system without /dev/fd. */
function openIdentities(): Set<string> | undefined {
  const folder = '/dev/fd';
  if (!existsSync(folder)) return undefined;
  const found = new Set<string>();
  for (const fd of readdirSync(folder)) {
    try {
      found.add(identityOf(fstatSync(Number(fd), { bigint: true })));
    } catch (thrown) {
      // The descriptor through which the folder itself was read is closed by now.
      if (!isCode(thrown, 'EBADF')) throw thrown;
    }
  }
  return found;
}
