import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/connection/driver.ts';
import { keptAlive, readReadings } from './client.ts';
import { type Daemon, Plant, type SensorRow } from './plant.ts';
import { pause, until } from './program.ts';

const sensors: SensorRow[] = Array.from({ length: 8 }, (_, index) => ({
  id: `S-${index}`,
  code: `LINE-${index}`,
  name: `Line ${index}`,
  unit: null,
}));

interface ReadingOut {
  sensor: string;
  at: string;
  value: number;
}

/** Readings of one sensor, a microsecond apart, no two the same. */
function createReadings(sensor: string, first: number, count: number): ReadingOut[] {
  return Array.from({ length: count }, (_, index) => {
    const us = first + index;
    const second = new Date(1_760_000_000_000 + Math.floor(us / 1e6) * 1000).toISOString().slice(0, 19);
    return { sensor, at: `${second}.${String(us % 1e6).padStart(6, '0')}Z`, value: us };
  });
}

/** Posts batches on one connection as quickly as they are answered, until the daemon is killed. */
async function ingest(
  daemon: Daemon,
  secret: string,
  sensor: string,
  from: number,
  answered: ReadingOut[],
): Promise<void> {
  const agent = keptAlive();
  const api = daemon.api(secret, { agent });
  for (let first = from; ; first += 40) {
    const batch = createReadings(sensor, first, 40);
    try {
      const { data } = await api.POST('/api/v1/sensors/readings', { body: { readings: batch } });
      expect(data).toEqual({ accepted: 40, duplicates: 0, rejected: [] });
    } catch (thrown) {
      if (daemon.hasEnded || daemon.child.killed) break;
      throw thrown;
    }
    answered.push(...batch);
  }
  agent.destroy();
}

async function readingsOf(daemon: Daemon, secret: string, sensor: string): Promise<ReadingOut[]> {
  const kept = await readReadings(daemon.url, secret, sensor, 10_000);
  return kept.map(({ at, value }) => ({ sensor, at, value }));
}

describe('what was answered is on disk', () => {
  let plant: Plant;
  let gateway: string;
  let reader: string;

  beforeEach(async () => {
    plant = await Plant.open();
    await plant.importSensors(sensors);
    gateway = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
    reader = (await plant.createKey('Reader', 'operational-core')).secret;
  });
  afterEach(() => plant.close());

  it('survives kill -9 during heavy ingest from eight connections, twice', async () => {
    const answered = new Map<string, Map<string, number>>(sensors.map(({ code }) => [code, new Map()]));
    for (let round = 0; round < 2; round++) {
      const daemon = await plant.serve();
      // Each round has sensors of its own, so that none of its readings is a duplicate of the one before.
      const codes = sensors.slice(round * 4, round * 4 + 4).map(({ code }) => code);
      const lanes = codes.flatMap((code) =>
        [0, 50_000_000].map((from) => ({ code, from, answered: [] as ReadingOut[] })),
      );
      const senders = lanes.map((lane) => ingest(daemon, gateway, lane.code, lane.from, lane.answered));
      await until('each connection is busy', () => lanes.every((lane) => lane.answered.length >= 600));
      // Once in the middle of it all, and once while another process holds the file: what is answered then could not have
      // been kept.
      const holder = openDatabase(plant.store.replace(/\.db$/, '.readings.db'), { timeout: 5000, fileMustExist: true });
      if (round === 1) {
        holder.exec('begin immediate');
        await pause(200);
      }
      await daemon.kill9();
      holder.close();
      await Promise.all(senders);
      for (const { sensor, at, value } of lanes.flatMap((lane) => lane.answered)) answered.get(sensor)?.set(at, value);
    }
    const daemon = await plant.serve();
    for (const [sensor, sent] of answered) {
      expect(sent.size).toBeGreaterThanOrEqual(1200);
      const kept = new Map((await readingsOf(daemon, reader, sensor)).map(({ at, value }) => [at, value]));
      const lost = [...sent].filter(([at, value]) => kept.get(at) !== value);
      expect(lost).toEqual([]);
      // Beyond that there may be the batch of each connection that was committed and not answered any more.
      expect(kept.size - sent.size).toBeLessThanOrEqual(2 * 40);
      expect((kept.size - sent.size) % 40).toBe(0);
    }
    await plant.ok(['audit', 'verify']);
  });

  const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
  it.skipIf(!canTrace)('is synced before it is answered', async () => {
    const daemon = await plant.serve();
    const trace = plant.path('trace');
    const tracer = plant.attach('strace', [
      '-f',
      '-y',
      '-e',
      'trace=fsync,fdatasync,write,writev',
      '-o',
      trace,
      '-p',
      String(daemon.child.pid),
    ]);
    await tracer.says(/attached/);
    const agent = keptAlive();
    const api = daemon.api(gateway, { agent });
    for (let index = 0; index < 5; index++) {
      const body = { readings: createReadings('LINE-0', index * 10, 10) };
      expect((await api.POST('/api/v1/sensors/readings', { body })).response.status).toBe(200);
    }
    agent.destroy();
    await tracer.stop('SIGINT');
    // In the order of the kernel: S for a sync of the readings' log, A for an answer to the socket.
    const order = readFileSync(trace, 'utf8')
      .split('\n')
      .map((line) => {
        if (/f(data)?sync\(\d+<[^>]*readings\.db-wal>/.test(line)) return 'S';
        return /writev?\(\d+<(socket|TCP)[^>]*>.*HTTP\/1\.1 200/.test(line) ? 'A' : '';
      })
      .join('');
    expect(order.replaceAll(/S+/g, 'S')).toMatch(/^(SA){5}S?$/);
  });
});

const canMount = (() => {
  const plant = new Plant();
  const at = plant.path('probe');
  mkdirSync(at);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', at]).status === 0;
  if (mounted) spawnSync('umount', [at]);
  rmSync(plant.folder, { recursive: true });
  return mounted;
})();

// Only root may mount a small disk.
describe.skipIf(!canMount)('a full disk', () => {
  let plant: Plant;
  let disk: string;
  const ballast = () => join(disk, 'ballast');

  beforeEach(() => {
    plant = new Plant();
    disk = plant.path('disk');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]).status).toBe(0);
  });
  afterEach(async () => {
    await plant.end();
    spawnSync('umount', ['-l', disk]);
    await plant.close();
  });

  /** Leaves so many bytes of the disk free, or none. */
  const fill = (leaving = 0) => {
    const free = () => Number(spawnSync('stat', ['-f', '-c', '%a', disk]).stdout.toString());
    const pages = free() - Math.ceil(leaving / 4096);
    writeFileSync(ballast(), Buffer.alloc(Math.max(0, pages) * 4096));
    if (leaving === 0) expect(free()).toBe(0);
  };
  const makeRoom = () => rmSync(ballast());

  it('is 503 with Retry-After during ingest, loses nothing that was answered, and passes', async () => {
    const onDisk = await Plant.open(disk);
    try {
      await onDisk.importSensors(sensors);
      const gateway = await onDisk.createKey('Gateway', 'sensor-gateway');
      const reader = await onDisk.createKey('Reader', 'operational-core');
      const daemon = await onDisk.serve();
      const post = (first: number) =>
        daemon.api(gateway.secret).POST('/api/v1/sensors/readings', {
          body: { readings: createReadings('LINE-0', first, 2000) },
        });
      expect((await post(0)).response.status).toBe(200);
      fill(300_000);
      let answered = 2000;
      let refused: Awaited<ReturnType<typeof post>> | undefined;
      while (refused === undefined) {
        const answer = await post(answered);
        if (answer.response.status === 200) answered += 2000;
        else refused = answer;
      }
      expect(refused.response.status).toBe(503);
      expect(refused.error).toMatchObject({ code: 'unavailable', status: 503 });
      expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await post(answered)).response.status).toBe(503);
      // A client that only reads does not notice.
      expect(await daemon.statusOf(reader.secret)).toBe(200);
      expect(await readingsOf(daemon, reader.secret, 'LINE-0')).toEqual(createReadings('LINE-0', 0, answered));

      makeRoom();
      await until('ingest works again', async () => (await post(answered)).response.status === 200);
      answered += 2000;
      expect(await readingsOf(daemon, reader.secret, 'LINE-0')).toEqual(createReadings('LINE-0', 0, answered));
      expect((await daemon.stop()).code).toBe(0);
    } finally {
      await onDisk.end();
    }
  });

  it('under the store makes no key and revokes none (exit 6), and both work again', async () => {
    const onDisk = await Plant.open(disk);
    try {
      const { key, secret } = await onDisk.createKey('Gateway', 'sensor-gateway');
      // Beside a daemon all files are open already, so that a command gets further before it meets the end of the disk.
      const daemon = await onDisk.serve();
      // The journal of revocations ends shortly before a page does: the next line fits in half.
      const journalFile = join(disk, 'store', 'hkctl.revocations');
      const line = `2026-01-01T00:00:00.000Z revoked ${key.id.replaceAll(/\w/g, '0')} hk_00000 ${'0'.repeat(43)}\n`;
      writeFileSync(journalFile, line.repeat(Math.floor(4096 / line.length)), { mode: 0o600 });
      fill();
      const file = plant.path('new.key');
      const create = ['keys', 'create', '--name', 'New', '--entity', 'BER', '--preset', 'sensor-gateway'];
      const created = await onDisk.hkctl([...create, '--secret-file', file]);
      const revoked = await onDisk.hkctl(['keys', 'revoke', key.id, '--yes', '--json']);
      const rotated = await onDisk.hkctl(['keys', 'rotate', key.id, '--yes']);
      expect([created.code, revoked.code, rotated.code], created.stderr + revoked.stderr + rotated.stderr).toEqual([
        6, 6, 6,
      ]);
      expect(created.stderr).toMatch(/full/);
      expect(JSON.parse(revoked.stderr).error.code).toBe('store_full');
      expect(existsSync(file)).toBe(false);
      // A rotation delivers before it commits: what was printed opens nothing.
      const printed = rotated.stdout.trim();

      makeRoom();
      expect((await onDisk.json<unknown[]>(['keys', 'list', '--all'])).length).toBe(1);
      expect((await onDisk.hkctl(['keys', 'verify'], { input: secret })).code).toBe(0);
      expect(printed).toMatch(/^hk_\w{49}$/);
      expect((await onDisk.hkctl(['keys', 'verify'], { input: printed })).code).toBe(3);
      await onDisk.ok([...create, '--secret-file', file]);
      await onDisk.ok(['keys', 'revoke', key.id, '--yes']);
      expect((await onDisk.key(key.id)).status).toBe('Revoked');
      // The journal beside the store is made of whole lines.
      const journal = readFileSync(journalFile, 'utf8');
      for (const line of journal.trim().split('\n'))
        expect(line).toMatch(/^\S+Z (revoked|withdrawn) [0-9a-f-]{36} hk_\w{5} \S{43}$/);
      expect(journal.trim().split('\n').at(-1)).toContain(` revoked ${key.id} `);
      await onDisk.ok(['audit', 'verify']);
      expect(await daemon.statusOf(secret)).toBe(401);
    } finally {
      await onDisk.end();
    }
  });

  it('leaves no half of a store behind', async () => {
    const onDisk = new Plant(disk);
    const init = ['init', '--org', 'Acme', '--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'Europe/Berlin'];
    fill(200_000);
    const refused = await onDisk.hkctl([...init, '--admin', 'admin']);
    expect(refused.code, refused.stderr).toBe(6);
    // A file may be left, but nobody takes it for a store, and the next attempt begins in it.
    const sampled = await onDisk.hkctl(['entities', 'list', '--json']);
    expect([sampled.code, JSON.parse(sampled.stderr).error.code]).toEqual([6, 'store_absent']);
    makeRoom();
    await onDisk.ok([...init, '--admin', 'admin']);
    await onDisk.end();
  });

  it('under the secret file commits nothing: no new key, and the old one goes on', async () => {
    const elsewhere = await Plant.open(plant.path('elsewhere'));
    const { key, secret } = await elsewhere.createKey('Gateway', 'sensor-gateway');
    const held = join(disk, 'held.key');
    writeFileSync(held, `${secret}\n`, { mode: 0o600 });
    fill();
    const file = join(disk, 'new.key');
    const created = await elsewhere.hkctl([
      'keys',
      'create',
      '--name',
      'New',
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--secret-file',
      file,
    ]);
    const rotated = await elsewhere.hkctl(['keys', 'rotate', key.id, '--yes', '--secret-file', held]);
    for (const { code, stderr } of [created, rotated]) {
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/disk is full/);
    }
    expect(readdirSync(disk).sort()).toEqual(['ballast', 'held.key']);
    expect(readFileSync(held, 'utf8')).toBe(`${secret}\n`);
    const all = await elsewhere.json<{ id: string; status: string }[]>(['keys', 'list', '--all']);
    expect(all.map(({ id, status }) => ({ id, status }))).toEqual([{ id: key.id, status: 'Active' }]);

    makeRoom();
    await elsewhere.ok(['keys', 'rotate', key.id, '--yes', '--secret-file', held]);
    expect(readdirSync(disk)).toEqual(['held.key']);
    expect(statSync(held).mode & 0o777).toBe(0o600);
    const next = readFileSync(held, 'utf8').trim();
    expect((await elsewhere.hkctl(['keys', 'verify'], { input: next })).code).toBe(0);
    expect((await elsewhere.hkctl(['keys', 'verify'], { input: secret })).code).toBe(5);
  });
});
