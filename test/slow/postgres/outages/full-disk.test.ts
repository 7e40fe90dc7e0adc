import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { runProgram } from '../../../run-program.ts';
import { addressOf, onServer } from '../../../store/postgres/databases.ts';
import { startServer } from '../../../store/postgres/server.ts';
import { needWorking } from '../../machine/needs.ts';
import { GatewayLoad, prepare, wrong } from './gateway-load.ts';

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The account that runs the server where the tests run as root. */
const nobody = 65_534;

/** A small disk that the server can write. */
function mountDisk(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-disk-'));
  needWorking(
    'mount',
    '-t',
    'tmpfs',
    '-o',
    `size=${size},uid=${nobody},gid=${nobody},mode=700`,
    'tmpfs',
    folder,
  );
  ends.push(() => {
    runProgram('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

const disk = mountDisk('32m');
const logDisk = mountDisk('64m');
const ballastOf = (folder: string) => join(folder, 'ballast');

/** Leaves nothing of the disk free, while others write, too. */
function fill(folder: string): void {
  runProgram('dd', ['if=/dev/zero', `of=${ballastOf(folder)}`, 'bs=4k']);
}

/** A plant whose store is the database `plant` of a server, after four gateways have posted so many batches. */
async function busyPlant(server: string, batches: number) {
  const plant = await Plant.open(undefined, { HKCTL_STORE: addressOf(server, 'plant') });
  ends.push(() => plant.close());
  const { codes, gateway, reader } = await prepare(plant, 4);
  const daemon = await plant.serve();
  const load = new GatewayLoad(
    gateway,
    codes.map((sensor) => ({ sensor, daemon: () => daemon })),
  );
  await until('the gateways are busy', () => load.count > batches);
  return { plant, daemon, load, reader };
}

describe('a full disk of the server', () => {
  it('is 503 and exit status 6, loses nothing and leaves nothing half done, and passes', async () => {
    const server = await startServer();
    ends.push(server.stop);
    await onServer(
      server.address,
      `create tablespace small location '${disk}'`,
      'create database plant template template0 tablespace small',
    );
    const { plant, daemon, load, reader } = await busyPlant(server.address, 50);
    fill(disk);
    await until('ingest is refused', () => load.refusals.length > 20, { timeoutMs: 60_000 });
    // Whoever reads notices nothing.
    for (let sample = 0; sample < 40; sample++) expect(await daemon.statusOf(reader)).toBe(200);

    const parts = Array.from({ length: 20_000 }, (_, n) =>
      JSON.stringify({
        id: `P-${n}`,
        part_number: `P-${n}`,
        name: 'x'.repeat(200),
        is_active: true,
      }),
    );
    const input = parts.join('\n');
    const importing = ['import', 'parts', '-', '--format', 'ndjson', '--entity', 'BER'];
    const full =
      /^error: The disk of the PostgreSQL store .* is full; this change was not made\.\nhint: .*\n$/;
    const imported = await plant.hkctl(importing, { input });
    expect([imported.code, imported.stdout]).toEqual([6, '']);
    expect(imported.stderr).toMatch(full);
    let made = 2;
    const create = [
      'keys',
      'create',
      '--entity',
      'BER',
      '--preset',
      'production-only',
      '--note',
      'n'.repeat(500),
    ];
    let refused: Awaited<ReturnType<Plant['hkctl']>> | undefined;
    let file = '';
    while (refused === undefined) {
      file = plant.path(`secret-${made}`);
      const created = await plant.hkctl([
        ...create,
        '--name',
        `key ${made}`,
        '--secret-file',
        file,
      ]);
      if (created.code === 0) made++;
      else refused = created;
    }
    expect([refused.code, refused.stdout, existsSync(file)]).toEqual([6, '', false]);
    expect(refused.stderr).toMatch(full);
    expect((await plant.json<unknown[]>(['keys', 'list', '--all'])).length).toBe(made);

    rmSync(ballastOf(disk));
    const before = load.count;
    await until('ingest works again', () => load.count > before + 20);
    await load.stop();
    expect(wrong(load.refusals)).toEqual([]);
    await load.expectAll(daemon, reader);
    await plant.ok([...create, '--name', 'at last', '--secret-file', file]);
    await plant.ok(importing, { input });
    expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
    expect((await daemon.stop()).code).toBe(0);
  });
});

describe('a full disk of the log of the server', () => {
  it('stops the server by itself: 503 and exit status 6, and no answered reading is lost or there twice', async () => {
    const server = await startServer([
      'fsync=on',
      'full_page_writes=on',
      'wal_level=minimal',
      'max_wal_senders=0',
    ]);
    ends.push(server.stop);
    const log = join(server.folder, 'data', 'pg_wal');
    await server.kill9();
    runProgram('sh', [
      '-c',
      `cp -a "$1"/. "$2" && rm -r "$1" && ln -s "$2" "$1"`,
      'move',
      log,
      logDisk,
    ]);
    await server.restart();
    await onServer(server.address, 'create database plant template template0');
    const { plant, daemon, load, reader } = await busyPlant(server.address, 100);
    fill(logDisk);
    // Another program writes the log until there is no further file for it.
    const filling = `do $$ begin for i in 1..200 loop perform pg_logical_emit_message(false, 'x', repeat('x', 1000000)); end loop; end $$`;
    await expect(onServer(server.address, filling)).rejects.toThrow();
    await until('ingest is refused', () => load.refusals.length > 20, { timeoutMs: 30_000 });
    expect(await daemon.statusOf(reader)).toBe(503);
    const command = await plant.hkctl(['keys', 'list']);
    expect(command.code).toBe(6);
    expect(command.stderr).toMatch(/^error: .*\.\nhint: .*\n$/);

    rmSync(ballastOf(logDisk));
    const before = load.count;
    const works = async () => {
      // It cannot even end its recovery without space, and stops, perhaps only now; its administrator starts it again.
      if (!server.isRunning()) await server.restart();
      return load.count > before + 20;
    };
    await until('ingest works again', works, { timeoutMs: 20_000 });
    await load.stop();
    expect(wrong(load.refusals)).toEqual([]);
    await load.expectAll(daemon, reader);
    expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
    expect((await daemon.stop()).code).toBe(0);
  });
});
