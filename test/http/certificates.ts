import { webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  type JsonGeneralName,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
  X509CrlGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 60 * 60_000;
/** Serial numbers count from here: the library writes one with a leading bit as a negative number into a list of revoked ones. */
let serial = 0x1000_0000;

/** A certificate and its keys, with which it can sign others. */
export interface Certified {
  certificate: X509Certificate;
  keys: webcrypto.CryptoKeyPair;
}

interface Wanted {
  /** Whom it names, and at which address it is valid. */
  subject: string;
  at: JsonGeneralName;
  /** Who signs it; itself if not given. */
  signer?: Certified;
  /** For how long it is valid from now on; a negative number for one that has expired. */
  days?: number;
}

/** Makes `NAME.crt` and `NAME.key` in a folder. */
export async function certify(folder: string, name: string, wanted: Wanted): Promise<Certified> {
  const { subject, at, signer, days = 2 } = wanted;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: (++serial).toString(16),
    subject: `CN=${subject}`,
    issuer: signer?.certificate.subject ?? `CN=${subject}`,
    publicKey: keys.publicKey,
    signingKey: (signer ?? { keys }).keys.privateKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 3 * dayMs),
    notAfter: new Date(Date.now() + days * dayMs),
    extensions: [
      new BasicConstraintsExtension(signer === undefined, undefined, true),
      new SubjectAlternativeNameExtension([at]),
    ],
  });
  const key = PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  );
  writeFileSync(join(folder, `${name}.key`), `${key}\n`, { mode: 0o600 });
  writeFileSync(join(folder, `${name}.crt`), `${certificate.toString('pem')}\n`);
  return { certificate, keys };
}

/** Makes a list of the certificates that their signer has revoked, `NAME.crl`. */
export async function listRevoked(
  folder: string,
  name: string,
  signer: Certified,
  revoked: readonly Certified[],
) {
  const list = await X509CrlGenerator.create({
    issuer: signer.certificate.subject,
    nextUpdate: new Date(Date.now() + 2 * dayMs),
    entries: revoked.map(({ certificate: { serialNumber } }) => ({ serialNumber })),
    signingKey: signer.keys.privateKey,
    signingAlgorithm: algorithm,
  });
  writeFileSync(join(folder, `${name}.crl`), `${PemConverter.encode(list.rawData, 'X509 CRL')}\n`);
}

/** Makes a certificate and its key in a folder, `NAME.crt` and `NAME.key`, for this machine. */
export async function makeCertificate(
  folder: string,
  name: string,
): Promise<{ tlsCert: string; tlsKey: string }> {
  await certify(folder, name, { subject: name, at: { type: 'ip', value: '127.0.0.1' } });
  return { tlsCert: join(folder, `${name}.crt`), tlsKey: join(folder, `${name}.key`) };
}
