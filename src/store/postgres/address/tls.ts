import { existsSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { HkctlError } from '../../../core/errors.ts';

/** How the server is verified; `prefer` and `allow` of libpq are missing, since they protect from nobody. */
type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** The TLS settings of an address, with the paths of files in PEM. */
export interface TlsSettings {
  mode: TlsMode;
  /** A file of certificates, or `system` for those of Node. */
  rootCertificate: string | undefined;
  certificate: string | undefined;
  key: string | undefined;
  /** The folder of the account, whose `.postgresql` may have the files. */
  home: string | undefined;
}

const modes: ReadonlySet<string> = new Set<TlsMode>(['disable', 'require', 'verify-ca', 'verify-full']);

/** Reads `sslmode`; `verify-full` by default, and nothing over a socket. */
export function requireTlsMode(text: string | undefined, isSocket: boolean): TlsMode {
  if (isSocket) return 'disable';
  if (text === undefined) return 'verify-full';
  if (modes.has(text)) return text as TlsMode; // a member of modes
  throw new HkctlError(
    'usage',
    'The sslmode of the PostgreSQL store must be verify-full, verify-ca, require or disable.',
    {
      hint: 'Set it with ?sslmode=… in the address, or with PGSSLMODE.',
    },
  );
}

/** The options of Node's TLS for a host; false where none is wanted. Throws `store_unreadable` for a file that cannot be used. */
export function tlsOptions({ mode, rootCertificate, certificate, key, home }: TlsSettings, host: string) {
  if (mode === 'disable' || host.startsWith('/')) return false;
  const inHome = (name: string) => {
    const path = home === undefined ? undefined : join(home, '.postgresql', name);
    return path !== undefined && existsSync(path) ? path : undefined;
  };
  const found = rootCertificate ?? inHome('root.crt');
  const roots = found === 'system' ? undefined : found;
  const own = certificate ?? inHome('postgresql.crt');
  const ownKey = key ?? inHome('postgresql.key');
  if (own !== undefined && ownKey === undefined) throw unusable(`The TLS certificate ${own} has no key`);
  const options: ConnectionOptions = {
    // As in libpq, `require` verifies the authority where one is named.
    rejectUnauthorized: mode !== 'require' || found !== undefined,
    // Node would compare the certificate of an IP address with "localhost".
    checkServerIdentity: (_, peer) => (mode === 'verify-full' ? checkServerIdentity(host, peer) : undefined),
    ...(isIP(host) === 0 && { servername: host }),
    ...(roots !== undefined && { ca: certificates(roots) }),
    ...(own !== undefined && ownKey !== undefined && { cert: certificates(own), key: privateKey(ownKey) }),
  };
  return options;
}

/** Node takes a file without certificates for an empty list. */
function certificates(path: string): string {
  const text = textOf(path);
  if (text.includes('-----BEGIN ')) return text;
  throw unusable(`The TLS file ${path} has no certificate in PEM`);
}

/** Like libpq: a key that others may read is refused; the group may where the key is root's. */
function privateKey(path: string): string {
  const text = textOf(path);
  const { mode, uid } = statSync(path);
  if ((mode & (uid === 0 ? 0o037 : 0o077)) === 0) return text;
  throw unusable(`The TLS key ${path} may be read or written by others and is not used`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw unusable(`The TLS file ${path} cannot be read`, thrown);
  }
}

function unusable(what: string, cause?: unknown): HkctlError {
  return new HkctlError('store_unreadable', `${what}: no connection to the PostgreSQL store was made.`, {
    hint: 'Check sslrootcert, sslcert and sslkey of the address, or PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.',
    cause,
  });
}
