import { HkctlError, isHkctlError } from '../core/errors.ts';
import type { Io } from './terminal/io.ts';

/**
 * The error of a command that found no store where none was named. Where the system has a folder for one that this account
 * may not enter, a new store is not what is needed: the error then names that folder and the account to use. Any other
 * error is returned unchanged.
 */
export function withClosedStore<T>(thrown: T, io: Pick<Io, 'closedSystemStore' | 'defaultStorePath'>): T | HkctlError {
  if (!isHkctlError(thrown) || thrown.code !== 'store_absent') return thrown;
  const closed = io.closedSystemStore?.();
  if (!closed) return thrown;
  return new HkctlError(
    'store_absent',
    `There is no store at ${io.defaultStorePath}. One may be in ${closed.folder}, which this account may not enter.`,
    { hint: `Run the command as the account that owns it: sudo -u ${quoted(closed.account)} hkctl …`, cause: thrown },
  );
}

/** A shell would take `#` for the begin of a comment. */
function quoted(account: string): string {
  return account.startsWith('#') ? `'${account}'` : account;
}
