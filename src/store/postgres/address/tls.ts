import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { HkctlError } from '../../../core/errors.ts';
import { type PlainFile, readPlainFile } from '../../../core/files/existing-file.ts';
import { wrongAddress } from '../errors/errors.ts';

type TlsSettings = ReturnType<typeof readTls>;

/**
 * Reads the parameters of TLS; `verify-full` by default, and nothing over a socket. `prefer` and `allow` of libpq are missing,
 * since they protect from no attacker. `home` is the folder of the account, whose `.postgresql` may have the files.
 */
export function readTls(
  parameters: Readonly<Record<string, string>>,
  isSocket: boolean,
  home: string | undefined,
) {
  const sslMode = isSocket ? 'disable' : (parameters.sslmode ?? 'verify-full');
  if (!/^(verify-full|verify-ca|require|disable)$/.test(sslMode)) {
    throw wrongAddress('sslmode (or PGSSLMODE) must be verify-full, verify-ca, require or disable');
  }
  const binding = parameters.channel_binding ?? 'disable';
  // Whether TLS begins with the first byte, as servers from version 17 on allow.
  const isDirect = parameters.sslnegotiation === 'direct' && !isSocket;
  if (sslMode === 'disable' && (isDirect || binding === 'require')) {
    const parameterText = isDirect ? 'sslnegotiation=direct' : 'channel_binding=require';
    throw wrongAddress(
      `${parameterText} needs TLS, which sslmode=disable and sockets have not: leave it out`,
    );
  }
  return {
    mode: sslMode,
    binding,
    isDirect,
    home,
    /** A file of certificates, or `system` for those of Node. */
    rootCertificate: parameters.sslrootcert,
    certificate: parameters.sslcert,
    key: parameters.sslkey,
    revoked: parameters.sslcrl,
    sendsCertificate: parameters.sslcertmode !== 'disable',
    oldest: parameters.ssl_min_protocol_version,
    newest: parameters.ssl_max_protocol_version,
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
  const fileInHome = (fileName: string) => {
    if (home === undefined) return undefined;
    const homePath = join(home, '.postgresql', fileName);
    return existsSync(homePath) ? homePath : undefined;
  };

  const rootSource = rootCertificate ?? fileInHome('root.crt');
  const rootFile = rootSource === 'system' ? undefined : rootSource;
  const clientCertificate = sendsCertificate
    ? (certificate ?? fileInHome('postgresql.crt'))
    : undefined;
  const keyFile = key ?? fileInHome('postgresql.key');
  if (clientCertificate !== undefined && keyFile === undefined)
    throw unusable(`The TLS certificate ${clientCertificate} has no key`);

  const usualRevocations = rootSource === undefined ? undefined : fileInHome('root.crl');
  const revocationList = revoked ?? usualRevocations;
  const options: ConnectionOptions = {
    // As in libpq, `require` verifies the authority if one is named.
    rejectUnauthorized: mode !== 'require' || rootSource !== undefined,
    // Node would compare the certificate of an IP address with "localhost".
    checkServerIdentity: (_, peer) =>
      mode === 'verify-full' ? checkServerIdentity(host, peer) : undefined,
    ...(isIP(host) === 0 && { servername: host }),
    ...(rootFile !== undefined && { ca: certificates(rootFile) }),
    ...(revocationList !== undefined && { crl: certificates(revocationList) }),
    // Values that parameters.ts allows are those of Node.
    ...(oldest !== undefined && { minVersion: oldest as 'TLSv1.2' }),
    ...(newest !== undefined && { maxVersion: newest as 'TLSv1.3' }),
    ...(clientCertificate !== undefined &&
      keyFile !== undefined && {
        cert: certificates(clientCertificate),
        key: privateKey(keyFile),
      }),
  };
  return options;
}

/** Node takes a file without certificates for an empty list. */
function certificates(certificatePath: string): string {
  const pemText = readFileOf(certificatePath).bytes.toString();
  if (pemText.includes('-----BEGIN ')) return pemText;
  throw unusable(`The TLS file ${certificatePath} has no certificate in PEM`);
}

/** Like libpq: a key that others may read is refused; the group may if the key is root's. */
function privateKey(keyPath: string): string {
  const { bytes, stats } = readFileOf(keyPath);
  const closedBits = stats.uid === 0 ? 0o037 : 0o077;
  if ((stats.mode & closedBits) === 0) return bytes.toString();
  throw unusable(`The TLS key ${keyPath} may be read or written by others and is not used`);
}

function readFileOf(tlsPath: string): PlainFile {
  let tlsFile: PlainFile | undefined;
  try {
    tlsFile = readPlainFile(tlsPath);
  } catch (thrown) {
    throw unusable(`The TLS file ${tlsPath} cannot be read`, thrown);
  }
  if (tlsFile === undefined) throw unusable(`The TLS file ${tlsPath} is no plain file`);
  return tlsFile;
}

function unusable(fault: string, cause?: unknown): HkctlError {
  return new HkctlError(
    'store_unreadable',
    `${fault}: no connection to the PostgreSQL store was made.`,
    {
      hint: 'Check sslrootcert, sslcert and sslkey of the address, or PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.',
      cause,
    },
  );
}
