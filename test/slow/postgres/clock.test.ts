import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type CreatedKey, type Daemon, Plant } from '../../e2e/plant.ts';
import { until } from '../../e2e/program.ts';
import { addressOf, onServer } from '../../store/postgres/databases.ts';
import { startServer } from '../../store/postgres/server.ts';
import { faketimeLibrary } from '../machine/needs.ts';

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const library = faketimeLibrary();

async function entry(daemon: Daemon, { secret }: CreatedKey): Promise<string> {
  const { response, error } = await daemon.api(secret).GET('/api/v1/me');
  return response.status === 200 ? 'let in' : (error?.code ?? '');
}

describe('the clock of the server', () => {
  it('expires keys for daemons and commands while it is ahead, and none longer than that', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-clock-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o755);
    const file = join(folder, 'clock');
    const set = (seconds: number) =>
      writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`, { mode: 0o644 });
    set(0);
    const server = await startServer([], {
      env: {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    });
    ends.push(server.stop);
    await onServer(server.address, 'create database plant template template0');
    const plant = await Plant.open(undefined, { HKCTL_STORE: addressOf(server.address, 'plant') });
    ends.push(() => plant.close());
    const short = await plant.createKey('One day', 'operational-core', '--expires', '1d');
    const long = await plant.createKey('Never', 'operational-core');
    const daemon = await plant.serve();
    const entries = async () => [await entry(daemon, short), await entry(daemon, long)].join();
    expect(await entries()).toBe('let in,let in');

    set(2 * 86_400);
    await until('the short key is refused', async () => (await entries()) === 'key_expired,let in');
    expect((await plant.hkctl(['keys', 'verify'], { input: short.secret })).code).toBe(5);
    const doctor = await plant.hkctl(['doctor']);
    expect(doctor.stdout).toMatch(
      /The clock of the database is 1728\d\d\.\d s ahead of this machine's/,
    );

    // It was ahead for less than five minutes: nothing stays expired.
    set(0);
    await until('the short key is let in', async () => (await entries()) === 'let in,let in');
    expect((await plant.hkctl(['keys', 'verify'], { input: short.secret })).code).toBe(0);

    // The clock of the daemon's machine alone counts for nothing.
    await plant.importSensors([{ id: 'S', code: 'OVEN', name: 'Oven', unit: null }]);
    await plant.ok(['tenants', 'set', '--retain-readings', '30d']);
    const gateway = await plant.createKey('Gateway', 'sensor-gateway');
    const wrong = await plant.serve({
      LD_PRELOAD: library,
      FAKETIME: '+400d',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    const readings = [10, 20].map((days) => ({
      sensor: 'OVEN',
      at: Date.now() - days * 86_400_000,
      value: days,
    }));
    const sent = await wrong
      .api(gateway.secret)
      .POST('/api/v1/sensors/readings', { body: { readings } });
    expect(sent.data).toMatchObject({ accepted: 2, rejected: [] });
    const since = process.uptime();
    await until(
      'it has checked the retention more than once',
      async () => process.uptime() - since > 12,
    );
    const query = { params: { path: { id: 'S' }, query: {} } };
    const kept = async () =>
      (await wrong.api(long.secret).GET('/api/v1/sensors/{id}/readings', query)).data?.data;
    expect(await kept()).toHaveLength(2);
    expect(await entry(wrong, short)).toBe('let in');
    // Nor does that of the database while it is ahead for less than five minutes.
    set(400 * 86_400);
    const ahead = process.uptime();
    await until(
      'it has checked the retention more than once',
      async () => process.uptime() - ahead > 12,
    );
    expect(await kept()).toHaveLength(2);
    set(0);
    expect((await wrong.stop()).code).toBe(0);

    set(-3600);
    await until('an hour behind', async () =>
      (await plant.hkctl(['doctor'])).stdout.includes('behind this machine'),
    );
    expect(await entries()).toBe('let in,let in');
    expect((await plant.ok(['keys', 'list', '--all'])).stdout).toContain('One day');
    await plant.createKey('Made while it is behind', 'operational-core');
    expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
    expect((await daemon.stop()).code).toBe(0);
  });
});
