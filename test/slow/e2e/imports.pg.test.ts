import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { keptAlive } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { type Running, until } from '../../e2e/program.ts';

const rowCount = 200_000;
const csvHead = 'id,name,part_number,is_active,description\n';

/** Rows of parts from one number to below another, all of them of one generation. */
function rowsOf(generation: string, from: number, to: number): string {
  const text = 'Cast housing, machined, painted; kept in stock'.replaceAll(',', ' ');
  let rows = '';
  for (let i = from; i < to; i++)
    rows += `P-${String(i).padStart(6, '0')},${generation},PN-${i},true,${text}\n`;
  return rows;
}

describe('a long import', () => {
  let plant: Plant;
  let daemon: Daemon;
  let gateway: string;
  let reader: string;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: null }]);
    gateway = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
    reader = (await plant.createKey('Reader', 'operational-core')).secret;
    daemon = await plant.serve();
  });
  afterAll(() => plant.close());

  const startImport = (): Running =>
    plant.start('import parts - --format csv --entity BER --replace --json'.split(' '));

  /** Feeds an import half of its rows and holds it there: its transaction stays open until it is fed the rest. */
  async function holdHalfway(running: Running, generation: string): Promise<void> {
    await feed(running, csvHead + rowsOf(generation, 0, rowCount / 2));
    await until('the transaction of the import is open', () => isBeingWritten(plant), {
      everyMs: 50,
    });
  }

  /** The generations of parts on a page, which is one read of the store. */
  async function generations(query: { part_number?: string } = {}): Promise<string[]> {
    const { data, error } = await daemon
      .api(reader)
      .GET('/api/v1/parts', { params: { query: { limit: 500, ...query } } });
    expect(error).toBeUndefined();
    return [...new Set(data?.data.map(({ name }) => name))];
  }

  let posted = 0;
  async function postReadings(count: number): Promise<number[]> {
    const agent = keptAlive();
    const api = daemon.api(gateway, { agent });
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const at = `2026-11-20T08:00:00.${String(posted++).padStart(6, '0')}Z`;
      const from = performance.now();
      const body = { readings: [{ sensor: 'OVEN', at, value: i }] };
      const { data } = await api.POST('/api/v1/sensors/readings', { body });
      times.push(performance.now() - from);
      expect(data).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    }
    agent.destroy();
    return times.sort((a, b) => a - b);
  }

  it('stalls neither ingest nor a revoke, and readers keep the old set until it ends', async () => {
    const first = startImport();
    await holdHalfway(first, 'first');
    expect(await generations()).toEqual([]);
    const times = await postReadings(100);
    // An import that blocked it would hold it for as long as this test wants.
    expect(times[98]).toBeLessThan(1000);

    const { key, secret } = await plant.createKey('Meanwhile', 'operational-core');
    expect(await daemon.statusOf(secret)).toBe(200);
    // An import that blocked this would block it for ever: nothing feeds it meanwhile.
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect(await daemon.statusOf(secret)).toBe(401);
    expect(first.hasEnded).toBe(false);

    await feed(first, rowsOf('first', rowCount / 2, rowCount));
    first.child.stdin?.end();
    const outcome = await first.ended;
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      inserted: rowCount,
      updated: 0,
      removed: 0,
    });
    expect(await generations()).toEqual(['first']);
  });

  it('shows the old set or the new one, never a mix, and stays quick at its own full speed', async () => {
    const second = startImport();
    const fed = feed(second, csvHead + rowsOf('second', 0, rowCount)).then(() =>
      second.child.stdin?.end(),
    );
    const seen: string[] = [];
    const times: number[] = [];
    // Pages from the start and from the end are read alternately while the import writes through all of them.
    while (!second.hasEnded) {
      for (const query of [{}, { part_number: 'PN-199999' }, { part_number: 'PN-0' }]) {
        const found = await generations(query);
        expect(found).toHaveLength(1);
        seen.push(found[0] ?? '');
      }
      times.push(...(await postReadings(10)));
    }
    await fed;
    const outcome = await second.ended;
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      inserted: 0,
      updated: rowCount,
      removed: 0,
    });
    expect(await generations()).toEqual(['second']);
    // Once the new set was seen, the old one is never seen again.
    expect(seen.join(' ')).toMatch(/^(first ?)+(second ?)*$/);
    times.sort((a, b) => a - b);
    expect(times.length).toBeGreaterThan(50);
    expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(1000);
  });

  it('killed halfway changes nothing, and the next one goes through', async () => {
    const killed = startImport();
    await holdHalfway(killed, 'killed');
    await killed.stop('SIGKILL');
    expect(await generations()).toEqual(['second']);
    const summary = await plant.json(
      ['import', 'parts', '-', '--format', 'csv', '--entity', 'BER', '--replace', '--yes'],
      {
        input: csvHead + rowsOf('third', 0, 1000),
      },
    );
    expect(summary).toMatchObject({ inserted: 0, updated: 1000, removed: rowCount - 1000 });
    expect(await generations()).toEqual(['third']);
    await plant.ok(['audit', 'verify']);
  });
});

/** Writes to the standard input of a process no faster than it reads; what a killed one does not read is lost. */
function feed({ child }: Running, text: string): Promise<void> {
  return new Promise((resolve) => {
    child.stdin?.once('error', () => resolve());
    child.stdin?.write(text, () => resolve());
  });
}

/** Whether some process is in the middle of a transaction that writes records. */
async function isBeingWritten(plant: Plant): Promise<boolean> {
  if (plant.isOnPostgres) return isCopying(plant.place);
  const connection = openDatabase(plant.store.replace(/\.db$/, '.records.db'), {
    timeout: 0,
    fileMustExist: true,
  });
  try {
    connection.exec('begin immediate; rollback');
    return false;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'SQLITE_BUSY') return true;
    throw thrown;
  } finally {
    connection.close();
  }
}

/** Whether a transaction is open that has sent rows to a database: each piece is a COPY of its own. */
async function isCopying(address: string): Promise<boolean> {
  const client = new Client({ connectionString: address });
  await client.connect();
  const { rowCount } = await client.query(
    "select from pg_stat_activity where datname = current_database() and xact_start is not null and query like 'copy %'",
  );
  await client.end();
  return rowCount !== 0;
}
