import { platform } from 'node:os';
import { errnoOf, HkctlError } from '../../../core/errors.ts';
import { readPlainFile } from '../../../core/files/existing-file.ts';
import { shellWord } from '../../../core/text/quoting.ts';
import type { Host } from './location.ts';

interface LogIn extends Host {
  database: string;
  user: string;
}

/**
 * The password that libpq's password file has for a log-in, or undefined. The driver's own reading of that file is deprecated
 * and says so on standard error. A file that other accounts may read is not used, as by `psql`; this throws
 * `store_unreadable`, since the server asked for a password.
 */
export function passwordIn(passwordPath: string, logIn: LogIn): string | undefined {
  const hostField = hostFieldOf(logIn.host);
  const { port, database, user } = logIn;
  const loginFields = [hostField, String(port), database, user];
  for (const line of textOf(passwordPath).split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (fields.length < 5) continue;
    const isMatch = loginFields.every(
      (value, index) => fields[index] === '*' || fields[index] === value,
    );
    if (isMatch) return fields[4];
  }
  return undefined;
}

/** The folders of the server's sockets go by the name of this machine there. */
function hostFieldOf(host: string): string {
  return host === '/var/run/postgresql' || host === '/tmp' ? 'localhost' : host;
}

/** The fields of a line, between colons; a backslash takes the meaning from a colon or another backslash. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (const [character, escaped] of line.matchAll(/\\(.)|[^\\]|\\$/gu)) {
    if (character === ':') fields.push('');
    else fields[fields.length - 1] += escaped ?? character;
  }
  return fields;
}

/** Empty if there is no such file, or none that this account may read. */
function textOf(passwordPath: string): string {
  try {
    const passwordFile = readPlainFile(passwordPath);
    if (passwordFile === undefined) return '';
    // Windows has no such modes.
    const hasModes = platform() !== 'win32';
    const isOpen = hasModes && (passwordFile.stats.mode & 0o077) !== 0;
    if (!isOpen) return passwordFile.bytes.toString();
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return '';
  }
  throw new HkctlError(
    'store_unreadable',
    `The password file ${passwordPath} is not used: other accounts may read it.`,
    {
      hint: `chmod 600 ${shellWord(passwordPath)}`,
    },
  );
}
