import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connect,
  type DetailedPeerCertificate,
  getCiphers,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createFraming } from '../../../src/http/net/framing.ts';
import { requireCertificate } from '../../../src/http/net/tls.ts';
import { until } from '../../e2e/program.ts';
import { outputOf } from '../../run-program.ts';
import { makeCertificate } from '../certificates.ts';
import { type Face, listening } from '../faces.ts';
import { HttpPlant, settings } from '../plant.ts';

let folder: string;
let plant: HttpPlant;
let face: Face & { url: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-tls-'));
  await makeCertificate(folder, 'first');
  await makeCertificate(folder, 'second');
  use('first');
  plant = await HttpPlant.open();
  face = await listening(plant, {
    tlsCert: join(folder, 'in-use.crt'),
    tlsKey: join(folder, 'in-use.key'),
  });
});
afterAll(async () => {
  await face.close();
  await plant.domain.store.close();
  rmSync(folder, { recursive: true });
});

function use(name: string): void {
  for (const end of ['crt', 'key'])
    copyFileSync(join(folder, `${name}.${end}`), join(folder, `in-use.${end}`));
}

function handshake(
  options: { minVersion?: SecureVersion; maxVersion?: SecureVersion; ciphers?: string } = {},
) {
  return new Promise<{ certificate: DetailedPeerCertificate; protocol: string | null }>(
    (resolve, reject) => {
      const { port } = new URL(face.url);
      const socket: TLSSocket = connect(
        { port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, ...options },
        () => {
          resolve({ certificate: socket.getPeerCertificate(true), protocol: socket.getProtocol() });
          socket.destroy();
        },
      );
      socket.on('error', reject);
    },
  );
}

it('answers over TLS, with HSTS', async () => {
  const { secret } = await plant.key();
  const ca = readFileSync(join(folder, 'first.crt'));
  const [status, hsts] = await new Promise<[number | undefined, string | undefined]>(
    (resolve, reject) => {
      const outgoing = request(
        `${face.url}/api/v1/me`,
        { ca, headers: { authorization: `Bearer ${secret}` } },
        (response) => {
          response.resume();
          resolve([response.statusCode, response.headers['strict-transport-security']]);
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    },
  );
  expect([status, hsts]).toEqual([200, 'max-age=31536000']);
});

it('supports TLS 1.3 and 1.2, nothing older, and no old cipher', async () => {
  expect((await handshake()).protocol).toBe('TLSv1.3');
  expect((await handshake({ maxVersion: 'TLSv1.2' })).protocol).toBe('TLSv1.2');
  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    const old = { minVersion: version, maxVersion: version, ciphers: 'ALL@SECLEVEL=0' };
    await expect(handshake(old)).rejects.toThrow();
  }
  await expect(
    handshake({
      maxVersion: 'TLSv1.2',
      ciphers: 'AES128-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384',
    }),
  ).rejects.toThrow();
});

it('offers for TLS 1.2 only ciphers with forward secrecy and authenticated encryption', async () => {
  const offered: string[] = [];
  for (const name of getCiphers().map((cipher) => cipher.toUpperCase())) {
    if (name.startsWith('TLS_')) continue;
    const found = await handshake({ maxVersion: 'TLSv1.2', ciphers: `${name}:@SECLEVEL=0` }).catch(
      () => undefined,
    );
    if (found) offered.push(name);
  }
  expect(offered.sort()).toEqual([
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
  ]);
});

it('loads a new certificate on SIGHUP, and keeps the old one where the new one does not match its key', async () => {
  const subject = async () => (await handshake()).certificate.subject.CN;
  const reload = async () => {
    process.emit('SIGHUP', 'SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  expect(await subject()).toBe('first');
  copyFileSync(join(folder, 'second.crt'), join(folder, 'in-use.crt'));
  await reload();
  expect(await subject()).toBe('first');
  expect(face.log()).toContain('certificate not loaded');
  use('second');
  await reload();
  expect(await subject()).toBe('second');
});

it('refuses to renegotiate an open connection', async () => {
  const { port } = new URL(face.url);
  const refused = await new Promise<Error | null>((resolve) => {
    const socket = connect(
      { port: Number(port), host: '127.0.0.1', rejectUnauthorized: false, maxVersion: 'TLSv1.2' },
      () => {
        socket.renegotiate({ rejectUnauthorized: false }, () => resolve(null));
      },
    );
    socket.once('error', resolve);
    socket.once('close', () => resolve(new Error('closed')));
  });
  expect(refused).toBeInstanceOf(Error);
});

it("answers nothing to a handshake that Node's own timeout ended: such an answer would wait for ever", async () => {
  const [cert, key] = [
    readFileSync(join(folder, 'first.crt')),
    readFileSync(join(folder, 'first.key')),
  ];
  const server = createServer({ cert, key, handshakeTimeout: 100 });
  createFraming(createLog('silent', { write() {} }), { discard() {} }).guard(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const silent = connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true });
  silent.on('error', () => {}).resume();
  const open = () => promisify(server.getConnections.bind(server))();
  await until('it is there', async () => (await open()) === 1);
  await until('it is gone', async () => (await open()) === 0);
  silent.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it('does not wait for the writer of a FIFO in place of a file, and reads no device', () => {
  const fifo = join(folder, 'fifo');
  outputOf('mkfifo', [fifo]);
  const [tlsCert, tlsKey] = [join(folder, 'in-use.crt'), join(folder, 'in-use.key')];
  for (const files of [
    { tlsCert, tlsKey: fifo },
    { tlsCert: fifo, tlsKey },
    { tlsCert: '/dev/zero', tlsKey },
    { tlsCert, tlsKey: folder },
  ]) {
    expect(() => requireCertificate(settings(files))).toThrow('is no plain file');
  }
  const long = join(folder, 'x'.repeat(300));
  expect(() => requireCertificate(settings({ tlsCert: long, tlsKey }))).toThrow(
    `${long} cannot be read: its name is too long`,
  );
  expect(requireCertificate(settings({ tlsCert, tlsKey }))).toMatchObject({ cert: tlsCert });
});
