import type { ErrorCode } from '../../../core/errors.ts';

/** What errors of PostgreSQL, its driver or the network mean for a person. */
export interface Meaning {
  /** SQLSTATE of PostgreSQL, or an error code of Node. */
  codes: RegExp;
  as: ErrorCode;
  /** One sentence; `shown` is the address of the store without a password. */
  message(shown: string): string;
  hint: string;
}

const lower = 'see hkctl-postgres(7) for the modes that check less';

/** What the codes of Node's TLS mean; the first that fits counts. */
export const tlsMeanings: readonly Meaning[] = [
  {
    codes: /^NO_TLS$/,
    as: 'store_unreachable',
    message: (shown) => `The server of the PostgreSQL store ${shown} does not offer TLS.`,
    hint: 'Set ssl = on in postgresql.conf, or ?sslmode=disable in the address where the network protects.',
  },
  {
    codes: /^(ERR_TLS_CERT_ALTNAME_|HOSTNAME_MISMATCH)/,
    as: 'store_unreachable',
    message: (shown) => `The TLS certificate of the PostgreSQL store ${shown} is for another host name.`,
    hint: `Name the server as its certificate does; ${lower}.`,
  },
  {
    codes: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    as: 'store_unreachable',
    message: (shown) =>
      `The TLS certificate of the PostgreSQL store ${shown}, or of its authority, has expired or is not yet valid.`,
    hint: 'Renew the certificate, and check the clock of this machine.',
  },
  {
    codes: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|CERT_UNVERIFIED)/,
    as: 'store_unreachable',
    message: (shown) =>
      `The TLS certificate of the PostgreSQL store ${shown} is not signed by an authority that is known here.`,
    hint: `Name the certificate of the authority with ?sslrootcert=FILE; ${lower}.`,
  },
  {
    codes: /^ERR_SSL_.*ALERT/,
    as: 'store_unreachable',
    message: (shown) => `The server of the PostgreSQL store ${shown} refused TLS, or the certificate of this client.`,
    hint: 'Check sslcert and sslkey of the address, ssl_ca_file of the server, and its log.',
  },
  {
    codes: /^(ERR_OSSL|ERR_MISSING_PASSPHRASE)/,
    as: 'store_unreachable',
    message: (shown) => `A file with certificates or the key for the PostgreSQL store ${shown} is not usable.`,
    hint: 'The files must be PEM, the key must belong to the certificate and have no passphrase.',
  },
  {
    codes: /^(CERT_|CRL_|INVALID_|PATH_LENGTH_|ERROR_IN_CERT|ERR_TLS|ERR_SSL|EPROTO)/,
    as: 'store_unreachable',
    message: (shown) => `TLS with the PostgreSQL store ${shown} failed, or its certificate could not be verified.`,
    hint: 'Check the certificate of the server and the versions of TLS that it allows.',
  },
];
