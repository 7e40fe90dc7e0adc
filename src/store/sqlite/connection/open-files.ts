import { statSync } from 'node:fs';
import { translating } from '../../sqlite-database/errors.ts';
import { databaseNames } from '../../sqlite-database/schema/migrated-schema.ts';
import type { StoreFiles } from './files.ts';

/**
 * The files of a store as a process has them open. SQLite continues with a file that was removed or renamed, without an
 * error, and never sees what others commit to the new file at the path. The same holds for a log that was removed.
 */
export class OpenFiles {
  /** Device and inode of each file; of a file that did not exist yet, from when it is first seen. */
  readonly #identities = new Map<string, string>();
  readonly #watched: readonly string[];

  /** Records the files that have just been opened. */
  constructor(files: StoreFiles) {
    const databases = databaseNames.map((name) => files[name]);
    const logs = databases.flatMap((file) => [`${file}-wal`, `${file}-shm`]);
    this.#watched = [...databases, ...logs, files.revocations];
    this.displaced();
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
    return stat && `${stat.dev}:${stat.ino}`;
  });
}
