import { HkctlError } from '../../errors.ts';
import { resolvePath } from '../../files/named-path.ts';
import { NewFile } from '../../files/new-file.ts';
import { shellWord } from '../../text/quoting.ts';
import { type SecretDelivery, untilVerified } from '../issuance.ts';
import { unusable } from './slot.ts';

/** Writes each secret into a new file of a folder, named by its prefix (mode 0600, synced); never overwrites a file. */
export function createFolderDelivery(folderPath: string): SecretDelivery {
  const newFiles: { file: NewFile; shownPath: string }[] = [];
  const closeAll = () => {
    for (const { file } of newFiles) file.close();
  };

  return {
    deliver(delivered) {
      const folder = requireFolder(folderPath);
      for (const { key, secret } of delivered) {
        const shownPath = `${folderPath.replace(/\/+$/, '')}/${key.prefix}`;
        try {
          const file = new NewFile(`${folder}/${key.prefix}`);
          newFiles.push({ file, shownPath });
          file.write(`${secret}\n`, undefined);
        } catch (thrown) {
          throw unusable(shownPath, thrown);
        }
      }
    },
    complete: closeAll,
    withdraw() {
      try {
        for (const { file } of newFiles) file.discard();
      } catch (thrown) {
        throw unusable(folderPath, thrown, ' Its files are empty; remove them.');
      } finally {
        closeAll();
      }
    },
    keep() {
      closeAll();
      const paths = newFiles.map(({ shownPath }) => shownPath);
      return `Keep ${paths.join(' and ')}: ${untilVerified}`;
    },
  };
}

/** The path of a folder without links; refuses one that is no folder: `bad_input`. */
export function requireFolder(folderPath: string): string {
  try {
    const { path, stats } = resolvePath(folderPath);
    if (stats?.isDirectory()) return path;
  } catch (thrown) {
    throw unusable(folderPath, thrown);
  }
  throw new HkctlError('bad_input', `${folderPath} is not a folder.`, {
    hint: `Make it first: mkdir -m 700 ${shellWord(folderPath)}`,
  });
}
