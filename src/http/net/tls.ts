import { constants } from 'node:crypto';
import { closeSync, constants as fileModes, fstatSync, openSync, readFileSync, unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { errnoOf } from '../../core/errno.ts';
import { HkctlError } from '../../core/errors.ts';
import { modeText } from '../../core/files.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import { shellWord } from '../../core/text/shell.ts';
import type { Log } from '../monitoring/log.ts';

/** Paths of a certificate and its private key, which were readable and matched when the daemon started. */
interface Certificate {
  cert: string;
  key: string;
}

/** A certificate as found when the daemon started. */
interface FoundCertificate extends Certificate {
  keyMode: number;
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

/** Validates `--tls-cert` and `--tls-key`: both or none, readable, a pair. Throws `usage` or `bad_input`. */
export function requireCertificate({ tlsCert, tlsKey }: ServeSettings): FoundCertificate | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new HkctlError('usage', 'Give --tls-cert and --tls-key together.');
  }
  try {
    const [cert, key] = [readPlainFile(tlsCert), readPlainFile(tlsKey)];
    createSecureContext(toContext(cert.bytes, key.bytes));
    return { cert: tlsCert, key: tlsKey, keyMode: key.mode & 0o777 };
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new HkctlError('bad_input', `The certificate ${tlsCert} and key ${tlsKey} cannot be used: ${reason}`, {
      hint: 'Both are PEM files, and the key belongs to the certificate.',
      cause: thrown,
    });
  }
}

/** Warns if every account of the machine can read or change the private key. */
export function warnWhereKeyIsOpen({ key, keyMode }: FoundCertificate, log: Log): void {
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
 * Resolves once they are applied, with a function that stops watching.
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
  for (const path of paths) watchFile(path, { interval: checkEveryMs, persistent: false }, apply);
  process.on('SIGHUP', apply);
  return () => {
    process.off('SIGHUP', apply);
    for (const path of paths) unwatchFile(path, apply);
  };
}

/** What is wrong, in words; the messages of Node name its functions and the codes of the system. */
function reasonOf(thrown: unknown): string {
  const path = thrown instanceof Error && 'path' in thrown ? `${thrown.path}` : '';
  const code = errnoOf(thrown);
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${path}`;
  if (code === 'EACCES' || code === 'EPERM') return `this account may not read ${path}`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Reads a file without waiting for the writer of a FIFO: no signal would end the wait. A device may have no end. */
function readPlainFile(path: string): { bytes: Buffer; mode: number } {
  const fd = openSync(path, fileModes.O_RDONLY | fileModes.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error(`${path} is no plain file`);
    return { bytes: readFileSync(fd), mode: stats.mode };
  } finally {
    closeSync(fd);
  }
}

async function contextOf({ cert, key }: Certificate): Promise<SecureContextOptions> {
  return toContext(await readFile(cert), await readFile(key));
}

function toContext(cert: Buffer, key: Buffer): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers,
    ecdhCurve: 'X25519:P-256:P-384',
    honorCipherOrder: true,
    // A TLS 1.2 client could repeat the key exchange on one connection, at the server's cost.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}
