import { constants } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { HkctlError } from '../core/errors.ts';
import type { ServeSettings } from '../core/settings.ts';
import type { Log } from './log.ts';

/** Paths of a certificate and its key, both readable and fitting each other when the daemon started. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Forward secrecy and authenticated encryption only; TLS 1.3 brings its own. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** How often the files are looked at. */
const lookMs = 5_000;

/** Judges `--tls-cert` and `--tls-key`: both or none, readable, a pair. Throws `usage` or `bad_input`. */
export async function requireCertificate({ tlsCert, tlsKey }: ServeSettings): Promise<Certificate | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new HkctlError('usage', 'Give --tls-cert and --tls-key together.');
  }
  const certificate = { cert: tlsCert, key: tlsKey };
  try {
    createSecureContext(await contextOf(certificate));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new HkctlError('bad_input', `The certificate ${tlsCert} and key ${tlsKey} cannot be used: ${reason}`, {
      hint: 'Both are PEM files, and the key belongs to the certificate.',
      cause: thrown,
    });
  }
  return certificate;
}

/**
 * Applies the TLS settings, and anew on SIGHUP or when a file changes; a pair that does not fit leaves the old one in
 * force. Resolves once they hold, with what ends the watching.
 */
export async function reloadCertificate(server: HttpsServer, certificate: Certificate, log: Log): Promise<() => void> {
  server.setSecureContext(await contextOf(certificate));
  const apply = (): void => {
    contextOf(certificate)
      .then((context) => {
        server.setSecureContext(context);
        log.info({ cert: certificate.cert }, 'certificate loaded');
      })
      .catch((thrown: unknown) => log.error({ err: thrown }, 'certificate not loaded; the old one stays'));
  };
  const paths = [certificate.cert, certificate.key];
  for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, apply);
  process.on('SIGHUP', apply);
  return () => {
    process.off('SIGHUP', apply);
    for (const path of paths) unwatchFile(path, apply);
  };
}

async function contextOf({ cert, key }: Certificate): Promise<SecureContextOptions> {
  return {
    cert: await readFile(cert),
    key: await readFile(key),
    minVersion: 'TLSv1.2',
    ciphers,
    ecdhCurve: 'X25519:P-256:P-384',
    honorCipherOrder: true,
    // A client of TLS 1.2 could have the key exchange repeated on one connection, at the server's cost.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}
