import { existsSync, readFileSync } from 'node:fs';
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

/** The options of Node's TLS for a host; false where none is wanted. Throws `bad_input` for a file that cannot be read. */
export function tlsOptions({ mode, rootCertificate, certificate, key, home }: TlsSettings, host: string) {
  if (mode === 'disable' || host.startsWith('/')) return false;
  const inHome = (name: string) => {
    const path = home === undefined ? undefined : join(home, '.postgresql', name);
    return path !== undefined && existsSync(path) ? path : undefined;
  };
  const roots = rootCertificate === 'system' ? undefined : (rootCertificate ?? inHome('root.crt'));
  const own = certificate ?? inHome('postgresql.crt');
  const ownKey = key ?? inHome('postgresql.key');
  const options: ConnectionOptions = {
    rejectUnauthorized: mode !== 'require' || rootCertificate !== undefined,
    // Node would compare the certificate of an IP address with "localhost".
    checkServerIdentity: (_, peer) => (mode === 'verify-full' ? checkServerIdentity(host, peer) : undefined),
    ...(roots !== undefined && { ca: pem(roots) }),
    ...(own !== undefined && ownKey !== undefined && { cert: pem(own), key: pem(ownKey) }),
  };
  return options;
}

function pem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new HkctlError('bad_input', `The TLS file ${path} for the PostgreSQL store cannot be read.`, {
      hint: 'Check sslrootcert, sslcert and sslkey of the address, or PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.',
      cause: thrown,
    });
  }
}
