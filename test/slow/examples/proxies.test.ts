import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { type Running, until } from '../../e2e/program.ts';
import { freePort } from '../e2e/two-accounts.ts';
import { needPrograms } from '../machine/needs.ts';

needPrograms('nginx', 'caddy');
let plant: Plant;
let daemon: Daemon;
let service: Server;
let seen: IncomingHttpHeaders[] = [];
beforeAll(async () => {
  plant = await Plant.open();
  daemon = await plant.serve({ HKCTL_TRUST_PROXY: '127.0.0.1', HKCTL_LIMIT_REQUESTS: '20/m' });
  service = createServer((req, res) => {
    seen.push(req.headers);
    res.end('the service');
  }).listen(0, '127.0.0.1');
});
afterAll(async () => {
  service.close();
  await plant.close();
});

/** An example with the addresses of this test. */
async function written(name: string, port: number): Promise<string> {
  const { port: servicePort } = service.address() as AddressInfo; // of a TCP server
  return (await plant.ok(['examples', name])).stdout
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${servicePort}`)
    .replaceAll('127.0.0.1:8420', `127.0.0.1:${daemon.port}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace(/^service\.example\.com/m, `http://127.0.0.1:${port}`);
}

async function startNginx(port: number): Promise<Running> {
  const folder = plant.path('nginx');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}-${kind};`)
    .join(' ');
  const configuration = plant.write(
    'nginx-all.conf',
    `daemon off; pid ${folder}.pid; error_log stderr; events {}\nhttp { access_log off; ${paths}\n${await written('nginx.conf', port)} }`,
  );
  return plant.attach('nginx', ['-c', configuration]);
}

async function startCaddy(port: number): Promise<Running> {
  const options = '{\n\tadmin off\n\tauto_https off\n}\n';
  const configuration = plant.write('Caddyfile', options + (await written('Caddyfile', port)));
  return plant.attach('caddy', ['run', '--config', configuration, '--adapter', 'caddyfile']);
}

describe.each([
  ['nginx', startNginx],
  ['caddy', startCaddy],
])('%s in front of a service', (program, start) => {
  let proxy: Running;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/any?place=1&x=hkctl`;
    proxy = await start(port);
    await until('it listens', () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    seen = [];
  });
  afterAll(() => proxy.stop());

  const ask = async (secret: string | undefined, headers = {}) => {
    const authorization: Record<string, string> =
      secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    const response = await fetch(url, { headers: { ...authorization, ...headers } });
    return { status: response.status, text: await response.text() };
  };

  it('lets a key in until the very request after it was revoked', async () => {
    const { secret, key } = await plant.createKey(program, 'production-only');
    const forged = {
      'hkctl-entity': 'FORGED',
      'hkctl-permissions': 'all',
      'hkctl-key-prefix': 'x',
      hkctl_entity: 'FORGED',
    };
    for (const headers of [{}, { accept: 'text/html' }, { 'if-none-match': '*' }, forged]) {
      expect(await ask(secret, headers)).toEqual({ status: 200, text: 'the service' });
    }
    for (const headers of seen) {
      expect(headers.authorization).toBeUndefined();
      expect(headers['hkctl-key-prefix']).toBe(key.prefix);
      expect(headers['hkctl-entity']).toBe('BER');
      expect(headers.hkctl_entity).toBeUndefined();
      expect(headers['hkctl-permissions']?.toString().split(' ')).toContain('production_jobs.view');
    }
    await plant.ok(['keys', 'revoke', key.prefix, '--yes']);
    expect((await ask(secret)).status).toBe(401);
  });

  it('lets nobody else in', async () => {
    const before = seen.length;
    expect((await ask(undefined)).status).toBe(401);
    expect((await ask(`hk_${'A'.repeat(49)}`)).status).toBe(401);
    const elsewhere = (
      await plant.ok([
        'keys',
        'create',
        '--name',
        `${program} far`,
        '--entity',
        'BER',
        '--permission',
        'parts.view',
        '--allow-ip',
        '192.0.2.7',
      ])
    ).stdout.trim();
    expect((await ask(elsewhere)).status).toBe(403);
    expect(seen).toHaveLength(before);
  });

  it('answers a key over its limit with 429 or 503', async () => {
    const { secret } = await plant.createKey(`${program} busy`, 'production-only');
    let last = 200;
    for (let count = 0; count < 21; count++) last = (await ask(secret)).status;
    expect(last).toBe(program === 'nginx' ? 503 : 429);
  });
});
