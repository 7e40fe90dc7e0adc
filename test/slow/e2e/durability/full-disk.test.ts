import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReadings, readingsOf, sensors } from '../../../e2e/durability/sent-readings.ts';
import { Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { SmallDisk } from './small-disk.ts';

describe('a full disk', () => {
  let plant: Plant;
  let small: SmallDisk;
  let disk: string;

  beforeEach(() => {
    plant = new Plant();
    small = new SmallDisk();
    disk = small.folder;
  });
  afterEach(async () => {
    await plant.end();
    small.close();
    await plant.close();
  });

  const fill = (leaving?: number) => small.fill(leaving);
  const makeRoom = () => small.makeRoom();

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
      expect(await readingsOf(daemon, reader.secret, 'LINE-0')).toEqual(
        createReadings('LINE-0', 0, answered),
      );

      makeRoom();
      await until('ingest works again', async () => (await post(answered)).response.status === 200);
      answered += 2000;
      expect(await readingsOf(daemon, reader.secret, 'LINE-0')).toEqual(
        createReadings('LINE-0', 0, answered),
      );
      expect((await daemon.stop()).code).toBe(0);
    } finally {
      await onDisk.end();
    }
  });

  it('under the store makes no key (exit 6), but rotates and revokes', async () => {
    const onDisk = await Plant.open(disk);
    try {
      const { key, secret } = await onDisk.createKey('Gateway', 'sensor-gateway');
      // Beside a daemon all files are open already, so that a command gets further before it meets the end of the disk.
      const daemon = await onDisk.serve();
      // The revocation journal ends shortly before a page does: the next line fits in half.
      const journalFile = join(disk, 'store', 'hkctl.revocations');
      const line = `2026-01-01T00:00:00.000Z revoked ${key.id.replaceAll(/\w/g, '0')} hk_00000 ${'0'.repeat(43)}\n`;
      writeFileSync(journalFile, line.repeat(Math.floor(4096 / line.length)), { mode: 0o600 });
      fill();
      const file = plant.path('new.key');
      const create = [
        'keys',
        'create',
        '--name',
        'New',
        '--entity',
        'BER',
        '--preset',
        'sensor-gateway',
      ];
      const created = await onDisk.hkctl([...create, '--secret-file', file, '--json']);
      expect([created.code, JSON.parse(created.stderr).error.code, existsSync(file)]).toEqual([
        6,
        'store_full',
        false,
      ]);

      const next = (await onDisk.ok(['keys', 'rotate', key.id, '--yes'])).stdout.trim();
      expect([await daemon.statusOf(secret), await daemon.statusOf(next)]).toEqual([401, 200]);
      await onDisk.ok(['keys', 'revoke', next.slice(0, 8), '--yes']);
      expect(await daemon.statusOf(next)).toBe(401);
      expect((await onDisk.hkctl(create)).code).toBe(6);

      makeRoom();
      await onDisk.ok([...create, '--secret-file', file]);
      // The journal beside the store is made of whole lines.
      const journal = readFileSync(journalFile, 'utf8');
      for (const line of journal.trim().split('\n'))
        expect(line).toMatch(/^\S+Z (revoked|withdrawn) [0-9a-f-]{36} hk_\w{5} \S{43}$/);
      expect(journal.trim().split('\n').at(-1)).toContain(` ${next.slice(0, 8)} `);
      await onDisk.ok(['audit', 'verify']);
    } finally {
      await onDisk.end();
    }
  });

  it('ends an import of readings, which keeps what it has stored, and neither it nor the trail denies that', async () => {
    const onDisk = await Plant.open(disk);
    try {
      await onDisk.importSensors(sensors);
      const rows = Array.from(
        { length: 100_000 },
        (_, n) => `LINE-0,${1_700_000_000_000 + n * 1000},${Math.random()}`,
      );
      const input = ['sensor,at,value', ...rows].join('\n');
      const importing = ['import', 'readings', '-', '--format', 'csv', '--entity', 'BER', '--json'];
      fill(700_000);
      const ended = await onDisk.hkctl(importing, { input });
      expect([ended.code, ended.stderr]).toEqual([
        6,
        expect.stringContaining('; this change was not made.'),
      ]);
      makeRoom();
      const trail = await onDisk.json<unknown[]>(['audit', 'list', '--action', 'readings.import']);
      expect(trail.at(-1)).toMatchObject({ outcome: 'done', detail: { begins: true } });
      const { accepted, duplicates } = await onDisk.json<Record<string, number>>(importing, {
        input,
      });
      expect(duplicates).toBeGreaterThan(0);
      expect(Number(accepted) + Number(duplicates)).toBe(rows.length);
    } finally {
      await onDisk.end();
    }
  });

  it('leaves no half of a store behind', async () => {
    const onDisk = new Plant(disk);
    const init = [
      'init',
      '--org',
      'Acme',
      '--entity',
      'BER',
      '--entity-name',
      'Berlin',
      '--timezone',
      'Europe/Berlin',
    ];
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
    const rotated = await elsewhere.hkctl([
      'keys',
      'rotate',
      key.id,
      '--yes',
      '--secret-file',
      held,
    ]);
    for (const { code, stderr } of [created, rotated]) {
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/disk is full/);
    }
    expect(readdirSync(disk).sort()).toEqual(['ballast', 'held.key']);
    expect(readFileSync(held, 'utf8')).toBe(`${secret}\n`);
    const all = await elsewhere.json<{ id: string; status: string }[]>(['keys', 'list', '--all']);
    expect(all.map(({ id, status }) => ({ id, status }))).toEqual([
      { id: key.id, status: 'Active' },
    ]);

    makeRoom();
    await elsewhere.ok(['keys', 'rotate', key.id, '--yes', '--secret-file', held]);
    expect(readdirSync(disk)).toEqual(['held.key']);
    expect(statSync(held).mode & 0o777).toBe(0o600);
    const next = readFileSync(held, 'utf8').trim();
    expect((await elsewhere.hkctl(['keys', 'verify'], { input: next })).code).toBe(0);
    expect((await elsewhere.hkctl(['keys', 'verify'], { input: secret })).code).toBe(5);
  });
});
