import { existsSync, renameSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyChain } from '../../../../src/core/audit/chain.ts';
import { isHkctlError } from '../../../../src/core/errors.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { sensors } from '../../../../src/resources/sensor-lookup.ts';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { batchOf } from '../../../store/conformance/readings/readings.ts';
import { importInto } from '../../../store/conformance/records/stored-records.ts';
import { another } from '../../../store/sqlite/another.ts';
import { draftOf, fileStore, nowMs, plantIn } from '../../../store/stores.ts';

async function given() {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  const plant = await plantIn(store);
  await importInto(store, plant, sensors, [
    { id: 'S-1', code: 'T1', name: 'One', is_active: true },
  ]);
  return { store, path, plant };
}

function run(file: string, sql: string): unknown[] {
  const connection = openFile(file, { busyTimeoutMs: 5000, create: false });
  try {
    const statement = connection.prepare(sql);
    return statement.reader ? statement.all() : [statement.run()];
  } finally {
    connection.close();
  }
}

const onePart = (name: string) => [{ id: 'P-1', name, part_number: '1', is_active: true }];

describe('an import', () => {
  it('whose process died before its event reached the chain is reported once, by the next process that reads the trail', async () => {
    const { store, path, plant } = await given();
    const draft = draftOf(plant.tenant.id, 'records.import', 'left behind');
    const { records } = filesOf(path);
    run(records, `insert into audit_outbox (draft) values ('${JSON.stringify(draft)}')`);
    for (const one of [store, another(path)]) {
      const targets = (await one.audit.list(plant.tenant.id, { limit: 100 })).map(
        ({ target }) => target,
      );
      expect(targets.filter((target) => target === 'left behind')).toHaveLength(1);
    }
    expect(run(records, 'select * from audit_outbox')).toEqual([]);
    expect((await verifyChain(store.audit.walk())).broken).toBeNull();
  });

  it('is not reported twice where the process died between the chain and the outbox', async () => {
    const { store, path, plant } = await given();
    const { records } = filesOf(path);
    await importInto(store, plant, parts, onePart('A'));
    const count = (await store.audit.list(plant.tenant.id, { limit: 100 })).length;
    // As if the deletion of what was moved had not come to pass.
    const draft = JSON.stringify(draftOf(plant.tenant.id, 'records.import', 'parts'));
    const moved = Number(
      (run(path, "select value from marks where name = 'audit_outbox'")[0] as { value: number })
        .value,
    ); // the row just written
    run(records, `insert into audit_outbox (id, draft) values (${moved}, '${draft}')`);
    expect(await another(path).audit.list(plant.tenant.id, { limit: 100 })).toHaveLength(count);
    expect(run(records, 'select * from audit_outbox')).toEqual([]);
    // And the numbers go on, so that the next event is moved.
    await importInto(store, plant, parts, onePart('B'));
    expect(await store.audit.list(plant.tenant.id, { limit: 100 })).toHaveLength(count + 1);
  });

  it('shows its readers the old set until it ends, and blocks neither them, a revoke nor ingest', async () => {
    const { store, path, plant } = await given();
    const reader = another(path);
    await importInto(store, plant, parts, onePart('old'));
    const request = {
      resource: parts,
      entityId: plant.entity.id,
      conditions: [],
      orderBy: 'id',
      limit: 50,
    };
    const version = await reader.records.changeCounter();
    const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
    const looks: unknown[] = [];
    const rows = async function* () {
      for (let n = 0; n < 5; n++) {
        const values = [`P-${n}`, 'new', '1', null, null, true, null, null, null, null, null, null];
        yield { lines: [n + 2], columns: values.map((value) => [value]) };
        await setImmediate();
        for (const one of [store, reader]) {
          looks.push(
            JSON.parse(`[${(await one.records.page(request)).json}]`).map(
              ({ name }: { name: string }) => name,
            ),
          );
        }
        expect(await reader.records.changeCounter()).toBe(version);
        await reader.audit.append(draftOf(plant.tenant.id, 'key.list', 'meanwhile'));
        expect(await store.readings.append(batchOf([[series, n, n]]))).toMatchObject({
          accepted: 1,
        });
      }
    };
    await store.records.import({
      resource: parts,
      entityId: plant.entity.id,
      replace: true,
      dryRun: false,
      nowUs: nowMs * 1000,
      rows: rows(),
      audit: () => draftOf(plant.tenant.id, 'records.import', 'parts'),
    });
    expect(looks).toEqual(new Array(10).fill(['old']));
    expect(await reader.records.changeCounter()).not.toBe(version);
    expect((await reader.records.page(request)).count).toBe(5);
  });
});

describe('the removal of an entity', () => {
  it('that was interrupted is completed by the next process that reads the trail; its keys were refused at once', async () => {
    const { store, path, plant } = await given();
    await importInto(store, plant, parts, onePart('A'));
    const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
    await store.readings.append(batchOf([[series, 1, 1]]));
    // What the first commit leaves behind where the process dies right after it.
    run(path, `insert into purges (entity_id) values ('${plant.entity.id}')`);
    run(path, `delete from entities where id = '${plant.entity.id}'`);
    const next = another(path);
    await next.audit.list(plant.tenant.id, { limit: 1 });
    expect(await next.records.get(parts, plant.entity.id, 'P-1')).toBeUndefined();
    expect(await next.readings.range({ series, limit: 1 })).toEqual([]);
    expect(run(path, 'select * from purges')).toEqual([]);
    expect((await store.readings.directory(plant.entity.id)).size).toBe(0);
  });
});

describe('the writer thread', () => {
  const readingsOf = async () => {
    const { store, path, plant } = await given();
    const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
    return { store, path, series };
  };

  it('answers all that waits before the store is closed', async () => {
    const { store, path, series } = await readingsOf();
    const waiting = Array.from({ length: 50 }, (_, n) =>
      store.readings.append(batchOf([[series, n, n]])),
    );
    await store.close();
    expect(await Promise.all(waiting)).toEqual(
      new Array(50).fill({ accepted: 1, duplicates: 0, conflicts: [] }),
    );
    expect(await another(path).readings.range({ series, limit: 100 })).toHaveLength(50);
  });

  it('that cannot write refuses what it was given, and goes on afterwards', async () => {
    const { store, path, series } = await readingsOf();
    const { readings } = filesOf(path);
    await store.readings.append(batchOf([[series, 0, 0]]));
    run(
      readings,
      "create trigger no_more before insert on log begin select raise(abort, 'no more'); end",
    );
    const refused = await Promise.allSettled(
      [1, 2].map((n) => store.readings.append(batchOf([[series, n, n]]))),
    );
    const rejected = {
      status: 'rejected',
      reason: { message: expect.stringContaining('no more') },
    };
    expect(refused).toMatchObject([rejected, rejected]);
    // It is none of the domain's errors: its message may be logged, and is never shown.
    expect(isHkctlError((refused[0] as PromiseRejectedResult).reason)).toBe(false); // just seen to be rejected
    run(readings, 'drop trigger no_more');
    expect(await store.readings.append(batchOf([[series, 1, 1]]))).toMatchObject({ accepted: 1 });
    expect(await store.readings.range({ series, limit: 100 })).toHaveLength(2);
  });

  it('that crashed refuses all pending writes, and is started again by the next one', async () => {
    const { store, path, plant } = await given();
    const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
    const { readings } = filesOf(path);
    // It ends as it starts, for it does not find its file.
    renameSync(readings, `${readings}.away`);
    const refused = await Promise.allSettled(
      [1, 2].map((n) => store.readings.append(batchOf([[series, n, n]]))),
    );
    const rejected = { status: 'rejected', reason: { code: 'unavailable' } };
    expect(refused).toMatchObject([rejected, rejected]);
    renameSync(`${readings}.away`, readings);
    expect(await store.readings.append(batchOf([[series, 1, 1]]))).toMatchObject({
      accepted: 1,
      duplicates: 0,
    });
  });

  it('refuses more than may wait with unavailable', async () => {
    const { store, series } = await readingsOf();
    const many = (from: number) =>
      batchOf(Array.from({ length: 400_000 }, (_, n) => [series, from + n, n] as const));
    const [a, b, c] = await Promise.allSettled(
      [0, 1e6, 2e6].map((from) => store.readings.append(many(from))),
    );
    expect([a?.status, b?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(c).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect(await store.readings.append(batchOf([[series, 9e6, 1]]))).toMatchObject({ accepted: 1 });
  });

  it('writes times of use while the main thread waits for no disk', async () => {
    const { store, path } = await readingsOf();
    await store.keys.recordUse(new Map([['none', { atMs: nowMs, ip: '192.0.2.1' }]]));
    await store.keys.recordUse(new Map());
    expect(existsSync(path)).toBe(true);
  });
});
