import { constants, X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { type PlainFile, readPlainFile } from '../../core/files/existing-file.ts';
import { modeText, unreadable } from '../../core/files/path-faults.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import type { CertificateValidity } from '../../core/port/daemons.ts';
import { shellWord } from '../../core/text/quoting.ts';
import { textOfAny } from '../../core/text/shown-text.ts';
import type { Log } from '../monitoring/log.ts';

/** Paths of a certificate and its private key, which were readable and matched when the daemon started. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Forward secrecy and authenticated encryption only; every cipher of TLS 1.3 has both. */
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

const checkEveryMs = 5_000;

/** Validates `--tls-cert` and `--tls-key`, given together or not at all: readable, a pair. Throws `bad_input`. */
export function requireCertificate({ tlsCert, tlsKey }: ServeSettings): Certificate | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const certificate = { cert: tlsCert, key: tlsKey };
  try {
    createSecureContext(readContext(certificate));
    return certificate;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : textOfAny(thrown);
    const cause = isHkctlError(thrown) ? thrown.cause : thrown;
    throw new HkctlError(
      'bad_input',
      `The certificate ${tlsCert} and key ${tlsKey} cannot be used: ${reason}`,
      {
        hint: 'Both are PEM files, and the key belongs to the certificate.',
        cause,
      },
    );
  }
}

/** Warns if every account of the machine can read or change the private key. */
function warnIfKeyIsOpen({ key }: Certificate, keyMode: number, log: Log): void {
  // Windows has no such bits.
  if ((keyMode & 0o006) === 0 || process.platform === 'win32') return;
  const mode = modeText(keyMode);
  log.warn(
    { key, mode },
    `EVERY ACCOUNT OF THIS MACHINE CAN READ THE PRIVATE KEY ${key} (mode ${mode}); run: chmod 600 ${shellWord(key)}`,
  );
}

/**
 * Applies the TLS settings, and again on SIGHUP or when a file changes; a pair that does not match leaves the old one in use.
 * `onLoaded` receives each certificate that is served from then on. Returns a function that stops watching.
 */
export function reloadCertificate(
  server: HttpsServer,
  certificate: Certificate,
  log: Log,
  onLoaded: (validity: CertificateValidity) => void,
): () => void {
  const applyPair = (): void => {
    const { context, keyMode, validity } = readPair(certificate);
    server.setSecureContext(context);
    onLoaded(validity);
    warnIfKeyIsOpen(certificate, keyMode, log);
  };
  applyPair();

  const reload = (): void => {
    try {
      applyPair();
      log.info({ cert: certificate.cert }, 'certificate loaded');
    } catch (thrown) {
      log.error({ err: thrown }, 'certificate not loaded; the old one stays');
    }
  };

  const watchedPaths = [certificate.cert, certificate.key];
  for (const filePath of watchedPaths)
    watchFile(filePath, { interval: checkEveryMs, persistent: false }, reload);
  process.on('SIGHUP', reload);
  return () => {
    process.off('SIGHUP', reload);
    for (const filePath of watchedPaths) unwatchFile(filePath, reload);
  };
}

export function readContext(certificate: Certificate): SecureContextOptions {
  return readPair(certificate).context;
}

interface LoadedPair {
  context: SecureContextOptions;
  /** The permission bits of the file of which the private key was read. */
  keyMode: number;
  validity: CertificateValidity;
}

function readPair({ cert, key }: Certificate): LoadedPair {
  const keyFile = requirePlainFile(key);
  const certificateBytes = requirePlainFile(cert).bytes;
  const context: SecureContextOptions = {
    cert: certificateBytes,
    key: keyFile.bytes,
    minVersion: 'TLSv1.2',
    ciphers,
    ecdhCurve: 'X25519:P-256:P-384',
    honorCipherOrder: true,
    // A TLS 1.2 client could repeat the key exchange on one connection, at the server's cost.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
  const validity = validityOf(certificateBytes);
  return { context, keyMode: keyFile.stats.mode & 0o777, validity };
}

/** The validity of the first certificate of a PEM file, which is the daemon's own. */
function validityOf(pem: Buffer): CertificateValidity {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { fromMs: Date.parse(validFrom), untilMs: Date.parse(validTo) };
}

function requirePlainFile(filePath: string): PlainFile {
  let plainFile: PlainFile | undefined;
  try {
    plainFile = readPlainFile(filePath);
  } catch (thrown) {
    throw unreadable(filePath, thrown);
  }
  if (plainFile === undefined) throw new Error(`${filePath} is no plain file`);
  return plainFile;
}
