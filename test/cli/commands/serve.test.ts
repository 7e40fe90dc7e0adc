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

  it('needs no profile, but a store', async () => {
    await cli.ok('serve', { osAccount: 'hkctl' });
    expect((await new Cli().run('serve')).code).toBe(6);
  });
});
