import { errnoOf, HkctlError } from '../errors.ts';

/** Why a file named on the command line cannot be written, by errno code. */
export const pathFaults: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its parent is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EBUSY: 'it is a mount point',
  EROFS: 'that file system is read-only',
  ELOOP: 'its links run in a circle',
  ENXIO: 'it is no plain file',
  ENAMETOOLONG: 'its name is too long',
};

/** The error for a file that cannot be written because of its path (`bad_input`); undefined for any other fault. */
export function unwritable(filePath: string, thrown: unknown): HkctlError | undefined {
  const reason = pathFaults[errnoOf(thrown) ?? ''];
  if (reason === undefined) return undefined;
  return new HkctlError('bad_input', `${filePath} cannot be written: ${reason}.`, {
    cause: thrown,
  });
}

/** The error for a named file that cannot be read (`bad_input`); an error of our own is returned unchanged. */
export function unreadable(filePath: string, thrown: unknown): unknown {
  const code = errnoOf(thrown);
  if (code === undefined) return thrown;

  const reason = readFaults[code] ?? pathFaults[code] ?? code;
  const hint = 'Standard input works: give - as the file.';
  return new HkctlError('bad_input', `${filePath} cannot be read: ${reason}.`, {
    ...(code === 'EACCES' && { hint }),
    cause: thrown,
  });
}

const readFaults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this account may not read it',
  EPERM: 'this account may not read it',
};

/** The permission bits of a file as chmod(1) takes them: `0750`. */
export function modeText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
