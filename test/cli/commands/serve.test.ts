import { beforeEach, describe, expect, it } from 'vitest';
import { HkctlError } from '../../../src/core/errors.ts';
import type { ServeSettings } from '../../../src/core/operations/settings.ts';
import { Cli } from '../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

describe('serve', () => {
  it('runs with the flags, the variables and the defaults of the contract', async () => {
    let seen: ServeSettings | undefined;
    cli.services.serve = async (_domain, settings, hooks) => {
      seen = settings;
      hooks.listening('http://127.0.0.1:9000');
    };
    const { stderr } = await cli.ok(
      'serve --port 0 --trust-proxy 10.0.0.0/8 --limit-requests off --limit-ingest 5/s',
      {
        env: {
          HKCTL_HOST: '0.0.0.0',
          HKCTL_LIMIT_FAILED_CHECKS: '3/h',
          HKCTL_CORS_ORIGIN: 'https://a.example, https://b.example',
        },
      },
    );
    expect(stderr).toBe('hkctl serves http://127.0.0.1:9000\n');
    expect(seen).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      trustProxy: ['10.0.0.0/8'],
      corsOrigin: ['https://a.example', 'https://b.example'],
      limitRequests: null,
      limitIngest: { requests: 5, windowSeconds: 1 },
      limitFailedChecks: { requests: 3, windowSeconds: 3600 },
      logLevel: 'info',
      metricsPublic: false,
    });
  });

  it('on a terminal shows what a newcomer looks for, and waits for the first call', async () => {
    await cli.key('Gateway');
    let announces: boolean | undefined;
    cli.services.serve = async (_domain, _settings, hooks) => {
      announces = hooks.announcesCalls;
      hooks.listening('http://127.0.0.1:9000');
    };
    const { stderr } = await cli.ok('serve', { terminal: { columns: 200, rows: 24 } });
    expect(stderr.split('\n')).toEqual([
      'hkctl serves http://127.0.0.1:9000',
      '  version    0.0.0-test',
      `  store      ${cli.place}`,
      '  documents  http://127.0.0.1:9000/api/v1/docs',
      '  keys       1 active',
      'Waiting for the first call.',
      '',
    ]);
    expect(announces).toBe(true);
    await cli.ok('serve --json', { terminal: { columns: 200, rows: 24 } });
    expect(announces).toBe(false);
    const none = await new Cli().seed();
    none.services.serve = cli.services.serve;
    expect((await none.ok('serve', { terminal: { columns: 200, rows: 24 } })).stderr).toContain(
      'keys       none yet: hkctl keys create\n',
    );
  });

  it('says by whom a store is served already', async () => {
    const store = await (await cli.services.engine(cli.place)).open();
    await store.daemon.recordAddress('http://127.0.0.1:8420', 4711, '0.1.0');
    try {
      const { stderr } = await cli.ok('serve --port 0');
      const other = /the daemon at http:\/\/127\.0\.0\.1:8420 \(process 4711\), since 20\S+Z/;
      expect(stderr).toMatch(
        new RegExp(`^note: this store is also served by ${other.source}\n`, 'm'),
      );
      cli.services.serve = async () => {
        const cause = Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
        throw new HkctlError('bad_input', 'Cannot listen on 127.0.0.1 port 8420.', { cause });
      };
      const refused = await cli.run('serve');
      const sentence = `^error: This store is already served by ${other.source}\\. Cannot listen on 127`;
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(sentence)]);
    } finally {
      await store.close();
    }
    expect((await cli.run('serve')).stderr).toMatch(/^error: Cannot listen on/);
  });

  it('refuses a proxy that is not an address or network, naming the flag', async () => {
    for (const given of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/3']) {
      const { code, stderr } = await cli.run(['serve', '--trust-proxy', given]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`--trust-proxy: "${given}" is not an address`),
      ]);
    }
  });

  it.each([
    ['https://x/', 'Did you mean https://x?'],
    ['https://X.example', 'Did you mean https://x.example?'],
    ['HTTPS://x', 'Did you mean https://x?'],
    ['https://x:443', 'Did you mean https://x?'],
    ['http://x:80', 'Did you mean http://x?'],
    ['https://x/app', 'Did you mean https://x?'],
    ['https://x?a', 'Did you mean https://x?'],
    ['https://ada@x', 'Did you mean https://x?'],
    ['https://münchen.example', 'Did you mean https://xn--mnchen-3ya.example?'],
    ['https://a,https://b', 'Give the flag once for each origin.'],
    ['https://a https://b', 'Give the flag once for each origin.'],
    ['https://a;https://b', 'Give the flag once for each origin.'],
    ['https://*', null],
    ['https://*.plant.example', null],
    ['https://a..b', null],
    ['*', null],
    ['null', null],
    ['x', null],
    ['x.example:3000', null],
    ['https:x', 'Did you mean https://x?'],
    ['https://x:99999', null],
    ['file:///app', null],
  ])('refuses an origin that no browser sends: %s', async (origin, hint) => {
    const { code, error } = await cli.run(['serve', '--json', '--cors-origin', origin]);
    expect([code, error().hint]).toEqual([2, hint]);
    expect(error().message).toContain(`--cors-origin: "${origin}" is not an origin: give http`);
  });

  it.each([
    ['--host', ['http://0.0.0.0', '0.0.0.0:80', '*', '1.2.3', '256.0.0.1', 'a b', '[x]', 'a..b']],
    ['--port', ['http', '-1', '65536', '80.0', '0x50', '80 ', 'tcp://10.0.0.1:80']],
    ['--base-url', ['api.example.com', 'ftp://a', 'https://', 'https://a?b', 'https://a#b']],
    ['--trust-proxy', ['*', '10.0.0.0/33', '10.0.0.1,10.0.0.2', 'localhost', '010.0.0.1']],
    ['--limit-failed-checks', ['20', '0/m', '20/d', '-1/s', '1.5/s', 'none']],
    ['--limit-requests', ['20', '0/m', '20/min', '1e3/s', 'OFF']],
    ['--limit-ingest', ['20', '/m', '20/', '9999999999/s', 'unlimited']],
    ['--log-level', ['verbose', 'INFO', 'warning', '3']],
  ])('refuses what %s cannot be when it reads it', async (flag, values) => {
    const variable = `HKCTL_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`;
    for (const value of values) {
      const given = await new Cli().run(['serve', '--json', flag, value]);
      expect([given.code, given.error().message]).toEqual([
        2,
        expect.stringContaining(`${flag}: "${value}" is`),
      ]);
      if (value.includes(',') || value.includes('://')) continue;
      const set = await new Cli().run('serve --json', { env: { [variable]: value } });
      expect([set.code, set.error().message]).toEqual([
        2,
        expect.stringContaining(`${variable}: "${value}" is`),
      ]);
    }
  });

  it.each([
    'localhost',
    '::',
    '[::1]',
    '0.0.0.0',
    'fe80::1%eth0',
    'plant-7.example.com',
    'plant_7',
  ])('takes the host %s', async (host) => {
    let seen: string | undefined;
    cli.services.serve = async (_domain, settings) => {
      seen = settings.host;
    };
    await cli.ok(['serve', '--host', host]);
    expect(seen).toBe(host.replace(/^\[|\]$/g, ''));
  });

  it.each(['tcp://10.0.0.1:80', 'udp://10.0.0.1:8420', 'tcp://[fd00::1]:80'])(
    'ignores HKCTL_PORT=%s of Kubernetes with one warning',
    async (link) => {
      let port: number | undefined;
      cli.services.serve = async (_domain, settings) => {
        port = settings.port;
      };
      const env = {
        HKCTL_PORT: link,
        HKCTL_SERVICE_HOST: '10.0.0.1',
        HKCTL_SERVICE_PORT: '80',
        HKCTL_PORT_80_TCP: link,
        HKCTL_PORT_80_TCP_ADDR: '10.0.0.1',
      };
      const { stderr } = await cli.ok('serve', { env });
      expect(port).toBe(8420);
      expect(stderr).toMatch(/^warning: HKCTL_PORT is ignored: .*Kubernetes.*\n$/);
      expect((await cli.ok('serve --port 9000', { env })).stderr).toBe('');
      expect((await cli.ok('permissions list', { env })).stderr).toBe('');
    },
  );

  it('needs no profile, but a store', async () => {
    await cli.ok('serve', { osAccount: 'hkctl' });
    expect((await new Cli().run('serve')).code).toBe(6);
  });
});
