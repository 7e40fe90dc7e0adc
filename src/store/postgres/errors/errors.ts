import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { meaningOf } from '../../engine/errors.ts';
import { lost, meanings } from './meanings.ts';

/**
 * The domain's error for one of PostgreSQL, its driver or the network; other errors are returned unchanged. `shown` is the
 * address of the store without a password.
 */
export function toDomainError(thrown: unknown, shown: string): unknown {
  if (isHkctlError(thrown)) return thrown;
  const fault = faultOf(thrown);
  if (fault === undefined) return thrown;
  // The same code has several causes, which only the place in the server's source names in every language.
  return meaningOf(meanings, fault, shown, thrown) ?? thrown;
}

/** The same for an error before the first statement of hkctl, where everything that is unknown comes from what answers there. */
export function whileConnecting(thrown: unknown, shown: string): unknown {
  const known = toDomainError(thrown, shown);
  if (isHkctlError(known)) return known;
  const code = faultOf(thrown)?.code ?? '';
  if (!/^[0-9A-Z]{5}$/.test(code)) return toDomainError(asOfDriver('NOT_POSTGRES', thrown), shown);
  return new HkctlError(
    'store_unreachable',
    `The server of the PostgreSQL store ${shown} refused the connection (SQLSTATE ${code}).`,
    { hint: 'Read the log of the server, and check options and the other parameters of the address.', cause: thrown },
  );
}

/** Whether an error means that the connection is of no use any more. */
export function isLostConnection(thrown: unknown): boolean {
  const code = faultOf(thrown)?.code;
  return code !== undefined && lost.test(code);
}

export function isSilence(thrown: unknown): boolean {
  if (!isHkctlError(thrown) || thrown.code !== 'store_unreachable') return false;
  const code = faultOf(thrown.cause)?.code;
  return code === undefined || /^(CONNECTION_LOST|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code);
}

/** Whether an error means that the server, or the log-in, has no connection left. */
export function isShortage(thrown: unknown): boolean {
  return isHkctlError(thrown) && faultOf(thrown.cause)?.code === '53300';
}

/**
 * Whether an error means that a row may have been there already. Citus gives an error of a worker the code XX000 if rows reach it by
 * COPY, also those of an INSERT with many: the caller has to search for the row.
 */
export function mayBeRepeated(thrown: unknown): boolean {
  return isHkctlError(thrown) && (thrown.code === 'duplicate' || faultOf(thrown.cause)?.code === 'XX000');
}

/** The error for an address that cannot be used; it never repeats the address, which may contain a password. */
export function wrongAddress(why: string): HkctlError {
  return new HkctlError('usage', `The address of the PostgreSQL store is wrong: ${why}.`, {
    hint: 'Give one such as postgres://hkctl@db.example.com/plant with --store or HKCTL_STORE; see hkctl-postgres(7).',
  });
}

/** The driver's error, as it were, for what it has no error of. */
export function asOfDriver(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}

export function unreachable(shown: string, why: string, cause?: unknown): HkctlError {
  return new HkctlError('store_unreachable', `The PostgreSQL store ${shown} cannot be reached: ${why}.`, {
    hint: 'Check the address, the network and the server, then try again; what was already answered is kept.',
    cause,
  });
}

interface Fault {
  code: string;
  /** The constraint that is violated, or the function of the server that reported the error. */
  place: string;
}

/** The code of PostgreSQL or of Node, also if the error is the cause of another, and for those of the driver without one. */
function faultOf(thrown: unknown): Fault | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, constraint, routine } = thrown as { code?: unknown; constraint?: string; routine?: string }; // as pg's errors have them
  if (typeof code === 'string') return { code, place: constraint ?? routine ?? '' };
  const known = driverMessages.find(([message]) => message.test(thrown.message))?.[1];
  if (known !== undefined) return { code: known, place: '' };
  return faultOf(thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause);
}

const driverMessages: readonly [RegExp, string][] = [
  [
    /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/,
    'CONNECTION_LOST',
  ],
  [/^received invalid response/, 'NOT_POSTGRES'],
  [/^The server does not support SSL/, 'NO_TLS'],
  [/There was an error establishing an SSL connection/, 'NO_TLS'],
  [/(Hostname\/IP does not match|certificate)/i, 'CERT_UNVERIFIED'],
  [/SASL: .*client password must be/, 'NO_PASSWORD'],
  [/SASL: /, 'BAD_SCRAM'],
];
