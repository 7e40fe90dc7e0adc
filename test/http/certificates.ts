import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Makes a certificate and its key in a folder, `NAME.crt` and `NAME.key`, for this machine. */
export function makeCertificate(folder: string, name: string): { tlsCert: string; tlsKey: string } {
  const [tlsKey, tlsCert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync(
    'openssl',
    [...options, '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', tlsKey, '-out', tlsCert],
    { stdio: 'pipe' },
  );
  return { tlsCert, tlsKey };
}
