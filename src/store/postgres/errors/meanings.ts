import type { Meaning } from '../../engine/errors.ts';

/** Codes after which a connection is of no use any more. */
export const lost = /^(08...|57P0[1-5]|25P0[34]|ECONNRESET|EPIPE|ECONNREFUSED|ETIMEDOUT|CONNECTION_LOST|NOT_POSTGRES)$/;

const another = 'Give another, or list what is there.';

/** By SQLSTATE of PostgreSQL with its constraint or routine, or by a code of Node. `{store}` is the address of the store without a password. */
// biome-ignore format: a table, one line for each meaning
export const meanings: readonly Meaning[] = [
  [/^57P03$/, 'store_unreachable', 'The PostgreSQL store {store} is starting or shutting down.', 'Try again in a moment; if it stays so, ask the administrator of the database.'],
  [/^53300 InitializeSessionUserId$/, 'store_unreachable', 'The log-in at the PostgreSQL store {store} has no connection left.', 'Raise its limit with ALTER ROLE … CONNECTION LIMIT, by fifteen for each daemon.'],
  [/^53300 CheckMyDatabase$/, 'store_unreachable', 'The database of the PostgreSQL store {store} has no connection left.', 'Raise its limit with ALTER DATABASE … CONNECTION LIMIT, by fifteen for each daemon.'],
  [/^53300$/, 'store_unreachable', 'The PostgreSQL server of the store {store} has no connection left.', 'Raise max_connections of the server, by fifteen for each daemon, or end other programs that use it.'],
  [/^(53200|53000)$/, 'store_unreachable', 'The PostgreSQL server of the store {store} has no memory left.', 'Read the log of the server, and end other programs that use it.'],
  [/^25006$/, 'store_unreachable', 'The PostgreSQL store {store} is read-only: it is a standby, or was set so.', 'Name the primary, or all servers with target_session_attrs=read-write in the address.'],
  [/^TOO_OLD$/, 'store_unreadable', 'The PostgreSQL server of {store} is older than version 15.', 'Upgrade the server, or keep the store in SQLite.'],
  [/^NOT_UTF8$/, 'store_unreadable', 'The database of {store} has another encoding than UTF8, which hkctl needs.', 'Make a database with: createdb --encoding=UTF8 --template=template0 NAME'],
  [/^(ECONNREFUSED|ENOENT|EACCES|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT|EPERM)$/, 'store_unreachable', 'No PostgreSQL server can be reached at {store}.', 'Check host and port of the address, the network, and that the server runs.'],
  [/^NOT_POSTGRES$/, 'store_unreachable', 'What answers at {store} is not a PostgreSQL server.', 'Check host and port of the address.'],
  [lost, 'store_unreachable', 'The connection to the PostgreSQL store {store} failed or was lost.', 'Check the network and that the server runs, then try again; what was already answered is kept.'],
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
  [/^23505 users_login_unique$/, 'duplicate', 'There is a user profile with this login already.', another],
  [/^23505 entities_code$/, 'duplicate', 'There is an entity with this code already.', another],
  [/^23505 keys_prefix_unique$/, 'duplicate', 'There is a key with this prefix already.', another],
  [/^23505$/, 'duplicate', 'There is one with the same value already.', another],
  [/^23503$/, 'state_forbids', 'Something this refers to was removed meanwhile; nothing was changed.', 'Look at what is left and try again.'],
  [/^(22021|22P05)$/, 'bad_input', 'A text contains a character that PostgreSQL cannot store, such as NUL.', 'Leave that character out.'],
  [/^(XX001|XX002|58030|58P0[12])$/, 'store_corrupt', 'The PostgreSQL server reports damaged data or a failing disk of the store {store}.', 'Read the log of the server, and restore a backup if needed.'],
  [/^XX000$/, 'store_unreachable', 'The PostgreSQL server of the store {store} reports an internal error, or a worker of Citus cannot be reached.', 'Read the log of the server, and check the workers if there are any.'],
];
