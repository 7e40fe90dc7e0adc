import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';
import type { BackupHead } from '../../../../src/core/operations/backups.ts';
import { engineAt } from '../../../../src/store/open.ts';
import { quiet } from '../../restores.ts';
import { draftOf, newKey, nowMs, plantIn, storeOptions } from '../../stores.ts';
import { newDatabase } from '../databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-during-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a backup that begins during a restore waits for it, and has the store of afterwards', async () => {
  const address = await newDatabase();
  const engine = engineAt(address, storeOptions);
  const made = await engine.create();
  const plant = await plantIn(made);
  await made.keys.insert(newKey(plant, 1), draftOf(plant.tenant.id, 'key.create', 'x'));
  await made.close();
  const [before, during] = [join(folder, 'before'), join(folder, 'during')];
  const facts = await engine.backup(before, { nowMs, force: false });

  const watcher = new Client({ connectionString: address });
  await watcher.connect();
  let second: Promise<BackupHead> | undefined;
  await engine.restore(before, {
    ...quiet,
    async audit() {
      second = engineAt(address, storeOptions).backup(during, { nowMs, force: false });
      void second.catch(() => {});
      const waiting = 'select from pg_locks where not granted';
      while ((await watcher.query(waiting)).rows.length === 0) await pause(5);
    },
  });
  await watcher.end();
  expect(await second).toMatchObject({ keys: facts.keys, auditRecords: facts.auditRecords });
});
