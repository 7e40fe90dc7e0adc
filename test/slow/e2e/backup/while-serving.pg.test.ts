import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, keptAlive } from '../../../e2e/client.ts';
import { Plant } from '../../../e2e/plant.ts';
import { cli } from '../../../e2e/program.ts';
import { needStrace } from '../../machine/needs.ts';

needStrace();
const sensors = [{ id: 'S-1', code: 'SENSOR-1', name: 'One', unit: 'Cel' }];

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

describe('a backup beside a daemon that takes readings', () => {
  it('holds all that was answered before it began, and the daemon goes on', async () => {
    await plant.importSensors(sensors);
    const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
    const daemon = await plant.serve();
    const agent = keptAlive();
    let answered = 0;
    let isOn = true;
    const post = async () => {
      while (isOn) {
        const at = new Date(1_760_000_000_000 + answered * 1000).toISOString();
        const body = { readings: [{ sensor: 'SENSOR-1', at, value: answered }] };
        const answer = await call(`${daemon.url}/api/v1/sensors/readings`, { secret, agent, body });
        expect(answer.json()).toMatchObject({ accepted: 1 });
        answered++;
      }
    };
    const posting = post();
    while (answered < 50) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = answered;
    const file = plant.path('plant.backup');
    await plant.ok(['backup', file]);
    const during = answered - before;
    isOn = false;
    await posting;
    agent.destroy();
    expect(during).toBeGreaterThan(0);
    expect((await plant.hkctl(['restore', file, '--yes'])).code).toBe(5);
    expect((await daemon.stop('SIGTERM')).code).toBe(0);

    await plant.ok(['restore', file, '--yes']);
    const readings = await plant.ok(
      'sensors export SENSOR-1 --entity BER --format ndjson'.split(' '),
    );
    const kept = readings.stdout.trim().split('\n').length;
    expect(kept).toBeGreaterThanOrEqual(before);
    expect(kept).toBeLessThanOrEqual(answered);
    await plant.ok(['audit', 'verify']);
  });
});

describe('a backup that is cut off', () => {
  it('before it is whole leaves nothing under its name', async () => {
    const file = plant.path('plant.backup');
    const inject = ['-qq', '-o', '/dev/null', '-e', 'inject=rename:signal=KILL:when=1'];
    const traced = plant.attach('strace', [...inject, process.execPath, cli, 'backup', file]);
    expect((await traced.ended).signal).toBe('SIGKILL');
    expect(existsSync(file)).toBe(false);
    await plant.ok(['backup', file]);
  });

  it('by a disk that fails says so (exit 6), and leaves nothing under its name', async () => {
    const file = plant.path('plant.backup');
    const inject = ['-qq', '-o', '/dev/null', '-e', 'inject=rename:error=EIO:when=1'];
    const { code, stderr } = await plant.attach('strace', [
      ...inject,
      process.execPath,
      cli,
      'backup',
      file,
    ]).ended;
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/^error: The disk of .* fails \(EIO\)\.\nhint: Look for disk errors/),
    ]);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.backup'))).toEqual([]);
  });
});
