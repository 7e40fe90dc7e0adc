import { platform } from 'node:os';
import { errnoOf } from '../../../core/errno.ts';
import { HkctlError } from '../../../core/errors.ts';
import { readPlainFile } from '../../../core/files/plain-file.ts';
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
export function passwordIn(file: string, logIn: LogIn): string | undefined {
  const wanted = [nameOf(logIn.host), String(logIn.port), logIn.database, logIn.user];
  for (const line of textOf(file).split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (fields.length < 5) continue;
    if (wanted.every((value, at) => fields[at] === '*' || fields[at] === value)) return fields[4];
  }
  return undefined;
}

/** The folders of the server's sockets go by the name of this machine there. */
function nameOf(host: string): string {
  return host === '/var/run/postgresql' || host === '/tmp' ? 'localhost' : host;
}

/** The fields of a line, between colons; a backslash takes the meaning from a colon or another backslash. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (const [part, escaped] of line.matchAll(/\\(.)|[^\\]|\\$/gu)) {
    if (part === ':') fields.push('');
    else fields[fields.length - 1] += escaped ?? part;
  }
  return fields;
}

/** Empty if there is no such file, or none that this account may read. */
function textOf(file: string): string {
  try {
    const passwordFile = readPlainFile(file);
    if (passwordFile === undefined) return '';
    // Windows has no such modes.
    const isOpen = (passwordFile.stats.mode & 0o077) !== 0 && platform() !== 'win32';
    if (!isOpen) return passwordFile.bytes.toString();
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return '';
  }
  throw new HkctlError(
    'store_unreadable',
    `The password file ${file} is not used: other accounts may read it.`,
    {
      hint: `chmod 600 ${shellWord(file)}`,
    },
  );
}
