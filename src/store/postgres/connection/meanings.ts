import { type Meaning, tlsMeanings } from '../address/tls-errors.ts';

/** Codes after which a connection is of no use any more. */
export const lost = /^(08...|57P0[1-5]|25P0[34]|ECONNRESET|EPIPE|ECONNREFUSED|ETIMEDOUT|CONNECTION_LOST|NOT_POSTGRES)$/;

const perDaemon = 'by fifteen for each daemon';

const tryAgain = 'Try again in a moment; if it stays so, ask the administrator of the database.';

/** What the codes of PostgreSQL, its driver and the network mean; the first that fits counts. */
export const meanings: readonly Meaning[] = [
  {
    codes: /^57P03$/,
    as: 'store_unreachable',
    message: (shown) => `The PostgreSQL store ${shown} is starting or shutting down.`,
    hint: tryAgain,
  },
  {
    codes: /^53300 InitializeSessionUserId$/,
    as: 'store_unreachable',
    message: (shown) => `The log-in at the PostgreSQL store ${shown} has no connection left.`,
    hint: `Raise its limit with ALTER ROLE … CONNECTION LIMIT, ${perDaemon}.`,
  },
  {
    codes: /^53300 CheckMyDatabase$/,
    as: 'store_unreachable',
    message: (shown) => `The database of the PostgreSQL store ${shown} has no connection left.`,
    hint: `Raise its limit with ALTER DATABASE … CONNECTION LIMIT, ${perDaemon}.`,
  },
  {
    codes: /^53300$/,
    as: 'store_unreachable',
    message: (shown) => `The PostgreSQL server of the store ${shown} has no connection left.`,
    hint: `Raise max_connections of the server, ${perDaemon}, or end other programs that use it.`,
  },
  {
    codes: /^(53200|53000)$/,
    as: 'store_unreachable',
    message: (shown) => `The PostgreSQL server of the store ${shown} has no memory left.`,
    hint: 'Read the log of the server, and end other programs that use it.',
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
    message: (shown) => `What answers at ${shown} is not a PostgreSQL server.`,
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
    codes: /^NOT_BOUND$/,
    as: 'store_unreachable',
    message: (shown) =>
      `The server of the PostgreSQL store ${shown} does not bind the log-in to its certificate, as channel_binding=require demands.`,
    hint: 'Let pg_hba.conf ask for scram-sha-256 over TLS, without a pooler or proxy between, or use channel_binding=prefer.',
  },
  {
    codes: /^BAD_SCRAM$/,
    as: 'store_unreadable',
    message: (shown) =>
      `The log-in at the PostgreSQL store ${shown} failed: the server did not prove that it knows the password, or asks for it in a way that is unknown here.`,
    hint: 'Check that the address leads to your server, and its log; log-ins by scram-sha-256, certificate or peer work.',
  },
  {
    codes: /^3D000$/,
    as: 'store_absent',
    message: (shown) => `There is no database for the store ${shown}.`,
    hint: 'An administrator of the server makes it with: createdb NAME. Then: hkctl init',
  },
  {
    // A schema that the log-in may not use counts as missing from the search path.
    codes: /^(42501|3F000)$/,
    as: 'store_unreadable',
    message: (shown) => `Rights on the PostgreSQL store ${shown} that this needs are missing for the log-in.`,
    hint: 'Grant them with the SQL that hkctl postgres-roles prints, or use a log-in that has them.',
  },
  {
    codes: /^(26000|42P05|OTHER_SESSION)$/,
    as: 'store_unreadable',
    message: (shown) => `The pooler at ${shown} gives each transaction another connection; hkctl needs one of its own.`,
    hint: 'Set pool_mode = session for hkctl in PgBouncer, or name the server itself; see hkctl-postgres(7).',
  },
  {
    codes: /^(42P01|42703|42883)$/,
    as: 'store_corrupt',
    message: (shown) => `A table of the PostgreSQL store ${shown} is missing or was changed.`,
    hint: 'Look at it with: hkctl doctor. Behind a pooler, set pool_mode = session. If somebody has changed it, go back to a backup.',
  },
  {
    codes: /^(53100|53400|54000)$/,
    as: 'store_full',
    message: (shown) => `The disk of the PostgreSQL store ${shown} is full; nothing was changed.`,
    hint: 'Free space on the server and try again. A key that must stop at once stops with every daemon that serves it.',
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
  {
    codes: /^XX000$/,
    as: 'store_unreachable',
    message: (shown) =>
      `The PostgreSQL server of the store ${shown} reports an internal error, or a worker of Citus cannot be reached.`,
    hint: 'Read the log of the server, and check the workers where there are some.',
  },
];
