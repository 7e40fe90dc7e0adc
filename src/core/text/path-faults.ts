/** Why a file that a person named cannot be written, by the code of the system. */
export const pathFaults: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is none',
  EISDIR: 'it is a folder',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'that file system is read-only',
  ELOOP: 'its links run in a circle',
  ENAMETOOLONG: 'its name is too long',
};
