import { errnoOf, HkctlError, isHkctlError } from '../core/errors.ts';
import { shellWord } from '../core/text/quoting.ts';
import type { Io } from './terminal/io.ts';

/**
 * The error of a command that found no store although none was named. If this account may not enter the folder of the system's
 * store, the user needs no new store. The error names that folder and the account to use. Any other error is returned
 * unchanged.
 */
export function withClosedStore<T>(
  thrown: T,
  io: Pick<Io, 'closedSystemStore' | 'defaultStorePath'>,
): T | HkctlError {
  if (!isHkctlError(thrown) || thrown.code !== 'store_absent') return thrown;
  const closedStore = io.closedSystemStore?.();
  if (!closedStore) return thrown;

  return new HkctlError(
    'store_absent',
    `There is no store at ${io.defaultStorePath}. One may be in ${closedStore.folder}, which this account may not enter.`,
    {
      hint: `Run the command as the account that owns it: sudo -u ${shellWord(closedStore.account)} hkctl …`,
      cause: thrown,
    },
  );
}

/**
 * The error of a command that could not access a named file, with the account that was refused. Root has switched to it, and
 * may itself access that file. Any other error is returned unchanged.
 */
export function withSwitchedAccount(thrown: unknown, { actsAs }: Pick<Io, 'actsAs'>): unknown {
  const account = actsAs();
  if (account === undefined || !isHkctlError(thrown)) return thrown;
  if (!isRefusedFile(thrown.cause)) return thrown;

  const { code, lines, details, cause } = thrown;
  const [message = '', ...more] = lines;
  const hint = [thrown.hint, switchedTo(account), `A file in a folder of ${account} works.`]
    .filter(Boolean)
    .join(' ');
  return new HkctlError(code, message, {
    more,
    hint,
    cause,
    ...(details && { details }),
  });
}

export function switchedTo(account: string): string {
  return `The store is in a folder of the account ${account}, so that root has switched to that account.`;
}

function isRefusedFile(cause: unknown): boolean {
  const errno = errnoOf(cause) ?? '';
  const isRefused = errno === 'EACCES' || errno === 'EPERM';
  // Ports are refused with the same code, but have no path.
  return isRefused && cause instanceof Error && 'path' in cause;
}
