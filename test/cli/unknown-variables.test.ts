import { beforeAll, expect, it } from 'vitest';
import { Cli } from './harness.ts';

let cli: Cli;
beforeAll(async () => {
  cli = await new Cli().seed();
});

it('a command that writes warns of a variable that no flag has, and names the nearest one', async () => {
  for (const line of ['entities set BER --name Berlin', 'serve']) {
    const { stderr } = await cli.ok(line, {
      env: { HKCTL_PROT: '80', HKCTL_LIMIT_REQUEST: '5/s', HKCTL_QQQQQQQQ: 'x' },
    });
    for (const sentence of [
      'HKCTL_PROT is ignored: no flag has this variable. Did you mean HKCTL_PORT?',
      'HKCTL_LIMIT_REQUEST is ignored: no flag has this variable. Did you mean HKCTL_LIMIT_REQUESTS?',
      'HKCTL_QQQQQQQQ is ignored: no flag has this variable.\n',
    ])
      expect(stderr, line).toContain(`warning: ${sentence}`);
  }
});

it('variables of other commands, of hkctl itself and of Kubernetes are no reason to warn, nor empty ones', async () => {
  const { stderr } = await cli.ok('entities set BER --name Berlin', {
    env: {
      HKCTL_PORT: '80',
      HKCTL_KEY_NAME: 'Oven',
      HKCTL_SERVICE_HOST: '10.0.0.1',
      HKCTL_PORT_8420_TCP_ADDR: '10.0.0.1',
      HKCTL_PROT: '',
    },
  });
  expect(stderr).toBe('');
});

it('warnings stand on standard error with --json and --quiet, too, and standard output has the JSON alone', async () => {
  const env = { HKCTL_PROT: '80' };
  const line =
    'keys create --name Gate --entity BER --preset sensor-gateway --expires never --json --quiet';
  const first = await cli.ok(line, { env });
  expect(JSON.parse(first.stdout)).toMatchObject({ key: { name: 'Gate' } });
  expect(first.stderr).toMatch(/^warning: HKCTL_PROT is ignored.*\n$/);
  expect((await cli.ok(line)).stderr).toContain('Another active key has this name');
});

it('warnings before an error are a part of its document with --json', async () => {
  const { stderr, code } = await cli.run('keys revoke none --yes --json', {
    env: { HKCTL_PROT: '80' },
  });
  expect(code).toBe(3);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'not_found', warnings: [expect.stringContaining('HKCTL_PROT is ignored')] },
  });
});

it('a command that only reads says nothing of them', async () => {
  const { stderr } = await cli.ok('keys list', { env: { HKCTL_PROT: '80' } });
  expect(stderr).not.toContain('HKCTL_PROT');
});

it('serve warns that a socket unit decides in place of an address and a port', async () => {
  const socket = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1' };
  const env = { ...socket, HKCTL_PORT: '9000', HKCTL_HOST: '::1' };
  const { stderr } = await cli.ok('serve', { env });
  expect(stderr).toContain('warning: --host (HKCTL_HOST) is ignored');
  expect(stderr).toContain('warning: --port (HKCTL_PORT) is ignored');
  expect((await cli.ok('serve', { env: socket })).stderr).not.toContain('is ignored');
});
