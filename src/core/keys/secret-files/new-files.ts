import { HkctlError } from '../../errors.ts';
import type { Folder } from '../../files/folder.ts';
import { NewFile } from '../../files/new-file.ts';
import { locate } from '../../files/place.ts';
import type { Key } from '../../port/keys.ts';
import { shellWord } from '../../text/quoting.ts';
import { type SecretDelivery, untilVerified } from '../issuance.ts';
import { unusable } from './faults.ts';

/** Writes each secret into a new file of a folder, named by its prefix (mode 0600, synced); never overwrites one. */
export function createFolderDelivery(path: string): SecretDelivery {
  let folder: Folder | undefined;
  const written: NewFile[] = [];
  const pathOf = (name: string) => `${path.replace(/\/+$/, '')}/${name}`;

  const close = () => {
    for (const file of written) file.close();
    folder?.close();
  };
  const write = (into: Folder, { prefix }: Key, secret: string) => {
    try {
      const file = new NewFile(into, prefix);
      written.push(file);
      file.prepare(undefined);
      file.write(`${secret}\n`);
      into.probeRemoval(prefix);
    } catch (thrown) {
      throw unusable(pathOf(prefix), thrown);
    }
  };

  return {
    deliver(delivered) {
      folder = openFolder(path);
      for (const { key, secret } of delivered) write(folder, key, secret);
    },
    complete: close,
    withdraw() {
      try {
        for (const file of written) file.discard();
      } catch (thrown) {
        throw unusable(path, thrown, ' Its files are empty; remove them.');
      } finally {
        close();
      }
    },
    keep() {
      close();
      const paths = written.map(({ name }) => pathOf(name.toString()));
      return `Keep ${paths.join(' and ')}: ${untilVerified}`;
    },
  };
}

/** Refuses a path that is not a folder: `bad_input`. */
export function requireFolder(path: string): void {
  openFolder(path).close();
}

function openFolder(path: string): Folder {
  try {
    const { folder, name } = locate(path, { followsLast: true });
    try {
      if (folder.statOf(name)?.isDirectory()) return folder.enter(name);
    } finally {
      folder.close();
    }
  } catch (thrown) {
    throw unusable(path, thrown);
  }
  throw new HkctlError('bad_input', `${path} is not a folder.`, {
    hint: `Make it first: mkdir -m 700 ${shellWord(path)}`,
  });
}
