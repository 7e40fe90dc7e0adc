import { HkctlError } from '../../errors.ts';
import type { Folder } from '../../files/folder.ts';
import { NewFile } from '../../files/new-file.ts';
import { locate } from '../../files/place.ts';
import type { Key } from '../../port/keys.ts';
import { shellWord } from '../../text/quoting.ts';
import { type SecretDelivery, untilVerified } from '../issuance.ts';
import { unusable } from './faults.ts';

/** Writes each secret into a new file of a folder, named by its prefix (mode 0600, synced); never overwrites a file. */
export function createFolderDelivery(folderPath: string): SecretDelivery {
  let folder: Folder | undefined;
  const newFiles: NewFile[] = [];
  const pathStart = folderPath.replace(/\/+$/, '');
  const pathOf = (fileName: string) => `${pathStart}/${fileName}`;

  const closeAll = () => {
    for (const file of newFiles) file.close();
    folder?.close();
  };
  const writeSecret = (targetFolder: Folder, { prefix }: Key, secret: string) => {
    try {
      const newFile = new NewFile(targetFolder, prefix);
      newFiles.push(newFile);
      newFile.prepare(undefined);
      newFile.write(`${secret}\n`);
      targetFolder.probeRemoval(prefix);
    } catch (thrown) {
      throw unusable(pathOf(prefix), thrown);
    }
  };

  return {
    deliver(delivered) {
      folder = openFolder(folderPath);
      for (const { key, secret } of delivered) {
        writeSecret(folder, key, secret);
      }
    },
    complete: closeAll,
    withdraw() {
      try {
        for (const file of newFiles) file.discard();
      } catch (thrown) {
        throw unusable(folderPath, thrown, ' Its files are empty; remove them.');
      } finally {
        closeAll();
      }
    },
    keep() {
      closeAll();
      const paths = newFiles.map(({ name }) => pathOf(name.toString()));
      return `Keep ${paths.join(' and ')}: ${untilVerified}`;
    },
  };
}

/** Refuses a path that is not a folder: `bad_input`. */
export function requireFolder(folderPath: string): void {
  openFolder(folderPath).close();
}

function openFolder(folderPath: string): Folder {
  try {
    const { folder, name } = locate(folderPath, { followsLast: true });
    try {
      if (folder.statOf(name)?.isDirectory()) {
        return folder.enter(name);
      }
    } finally {
      folder.close();
    }
  } catch (thrown) {
    throw unusable(folderPath, thrown);
  }
  throw new HkctlError('bad_input', `${folderPath} is not a folder.`, {
    hint: `Make it first: mkdir -m 700 ${shellWord(folderPath)}`,
  });
}
