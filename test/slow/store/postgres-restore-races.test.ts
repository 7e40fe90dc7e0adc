import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { engineAt } from '../../../src/store/open.ts';
import { cli, environment } from '../../e2e/program.ts';
import { startProgram } from '../../run-program.ts';
import { importInto } from '../../store/conformance/records/stored-records.ts';
import { portraitOf } from '../../store/portrait.ts';
import { newDatabase, onServer } from '../../store/postgres/databases.ts';
import { at, holding, quiet } from '../../store/restores.ts';
import { draftOf, newKey, nowMs, type Plant, plantIn, storeOptions } from '../../store/stores.ts';

let folder: string;
let file: string;
let address: string;
let plant: Plant;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-races-'));
  file = join(folder, 'plant.backup');
  address = await newDatabase('store');
  plant = await at(address, async (store) => {
    const made = await plantIn(store);
    const rows = Array.from({ length: 3000 }, (_, n) => ({
      id: `P${n}`,
      name: 'P',
      part_number: `${n}`,
      is_active: true,
    }));
    await importInto(store, made, parts, rows);
    return made;
  });
  await engineAt(address, storeOptions).backup(file, { nowMs, force: false });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a restore into PostgreSQL', () => {
  it('that fails at its last step leaves the old store as it was', async () => {
    await at(address, (store) =>
      Promise.resolve(
        store.keys.insert(newKey(plant, 1), draftOf(plant.tenant.id, 'key.create', 'k')),
      ),
    );
    const before = await at(address, portraitOf);
    const failing = engineAt(address, storeOptions).restore(file, {
      ...quiet,
      audit() {
        throw new Error('the disk of the audit is on fire');
      },
    });
    await expect(failing).rejects.toThrow('on fire');
    expect(await at(address, portraitOf)).toEqual(before);
  });

  it('whose connection is cut leaves the old store as it was', async () => {
    const before = await at(address, portraitOf);
    const cut = engineAt(address, storeOptions).restore(file, {
      ...quiet,
      audit: () => onServer(address, cutOthers),
    });
    await expect(cut).rejects.toMatchObject({ code: 'store_unreachable' });
    expect(await at(address, portraitOf)).toEqual(before);
  });

  it('waits for a revoke that has begun, and keeps it', async () => {
    const key = newKey(plant, 1, { secretHash: 'h'.repeat(43) });
    await at(address, (store) =>
      Promise.resolve(store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'k'))),
    );
    await engineAt(address, storeOptions).backup(file, { nowMs, force: true });
    const revoke = await holding(
      address,
      "update hkctl.generations set value = value + 1 where name = 'keys'",
    );
    await revoke.query('update hkctl.keys set revoked_at_ms = $1 where id = $2', [nowMs, key.id]);
    const restored = engineAt(address, storeOptions).restore(file, quiet);
    await waitFor(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    await revoke.query('commit');
    await revoke.end();
    expect((await restored).kept).toMatchObject([{ kind: 'revoked_key', id: key.id }]);
  });

  it('is noticed by others at their next question: no key that it stops is let in', async () => {
    const key = newKey(plant, 1);
    const other = await engineAt(address, storeOptions).open();
    try {
      await other.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'k'));
      const [keys, records] = [
        await other.keys.changeCounter(),
        await other.records.changeCounter(),
      ];
      await engineAt(address, storeOptions).restore(file, quiet);
      expect(await other.keys.changeCounter()).not.toBe(keys);
      expect(await other.records.changeCounter()).not.toBe(records);
      expect(await other.keys.credential(key.secretHash)).toBeUndefined();
    } finally {
      await other.close();
    }
  });

  it('of a killed process leaves the old store as it was', async () => {
    const before = await at(address, portraitOf);
    const child = startProgram(cli, ['restore', file, '--yes'], {
      env: environment({ HKCTL_STORE: address, HKCTL_USER: 'acme-admin' }),
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    // Stopped by a lock in the middle: somebody reads readings for a while.
    const reader = await holding(address, 'select from hkctl.readings');
    await waitFor(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    child.kill('SIGKILL');
    await ended;
    await reader.query('rollback');
    await reader.end();
    // The server notices the lost connection once it has the lock.
    await waitFor(
      "select where not exists (select from pg_stat_activity where datname = current_database() and application_name = 'hkctl')",
    );
    expect(await at(address, portraitOf)).toEqual(before);
    await engineAt(address, storeOptions).restore(file, quiet);
  }, 20_000);
});

const cutOthers = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name = 'hkctl'`;

async function waitFor(question: string): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    for (let attempt = 0; attempt < 1000; attempt++) {
      if (((await client.query(question)).rowCount ?? 0) > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('it never came');
  } finally {
    await client.end();
  }
}
