import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { HkctlError } from '../../../core/errors.ts';
import { type PlainFile, readPlainFile } from '../../../core/files/plain-file.ts';
import { wrongAddress } from '../errors/errors.ts';

export type TlsSettings = ReturnType<typeof readTls>;

/**
 * Reads the parameters of TLS; `verify-full` by default, and nothing over a socket. `prefer` and `allow` of libpq are missing,
 * since they protect from no attacker. `home` is the folder of the account, whose `.postgresql` may have the files.
 */
export function readTls(
  given: Readonly<Record<string, string>>,
  isSocket: boolean,
  home: string | undefined,
) {
  const mode = isSocket ? 'disable' : (given.sslmode ?? 'verify-full');
  if (!/^(verify-full|verify-ca|require|disable)$/.test(mode)) {
    throw wrongAddress('sslmode (or PGSSLMODE) must be verify-full, verify-ca, require or disable');
  }
  const binding = given.channel_binding ?? 'disable';
  // Whether TLS begins with the first byte, as servers from version 17 on allow.
  const isDirect = given.sslnegotiation === 'direct' && !isSocket;
  if (mode === 'disable' && (isDirect || binding === 'require')) {
    const name = isDirect ? 'sslnegotiation=direct' : 'channel_binding=require';
    throw wrongAddress(
      `${name} needs TLS, which sslmode=disable and sockets have not: leave it out`,
    );
  }
  return {
    mode,
    binding,
    isDirect,
    home,
    /** A file of certificates, or `system` for those of Node. */
    rootCertificate: given.sslrootcert,
    certificate: given.sslcert,
    key: given.sslkey,
    revoked: given.sslcrl,
    sendsCertificate: given.sslcertmode !== 'disable',
    oldest: given.ssl_min_protocol_version,
    newest: given.ssl_max_protocol_version,
  };
}

/** The options of Node's TLS for a host; false if none is wanted. Throws `store_unreadable` for a file that cannot be used. */
export function tlsOptions(settings: TlsSettings, host: string) {
  const {
    mode,
    rootCertificate,
    certificate,
    key,
    revoked,
    sendsCertificate,
    oldest,
    newest,
    home,
  } = settings;
  if (mode === 'disable' || host.startsWith('/')) return false;
  const inHome = (name: string) => {
    const path = home === undefined ? undefined : join(home, '.postgresql', name);
    return path !== undefined && existsSync(path) ? path : undefined;
  };
  const found = rootCertificate ?? inHome('root.crt');
  const roots = found === 'system' ? undefined : found;
  const own = sendsCertificate ? (certificate ?? inHome('postgresql.crt')) : undefined;
  const ownKey = key ?? inHome('postgresql.key');
  if (own !== undefined && ownKey === undefined)
    throw unusable(`The TLS certificate ${own} has no key`);
  const crl = found === undefined ? revoked : (revoked ?? inHome('root.crl'));
  const options: ConnectionOptions = {
    // As in libpq, `require` verifies the authority if one is named.
    rejectUnauthorized: mode !== 'require' || found !== undefined,
    // Node would compare the certificate of an IP address with "localhost".
    checkServerIdentity: (_, peer) =>
      mode === 'verify-full' ? checkServerIdentity(host, peer) : undefined,
    ...(isIP(host) === 0 && { servername: host }),
    ...(roots !== undefined && { ca: certificates(roots) }),
    ...(crl !== undefined && { crl: certificates(crl) }),
    // Values that parameters.ts allows are those of Node.
    ...(oldest !== undefined && { minVersion: oldest as 'TLSv1.2' }),
    ...(newest !== undefined && { maxVersion: newest as 'TLSv1.3' }),
    ...(own !== undefined &&
      ownKey !== undefined && { cert: certificates(own), key: privateKey(ownKey) }),
  };
  return options;
}

/** Node takes a file without certificates for an empty list. */
function certificates(path: string): string {
  const text = readFileOf(path).bytes.toString();
  if (text.includes('-----BEGIN ')) return text;
  throw unusable(`The TLS file ${path} has no certificate in PEM`);
}

/** Like libpq: a key that others may read is refused; the group may if the key is root's. */
function privateKey(path: string): string {
  const { bytes, stats } = readFileOf(path);
  const closedBits = stats.uid === 0 ? 0o037 : 0o077;
  if ((stats.mode & closedBits) === 0) return bytes.toString();
  throw unusable(`The TLS key ${path} may be read or written by others and is not used`);
}

function readFileOf(path: string): PlainFile {
  let file: PlainFile | undefined;
  try {
    file = readPlainFile(path);
  } catch (thrown) {
    throw unusable(`The TLS file ${path} cannot be read`, thrown);
  }
  if (file === undefined) throw unusable(`The TLS file ${path} is no plain file`);
  return file;
}

function unusable(what: string, cause?: unknown): HkctlError {
  return new HkctlError(
    'store_unreadable',
    `${what}: no connection to the PostgreSQL store was made.`,
    {
      hint: 'Check sslrootcert, sslcert and sslkey of the address, or PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.',
      cause,
    },
  );
}
