import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, Wire } from '../../../e2e/client.ts';
import { Plant } from '../../../e2e/plant.ts';
import { ofProcess, processIds } from '../../../e2e/processes.ts';
import { filesUnder, leakIn, tablesOf } from '../../../e2e/secrets/leaks.ts';
import type { Outcome } from '../../../run-program.ts';

describe('nothing that is written holds a secret', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
  });
  afterAll(() => plant.close());

  it('neither logs nor answers, store, journal, audit trail, process list', async () => {
    const secrets: string[] = [];
    const outputs: Outcome[] = [];
    /** Runs a command with a secret on its standard input; its output is searched later. */
    const logged = async (args: string[], input = '') => {
      outputs.push(await plant.hkctl(args, { input }));
      return outputs.at(-1)?.code;
    };
    const core = await plant.createKey('Core', 'operational-core');
    const gateway = await plant.createKey('Gateway', 'sensor-gateway');
    const revoked = await plant.createKey('Revoked', 'operational-core');
    secrets.push(core.secret, gateway.secret, revoked.secret);
    await logged(['keys', 'revoke', revoked.key.id, '--yes']);
    const rotated = (await plant.ok(['keys', 'rotate', gateway.key.id, '--yes'])).stdout.trim();
    secrets.push(rotated);
    await logged([
      'keys',
      'create',
      '--name',
      'In file',
      '--entity',
      'BER',
      '--preset',
      'production-only',
      '--secret-file',
      plant.path('f.key'),
    ]);
    secrets.push(readFileSync(plant.path('f.key'), 'utf8').trim());

    const daemon = await plant.serve({
      HKCTL_LOG_LEVEL: 'debug',
      HKCTL_LIMIT_FAILED_CHECKS: '20/s',
    });
    const answers: string[] = [];
    const ask = async (path: string, options: Parameters<typeof call>[1] = {}) => {
      const { headers, text, status } = await call(`${daemon.url}${path}`, options);
      answers.push(JSON.stringify(headers) + text);
      return status;
    };
    for (const secret of secrets) {
      await ask('/api/v1/me', { secret });
      await ask(`/api/v1/me?api_key=${secret}`, { secret: core.secret });
      await ask(`/api/v1/parts?${secret}=1`, { secret: core.secret });
      await ask(`/api/v1/parts?cursor=${secret}`, { secret: core.secret });
      await ask(`/api/v1/parts/${secret}`, { secret: core.secret });
      await ask(`/${secret}`);
      const escaped = secret.replace('_', '%5F');
      await ask(`/api/v1/parts?key=${escaped}`, { secret: core.secret });
      await ask(`/api/v1/openapi.json?key=${escaped}`);
      await ask(`/api/v1/parts?part_number=${escaped.replace('%', '%25')}`, {
        secret: core.secret,
      });
      await ask(`/api/v1/parts?key=${secret.slice(0, 20)}%${secret.slice(20)}`, {
        secret: core.secret,
      });
      await ask(`/api/v1/${escaped}%zz`, { secret: core.secret });
      await ask(`/api/v1/parts/%ff${escaped}`, { secret: core.secret });
      await ask(`/api/v1/sensors/${secret}/readings`, { secret: core.secret });
      await ask('/api/v1/me', {
        headers: {
          authorization: `Basic ${secret}`,
          cookie: `k=${secret}`,
          'user-agent': secret,
          'x-request-id': secret,
        },
      });
      await ask('/api/v1/me', { secret: secret.slice(0, 40) });
      await ask('/api/v1/me', { secret: `${secret}x` });
      const reading = { sensor: secret, at: secret, value: secret, [secret]: 1 };
      await ask('/api/v1/sensors/readings', { secret: rotated, body: { readings: [reading] } });
      await ask('/api/v1/sensors/readings', { secret: rotated, body: { [secret]: [] } });
      await ask('/api/v1/sensors/readings', { secret: rotated, body: `{"readings": ${secret}` });
      await ask('/api/v1/sensors/readings', {
        secret: rotated,
        body: '{}',
        headers: { 'content-type': secret },
      });
      await ask('/api/v1/sensors/heartbeats', {
        secret: rotated,
        body: { heartbeats: [{ sensor: 'OVEN', firmware: 'v1', status: secret }] },
      });
      // What is no HTTP at all.
      const wire = new Wire(daemon.port);
      wire.write(`GET /${secret} HTTP/1.1\r\nHost: x\r\nbad header ${secret}\r\n\r\n`);
      await wire.closed;
      answers.push(wire.received);
      await logged(['keys', 'verify'], secret);
      await logged(['keys', 'verify', '--json'], `${secret}x`);
      await logged(
        ['import', 'parts', '-', '--format', 'csv', '--entity', 'BER'],
        `id,name,part_number,is_active\n${secret},a,b,${secret}\n`,
      );
      await logged(
        ['import', 'parts', '-', '--format', 'ndjson', '--entity', 'BER'],
        `{"id":"1","${secret}":1}\n${secret}\n`,
      );
    }
    expect(await ask('/metrics')).toBe(200);
    await ask('/api/v1/openapi.json');

    // While the daemon runs: neither its arguments nor its environment name one.
    const processes = processIds().flatMap((pid) => [
      ofProcess(pid, 'cmdline'),
      ofProcess(pid, 'environ'),
    ]);
    expect(processes).toContainEqual(expect.stringContaining('hkctl.js\0serve'));
    await logged(['audit', 'list', '--json']);
    await logged(['audit', 'export']);
    await logged(['keys', 'list', '--all', '--json']);
    const scanned = plant.write('leaked.txt', `x ${core.secret} y`);
    await logged(['keys', 'scan', scanned, '--json']);
    rmSync(scanned);
    await daemon.stop();

    rmSync(plant.path('f.key'));
    const written = new Map<string, string>([
      ['log', daemon.log],
      ['answers', answers.join('\n')],
      ['commands', outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n')],
      ['processes', processes.join('\n')],
      ...filesUnder(plant.folder).map((path) => [path, readFileSync(path, 'latin1')] as const),
      ...(plant.isOnPostgres ? await tablesOf(plant.place) : []),
    ]);
    const ofStore = [...written.keys()].filter(
      (name) => name.endsWith('.db') || name.startsWith('table '),
    );
    expect(ofStore.length).toBeGreaterThanOrEqual(3);
    expect(daemon.log).toContain('"url"');
    for (const [name, text] of written) {
      for (const secret of secrets) expect(leakIn(name, text, secret), name).toBeUndefined();
    }
  });
});
