import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReadings, sensors } from '../../e2e/durability/sent-readings.ts';
import { type CreatedKey, type Daemon, Plant } from '../../e2e/plant.ts';
import { pause, until } from '../../e2e/program.ts';
import { startProgram } from '../../run-program.ts';
import { SmallDisk } from './durability/small-disk.ts';

const login = (n: number) => `user${n}`;

describe('whatever stops something, on a full disk', () => {
  let disk: SmallDisk;
  let plant: Plant;
  let made: Plant;
  const keys: CreatedKey[] = [];
  beforeAll(async () => {
    made = await Plant.open();
    await made.importSensors(sensors);
    await made.ok(['entities', 'add', 'CHI', '--name', 'Chicago', '--timezone', 'UTC']);
    for (let n = 0; n < 15; n++) keys.push(await made.createKey(`key ${n}`, 'sensor-gateway'));
    for (let n = 0; n < 3; n++)
      await made.ok(['users', 'add', login(n), '--name', 'U', '--role', 'super_user']);
  });
  afterAll(() => made.close());
  beforeEach(() => {
    disk = new SmallDisk('8m');
    plant = new Plant(disk.folder);
    cpSync(dirname(made.store), dirname(plant.store), { recursive: true });
  });
  afterEach(async () => {
    await plant.end();
    disk.close();
  });

  /** Stops all kinds of things; each must be confirmed, and be enforced by the next request. */
  async function stopEverything(daemon?: Daemon): Promise<void> {
    const [first, second, third, ...rest] = keys;
    if (!first || !second || !third) throw new Error('no keys');
    const expectRefused = async ({ secret }: { secret: string }) => {
      if (daemon) expect(await daemon.statusOf(secret)).toBe(401);
      expect((await plant.hkctl(['keys', 'verify'], { input: secret })).code).toBe(5);
    };
    await plant.ok(['keys', 'revoke', first.key.id, '--yes']);
    await expectRefused(first);
    const next = (await plant.ok(['keys', 'rotate', second.key.id, '--yes'])).stdout.trim();
    await expectRefused(second);
    if (daemon) expect(await daemon.statusOf(next)).toBe(200);
    expect((await plant.hkctl(['keys', 'verify'], { input: next })).code).toBe(0);
    await plant.ok(['users', 'deactivate', login(0), '--yes']);
    await plant.ok(['users', 'set-role', login(1), 'operator']);
    await plant.ok(['entities', 'deactivate', 'CHI', '--yes']);
    for (const { key, secret } of rest) {
      await plant.ok(['keys', 'revoke', key.id, '--yes']);
      if (daemon) expect(await daemon.statusOf(secret)).toBe(401);
    }
    const users = await plant.json<{ login: string; role: string; status: string }[]>([
      'users',
      'list',
    ]);
    const found = users
      .filter(({ login }) => login !== 'admin')
      .map(({ role, status }) => `${role} ${status}`);
    expect(found).toEqual(['super_user inactive', 'operator active', 'super_user active']);
    const sites = await plant.json<{ code: string; status: string }[]>(['entities', 'list']);
    expect(sites.find(({ code }) => code === 'CHI')?.status).toBe('inactive');
    expect((await plant.hkctl(['users', 'activate', login(0)])).code).toBe(6);
    await plant.ok(['audit', 'verify']);
  }

  const reserve = () => statSync(join(disk.folder, 'store', 'hkctl.reserve')).size;

  it('keeps no daemon from starting again after kill -9: it reads, and refuses readings with 503', async () => {
    const { secret } = await plant.createKey('reads', 'operational-core');
    const gateway = keys[0]?.secret ?? '';
    let sent = 0;
    const send = async (daemon: Daemon) => {
      const body = { readings: createReadings('LINE-0', sent, 1) };
      const { response } = await daemon.api(gateway).POST('/api/v1/sensors/readings', { body });
      const { status } = response;
      if (status === 200) sent++;
      return status;
    };
    let daemon = await plant.serve();
    expect(await send(daemon)).toBe(200);
    for (let round = 0; round < 3; round++) {
      await daemon.stop('SIGKILL');
      disk.fill();
      daemon = await plant.serve();
      expect(await daemon.statusOf(secret)).toBe(200);
      expect(await send(daemon)).toBe(503);
      expect((await plant.hkctl(['status'])).stdout).toContain(daemon.url);
      const exported = await plant.ok(['sensors', 'export', '--entity', 'BER']);
      expect(exported.stdout.trim().split('\n')).toHaveLength(1 + sent);
      disk.makeRoom();
      await until('there is room again', async () => (await send(daemon)) === 200);
    }
  });

  it('keeps no daemon from reading sensors that nobody has read before', async () => {
    const { secret } = await plant.createKey('reads', 'operational-core');
    const daemon = await plant.serve();
    disk.fill();
    for (const path of ['sensors', 'sensors/LINE-0/readings']) {
      const response = await fetch(`${daemon.url}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it('works while no daemon runs, and the reserve is whole again once there is room', async () => {
    disk.fill();
    await stopEverything();
    expect(reserve()).toBeLessThan(2 ** 20);
    disk.makeRoom();
    await plant.createKey('after', 'sensor-gateway');
    expect(reserve()).toBe(2 ** 20);
    expect((await plant.hkctl(['doctor'])).stdout).toMatch(/revocations .*None of the \d+ keys/);
  });

  it('works while a daemon serves and gateways post, which are refused until there is room', async () => {
    const daemon = await plant.serve();
    const gateway = await plant.createKey('Gateway', 'sensor-gateway');
    let isPosting = true;
    let sent = 0;
    const statuses = new Set<number>();
    const posting = (async () => {
      for (; isPosting; sent += 500) {
        const body = { readings: createReadings('LINE-0', sent, 500) };
        statuses.add(
          (await daemon.api(gateway.secret).POST('/api/v1/sensors/readings', { body })).response
            .status,
        );
        await pause(10);
      }
    })();
    await until('readings are posted', () => sent > 2000);
    disk.fill(100_000);
    await until('the disk is full', () => statuses.has(503), { timeoutMs: 60_000 });
    await stopEverything(daemon);
    expect(statuses).toEqual(new Set([200, 503]));
    disk.makeRoom();
    statuses.clear();
    await until('readings are taken again', () => statuses.has(200), { timeoutMs: 30_000 });
    isPosting = false;
    await posting;
    expect((await daemon.stop()).code).toBe(0);
  });

  it('works while another program takes whatever is freed, as soon as that pauses for a moment', async () => {
    const daemon = await plant.serve();
    disk.fill();
    const file = join(disk.folder, 'log of another program');
    const greedy = startProgram(
      'sh',
      ['-c', `while :; do echo 'some line of a log' >> "$0" 2> /dev/null; sleep 0.01; done`, file],
      {},
    );
    try {
      await stopEverything(daemon);
    } finally {
      greedy.kill('SIGKILL');
      await pause(50);
    }
    if (existsSync(file)) rmSync(file);
  });
});
