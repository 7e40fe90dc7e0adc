import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { errorOfFault, type Meaning } from '../../shared/errors.ts';

/**
 * The domain's error for one of PostgreSQL, its driver or the network; other errors are returned unchanged. `shown` is the
 * address of the store without a password.
 */
export function toDomainError(thrown: unknown, shown: string): unknown {
  if (isHkctlError(thrown)) return thrown;
  const fault = faultOf(thrown);
  if (fault === undefined) return thrown;
  // The same code has several causes, which only the place in the server's source names in every language.
  return errorOfFault(meanings, fault, shown, thrown) ?? thrown;
}

/** The same for an error before the first statement of hkctl, where everything that is unknown comes from what answers there. */
export function whileConnecting(thrown: unknown, shown: string): unknown {
  const domainError = toDomainError(thrown, shown);
  if (isHkctlError(domainError)) return domainError;
  const faultCode = faultOf(thrown)?.code ?? '';
  if (!/^[0-9A-Z]{5}$/.test(faultCode))
    return toDomainError(asOfDriver('NOT_POSTGRES', thrown), shown);
  return new HkctlError(
    'store_unreachable',
    `The server of the PostgreSQL store ${shown} refused the connection (SQLSTATE ${faultCode}).`,
    {
      hint: 'Read the log of the server, and check options and the other parameters of the address.',
      cause: thrown,
    },
  );
}

/** Whether an error means that the connection is of no use any more. */
export function isLostConnection(thrown: unknown): boolean {
  const faultCode = codeOf(thrown);
  return faultCode !== undefined && lostConnectionCodes.test(faultCode);
}

/** Whether an error means that the server, or the log-in, has no connection left. */
export function isShortage(thrown: unknown): boolean {
  return codeOf(thrown) === '53300';
}

/** Whether an error means that all connections were in use for too long. */
export function isNoneFree(thrown: unknown): boolean {
  return codeOf(thrown) === 'NONE_FREE';
}

/**
 * Whether an error means that a row may have been there already. Citus gives an error of a worker the code XX000 if rows reach
 * it by COPY or by an INSERT of many: the caller has to search for the row.
 */
export function mayBeRepeated(thrown: unknown): boolean {
  if (!isHkctlError(thrown)) return false;
  return thrown.code === 'duplicate' || faultOf(thrown.cause)?.code === 'XX000';
}

/** The error for an address that cannot be used; it never repeats the address, which may contain a password. */
export function wrongAddress(why: string): HkctlError {
  return new HkctlError('usage', `The address of the PostgreSQL store is wrong: ${why}.`, {
    hint: 'Give one such as postgres://hkctl@db.example.com/plant with --store or HKCTL_STORE; see hkctl-postgres(7).',
  });
}

/** An error with a driver-like code, for faults that the driver does not report. */
export function asOfDriver(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}

export function unreachable(shown: string, why: string, cause?: unknown): HkctlError {
  return new HkctlError(
    'store_unreachable',
    `The PostgreSQL store ${shown} cannot be reached: ${why}.`,
    {
      hint: 'Check the address, the network and the server, then try again; what was already answered is kept.',
      cause,
    },
  );
}

interface Fault {
  code: string;
  /** The constraint that is violated, or the function of the server that reported the error. */
  place: string;
}

/** The code of the fault, also that of a domain error. */
function codeOf(thrown: unknown): string | undefined {
  return faultOf(isHkctlError(thrown) ? thrown.cause : thrown)?.code;
}

/** The code of PostgreSQL or of Node, also if the error is the cause of another. Errors of the driver without a code get one. */
function faultOf(thrown: unknown): Fault | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, constraint, routine } = thrown as {
    code?: unknown;
    constraint?: string;
    routine?: string;
  }; // as pg's errors have them
  if (typeof code === 'string') return { code, place: constraint ?? routine ?? '' };

  const driverMessage = driverMessages.find(([pattern]) => pattern.test(thrown.message));
  if (driverMessage !== undefined) return { code: driverMessage[1], place: '' };

  const cause = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause;
  return faultOf(cause);
}

const driverMessages: readonly [RegExp, string][] = [
  [/^timeout exceeded when trying to connect/, 'NONE_FREE'],
  [
    /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/,
    'CONNECTION_LOST',
  ],
  [/^received invalid response/, 'NOT_POSTGRES'],
  [/^The server does not support SSL/, 'NO_TLS'],
  [/There was an error establishing an SSL connection/, 'NO_TLS'],
  [/(Hostname\/IP does not match|certificate)/i, 'CERT_UNVERIFIED'],
  [/SASL: .*client password must be/, 'NO_PASSWORD'],
  [/SASL: /, 'BAD_SCRAM'],
];

/** Codes after which a connection is of no use any more. */
const lostConnectionCodes =
  /^(08...|57P0[1-5]|25P0[34]|ECONNRESET|EPIPE|ECONNREFUSED|ETIMEDOUT|CONNECTION_LOST|NOT_POSTGRES)$/;

const otherValueHint = 'Give another, or list what is there.';

/** By SQLSTATE of PostgreSQL with its constraint or routine, or by a code of Node. `{store}` is the address of the store without a password. */
// biome-ignore format: a table, one line for each meaning
const meanings: readonly Meaning[] = [
  [/^57P03$/, 'store_unreachable', 'The PostgreSQL store {store} is starting or shutting down.', 'Try again in a moment; if it stays so, ask the administrator of the database.'],
  [/^53300 InitializeSessionUserId$/, 'store_unreachable', 'The log-in at the PostgreSQL store {store} has no connection left.', 'Raise its limit with ALTER ROLE … CONNECTION LIMIT, by fifteen for each daemon.'],
  [/^53300 CheckMyDatabase$/, 'store_unreachable', 'The database of the PostgreSQL store {store} has no connection left.', 'Raise its limit with ALTER DATABASE … CONNECTION LIMIT, by fifteen for each daemon.'],
  [/^53300$/, 'store_unreachable', 'The PostgreSQL server of the store {store} has no connection left.', 'Raise max_connections of the server, by fifteen for each daemon, or end other programs that use it.'],
  [/^NONE_FREE$/, 'store_unreachable', 'All connections to the PostgreSQL store {store} are in use.', 'Try again; if it stays so, look for slow statements in pg_stat_activity.'],
  [/^(53200|53000)$/, 'store_unreachable', 'The PostgreSQL server of the store {store} has no memory left.', 'Read the log of the server, and end other programs that use it.'],
  [/^25006$/, 'store_unreachable', 'The PostgreSQL store {store} is read-only: it is a standby, or was set so.', 'Name the primary, or all servers with target_session_attrs=read-write in the address.'],
  [/^TOO_OLD$/, 'store_unreadable', 'The PostgreSQL server of {store} is older than version 15.', 'Upgrade the server, or keep the store in SQLite.'],
  [/^NOT_UTF8$/, 'store_unreadable', 'The database of {store} has another encoding than UTF8, which hkctl needs.', 'Make a database with: createdb --encoding=UTF8 --template=template0 NAME'],
  [/^(ECONNREFUSED|ENOENT|EACCES|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT|EPERM)$/, 'store_unreachable', 'No PostgreSQL server can be reached at {store}.', 'Check host and port of the address, the network, and that the server runs.'],
  [/^NOT_POSTGRES$/, 'store_unreachable', 'What answers at {store} is not a PostgreSQL server.', 'Check host and port of the address.'],
  [lostConnectionCodes, 'store_unreachable', 'The connection to the PostgreSQL store {store} failed or was lost.', 'Check the network and that the server runs, then try again; what was already answered is kept.'],
  [/^NO_TLS$/, 'store_unreachable', 'The server of the PostgreSQL store {store} does not offer TLS.', 'Set ssl = on in postgresql.conf, or ?sslmode=disable in the address if the network protects it.'],
  [/^(ERR_TLS_CERT_ALTNAME_|HOSTNAME_MISMATCH)/, 'store_unreachable', 'The TLS certificate of the PostgreSQL store {store} is for another host name.', 'Name the server as its certificate does; see hkctl-postgres(7) for the modes that check less.'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'store_unreachable', 'The TLS certificate of the PostgreSQL store {store}, or of its authority, has expired or is not yet valid.', 'Renew the certificate, and check the clock of this machine.'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|CERT_UNVERIFIED)/, 'store_unreachable', 'The TLS certificate of the PostgreSQL store {store} is not signed by an authority that is known here.', 'Name the certificate of the authority with ?sslrootcert=FILE; see hkctl-postgres(7) for the modes that check less.'],
  [/^ERR_SSL_.*ALERT/, 'store_unreachable', 'The server of the PostgreSQL store {store} refused TLS, or the certificate of this client.', 'Check sslcert and sslkey of the address, ssl_ca_file of the server, and its log.'],
  [/^(ERR_OSSL|ERR_MISSING_PASSPHRASE)/, 'store_unreachable', 'A file with certificates or the key for the PostgreSQL store {store} is not usable.', 'The files must be PEM, the key must belong to the certificate and have no passphrase.'],
  [/^(CERT_|CRL_|INVALID_|PATH_LENGTH_|ERROR_IN_CERT|ERR_TLS|ERR_SSL|EPROTO)/, 'store_unreachable', 'TLS with the PostgreSQL store {store} failed, or its certificate could not be verified.', 'Check the certificate of the server and the versions of TLS that it allows.'],
  [/^(28P01|28000)$/, 'store_unreadable', 'The PostgreSQL store {store} refused the log-in: wrong user, password or certificate, or none is allowed from here.', 'Put the password into ~/.pgpass or PGPASSFILE (mode 0600), and check pg_hba.conf of the server.'],
  [/^NO_PASSWORD$/, 'store_unreadable', 'The PostgreSQL store {store} asks for a password, and none is known.', 'Put it into ~/.pgpass or the file that PGPASSFILE names, with mode 0600.'],
  [/^NOT_BOUND$/, 'store_unreachable', 'The server of the PostgreSQL store {store} does not bind the log-in to its certificate, as channel_binding=require demands.', 'Let pg_hba.conf ask for scram-sha-256 over TLS, without a pooler or proxy between, or use channel_binding=prefer.'],
  [/^BAD_SCRAM$/, 'store_unreadable', 'The log-in at the PostgreSQL store {store} failed: the server did not prove that it knows the password, or asks for it in a way that is unknown here.', 'Check that the address leads to your server, and its log; log-ins by scram-sha-256, certificate or peer work.'],
  [/^3D000$/, 'store_absent', 'There is no database for the store {store}.', 'An administrator of the server makes it with: createdb NAME. Then: hkctl init'],
  // A schema that the log-in may not use counts as missing from the search path.
  [/^(42501|3F000)$/, 'store_unreadable', 'The log-in lacks rights that this needs on the PostgreSQL store {store}.', 'Grant them with the SQL that hkctl postgres-roles prints, or use a log-in that has them.'],
  [/^(26000|42P05|OTHER_SESSION)$/, 'store_unreadable', 'The pooler at {store} gives each transaction another connection; hkctl needs one of its own.', 'Set pool_mode = session for hkctl in PgBouncer, or name the server itself; see hkctl-postgres(7).'],
  [/^(42P01|42703|42883)$/, 'store_corrupt', 'A table of the PostgreSQL store {store} is missing or was changed.', 'Look at it with: hkctl doctor. Behind a pooler, set pool_mode = session. If it was changed, restore a backup.'],
  [/^(53100|53400|54000)$/, 'store_full', 'The disk of the PostgreSQL store {store} is full; this change was not made.', 'Free space on the server and try again. A key that must stop at once stops with every daemon that serves it.'],
  [/^(55P03|40P01|40001)$/, 'store_locked', 'The PostgreSQL store {store} is locked by another change.', 'Try again; if it stays so, look for a hanging session in pg_stat_activity.'],
  [/^57014$/, 'store_locked', 'The PostgreSQL store {store} cancelled a statement that took longer than statement_timeout allows.', 'Try again, or raise statement_timeout for the log-in of hkctl.'],
  [/^23505 users_login_unique$/, 'duplicate', 'There is a user profile with this login already.', otherValueHint],
  [/^23505 entities_code$/, 'duplicate', 'There is an entity with this code already.', otherValueHint],
  [/^23505 keys_prefix_unique$/, 'duplicate', 'There is a key with this prefix already.', otherValueHint],
  [/^23505$/, 'duplicate', 'There is one with the same value already.', otherValueHint],
  [/^23503$/, 'state_forbids', 'Something this refers to was removed meanwhile; nothing was changed.', 'Look at what is left and try again.'],
  [/^(22021|22P05)$/, 'bad_input', 'A text contains a character that PostgreSQL cannot store, such as NUL.', 'Leave that character out.'],
  [/^(XX001|XX002|58030|58P0[12])$/, 'store_corrupt', 'The PostgreSQL server reports damaged data or a failing disk of the store {store}.', 'Read the log of the server, and restore a backup if needed.'],
  [/^XX000$/, 'store_unreachable', 'The PostgreSQL server of the store {store} reports an internal error, or a worker of Citus cannot be reached.', 'Read the log of the server, and check the workers if there are any.'],
];
