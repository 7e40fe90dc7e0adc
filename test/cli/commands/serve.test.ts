import { beforeEach, describe, expect, it } from 'vitest';
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
    const { stderr } = await cli.ok('serve --port 0 --trust-proxy 10.0.0.0/8 --limit-requests off --limit-ingest 5/s', {
      env: {
        HKCTL_HOST: '0.0.0.0',
        HKCTL_LIMIT_FAILED_CHECKS: '3/h',
        HKCTL_CORS_ORIGIN: 'https://a.example, https://b.example',
      },
    });
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

  it('refuses a proxy that is not an address or network, naming the flag', async () => {
    for (const given of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/3']) {
      const { code, stderr } = await cli.run(['serve', '--trust-proxy', given]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--trust-proxy: "${given}" is not an address`)]);
    }
  });

  it('needs no profile, but a store', async () => {
    await cli.ok('serve', { osAccount: 'hkctl' });
    expect((await new Cli().run('serve')).code).toBe(6);
  });
});
