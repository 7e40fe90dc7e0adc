import { readFileSync, statSync } from 'node:fs';
import { errnoOf } from '../../../core/errno.ts';
import { HkctlError } from '../../../core/errors.ts';

/** For whom a password is sought, as the lines of a password file name it. */
export interface Login {
  host: string;
  port: number;
  database: string;
  user: string;
}

/** The password of a log-in for which the server asks; `store_unreadable` where its file has none. */
export function requirePassword(login: Login & { passwordFile: string | undefined; shown: string }): string {
  const { passwordFile, shown } = login;
  const found = passwordFile === undefined ? undefined : passwordIn(passwordFile, login);
  if (found !== undefined) return found;
  throw new HkctlError('store_unreadable', `The PostgreSQL store ${shown} asks for a password, and none is known.`, {
    hint: 'Put it into ~/.pgpass or the file that PGPASSFILE names, with mode 0600.',
  });
}

/** Sockets in this folder have the host `localhost` in password files, too. */
const usualSockets = '/var/run/postgresql';

/**
 * The password of a log-in in a file of libpq's form, or undefined where no line fits or there is no file. Like libpq it reads no
 * file that others may read, but says so (`store_unreadable`).
 */
export function passwordIn(file: string, login: Login): string | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  const hosts = login.host === usualSockets ? [login.host, 'localhost'] : [login.host];
  const wanted = [hosts, [String(login.port)], [login.database], [login.user]];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const fits = wanted.every((values, place) => {
      const field = fields[place];
      return field === '*' || (field !== undefined && values.includes(unescaped(field)));
    });
    const password = fields[4];
    if (fits && password) return unescaped(password);
  }
  return undefined;
}

/** The first four fields, then the rest; a backslash takes the colon after it into the field. */
function fieldsOf(line: string): string[] {
  const match = /^((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*)/.exec(line);
  return match ? match.slice(1) : [];
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/g, '$1');
}

function textOf(file: string): string | undefined {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw unusable(file, 'is not a plain file');
    if ((stat.mode & 0o077) !== 0) throw unusable(file, 'may be read or written by others and is not used');
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(thrown) ?? '')) return undefined;
    if (thrown instanceof HkctlError) throw thrown;
    throw unusable(file, 'cannot be read', thrown);
  }
}

function unusable(file: string, why: string, cause?: unknown): HkctlError {
  return new HkctlError('store_unreadable', `The password file ${file} for the PostgreSQL store ${why}.`, {
    hint: `Correct it with: chmod 600 ${file}`,
    cause,
  });
}
