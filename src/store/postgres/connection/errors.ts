import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { type Meaning, tlsMeanings } from '../address/tls-errors.ts';

/**
 * The domain's error for one of PostgreSQL, its driver or the network; other errors are returned unchanged. `shown` is the
 * address of the store without a password.
 */
export function toDomainError(thrown: unknown, shown: string): unknown {
  if (isHkctlError(thrown)) return thrown;
  const fault = faultOf(thrown);
  if (fault === undefined) return thrown;
  const { code } = fault;
  if (code === '23505') {
    return new HkctlError('duplicate', `There is ${taken[fault.constraint] ?? 'one with the same value'} already.`, {
      hint: 'Give another, or list what is there.',
      cause: thrown,
    });
  }
  const known = meanings.find(({ codes }) => codes.test(code));
  if (known === undefined) return thrown;
  return new HkctlError(known.as, known.message(shown), { hint: known.hint, cause: thrown });
}

/** Whether an error means that the connection is of no use any more. */
export function isLostConnection(thrown: unknown): boolean {
  const code = faultOf(thrown)?.code;
  return code !== undefined && lost.test(code);
}

/** Whether an error means that nothing answered at all; a server that refuses does answer. */
export function isSilence(thrown: unknown): boolean {
  if (!isHkctlError(thrown) || thrown.code !== 'store_unreachable') return false;
  const code = faultOf(thrown.cause)?.code;
  return code === undefined || /^(CONNECTION_LOST|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code);
}

/** Whether an error means that the server, or the log-in, has no connection left. */
export function isShortage(thrown: unknown): boolean {
  return isHkctlError(thrown) && faultOf(thrown.cause)?.code === '53300';
}

/** Whether an error means that the server does not know a setting, as one of an older version. */
export function isUnknownSetting(thrown: unknown): boolean {
  return faultOf(thrown)?.code === '42704';
}

/** The error for an address that cannot be used; it never repeats the address, which may contain a password. */
export function wrongAddress(why: string): HkctlError {
  return new HkctlError('usage', `The address of the PostgreSQL store is wrong: ${why}.`, {
    hint: 'Give one such as postgres://hkctl@db.example.com/plant with --store or HKCTL_STORE; see hkctl-postgres(7).',
  });
}

/** The driver's error, as it were, where the server wants a password and none is known. */
export function noPassword(): Error {
  return Object.assign(new Error('no password'), { code: 'NO_PASSWORD' });
}

/** The error while no answer comes from the database. */
export function unreachable(shown: string, why: string, cause?: unknown): HkctlError {
  return new HkctlError('store_unreachable', `The PostgreSQL store ${shown} cannot be reached: ${why}.`, {
    hint: 'Check the address, the network and the server, then try again; what was already answered is kept.',
    cause,
  });
}

const lost = /^(08...|57P0[1-5]|25P03|ECONNRESET|EPIPE|ECONNREFUSED|ETIMEDOUT|CONNECTION_LOST)$/;

const tryAgain = 'Try again in a moment; if it stays so, ask the administrator of the database.';

const meanings: readonly Meaning[] = [
  {
    codes: /^57P03$/,
    as: 'store_unreachable',
    message: (shown) => `The PostgreSQL store ${shown} is starting or shutting down.`,
    hint: tryAgain,
  },
  {
    codes: /^(53300|53200|53000)$/,
    as: 'store_unreachable',
    message: (shown) => `The PostgreSQL server of the store ${shown} has no connection or memory left.`,
    hint: 'Raise max_connections of the server or the connection limit of the log-in, or end other programs that use it.',
  },
  {
    codes: /^25006$/,
    as: 'store_unreachable',
    message: (shown) => `The PostgreSQL store ${shown} is read-only: it is a standby, or was set so.`,
    hint: 'Name the primary, or all servers with target_session_attrs=read-write in the address.',
  },
  {
    codes:
      /^(ECONNREFUSED|ENOENT|EACCES|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT|EPERM)$/,
    as: 'store_unreachable',
    message: (shown) => `No PostgreSQL server can be reached at ${shown}.`,
    hint: 'Check host and port of the address, the network, and that the server runs.',
  },
  {
    codes: /^NOT_POSTGRES$/,
    as: 'store_unreachable',
    message: (shown) => `What answers at ${shown} is no PostgreSQL server.`,
    hint: 'Check host and port of the address.',
  },
  {
    codes: lost,
    as: 'store_unreachable',
    message: (shown) => `The connection to the PostgreSQL store ${shown} failed or was lost.`,
    hint: 'Check the network and that the server runs, then try again; what was already answered is kept.',
  },
  ...tlsMeanings,
  {
    codes: /^(28P01|28000)$/,
    as: 'store_unreadable',
    message: (shown) =>
      `The PostgreSQL store ${shown} refused the log-in: wrong user, password or certificate, or none is allowed from here.`,
    hint: 'Put the password into ~/.pgpass or PGPASSFILE (mode 0600), and check pg_hba.conf of the server.',
  },
  {
    codes: /^NO_PASSWORD$/,
    as: 'store_unreadable',
    message: (shown) => `The PostgreSQL store ${shown} asks for a password, and none is known.`,
    hint: 'Put it into ~/.pgpass or the file that PGPASSFILE names, with mode 0600.',
  },
  {
    codes: /^3D000$/,
    as: 'store_absent',
    message: (shown) => `There is no database for the store ${shown}.`,
    hint: 'An administrator of the server makes it with: createdb NAME. Then: hkctl init',
  },
  {
    codes: /^(42501)$/,
    as: 'store_unreadable',
    message: (shown) => `Rights on the PostgreSQL store ${shown} that this needs are missing for the log-in.`,
    hint: 'Grant them with the SQL that hkctl postgres-roles prints, or use a log-in that has them.',
  },
  {
    codes: /^(42P01|3F000|42703|42883)$/,
    as: 'store_corrupt',
    message: (shown) => `A table of the PostgreSQL store ${shown} is missing or was changed.`,
    hint: 'Look at it with: hkctl doctor. Go back to a backup where somebody has changed it.',
  },
  {
    codes: /^(53100|53400|54000)$/,
    as: 'store_full',
    message: (shown) => `The disk of the PostgreSQL store ${shown} is full; nothing was changed.`,
    hint: 'Free space on the server and try again.',
  },
  {
    codes: /^(55P03|40P01|40001)$/,
    as: 'store_locked',
    message: (shown) => `The PostgreSQL store ${shown} is locked by another change.`,
    hint: 'Try again; if it stays so, look for a hanging session in pg_stat_activity.',
  },
  {
    codes: /^57014$/,
    as: 'store_locked',
    message: (shown) =>
      `The PostgreSQL store ${shown} cancelled a statement that took longer than statement_timeout allows.`,
    hint: 'Try again, or raise statement_timeout for the log-in of hkctl.',
  },
  {
    codes: /^23503$/,
    as: 'state_forbids',
    message: () => 'Something this refers to was removed meanwhile; nothing was changed.',
    hint: 'Look at what is left and try again.',
  },
  {
    codes: /^(22021|22P05)$/,
    as: 'bad_input',
    message: () => 'A text contains a character that PostgreSQL cannot store, such as NUL.',
    hint: 'Leave that character out.',
  },
  {
    codes: /^(XX001|XX002|58030|58P0[12])$/,
    as: 'store_corrupt',
    message: (shown) => `The PostgreSQL server reports damaged data or a failing disk of the store ${shown}.`,
    hint: 'Read the log of the server, and go back to a backup where needed.',
  },
];

/** Names of constraints, as messages use them. */
const taken: Readonly<Record<string, string>> = {
  users_login_unique: 'a user profile with this login',
  entities_code: 'an entity with this code',
  keys_prefix_unique: 'a key with this prefix',
};

/** The code of PostgreSQL or of Node, also where drizzle has wrapped the error, and for those of the driver without one. */
function faultOf(thrown: unknown): { code: string; constraint: string } | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') {
    const constraint = 'constraint' in thrown && typeof thrown.constraint === 'string' ? thrown.constraint : '';
    return { code: thrown.code, constraint };
  }
  const inner = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause;
  const code = driverMessages.find(([message]) => message.test(thrown.message))?.[1];
  return code === undefined ? faultOf(inner) : { code, constraint: '' };
}

/** The errors that the driver reports by a text only. */
const driverMessages: readonly [RegExp, string][] = [
  [
    /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/,
    'CONNECTION_LOST',
  ],
  [/^received invalid response/, 'NOT_POSTGRES'],
  [/^The server does not support SSL/, 'NO_TLS'],
  [/There was an error establishing an SSL connection/, 'NO_TLS'],
  [/(Hostname\/IP does not match|certificate)/i, 'CERT_UNVERIFIED'],
  [/SASL: /, 'NO_PASSWORD'],
];
