import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import {
  makeTables,
  upgradeTables,
} from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';

const migrationsFolder = join(process.cwd(), 'migrations');

it('a migration keeps the commands that wait in a store of 0.2.0, by its digests', () => {
  const registry = openDatabase(':memory:', {});
  makeTables(registry, 'registry', 3, migrationsFolder);
  const keyId = randomUUID();
  const insert = registry.prepare('insert into marks (name, value) values (?, 0)');
  for (const name of [
    `after_rotation:${keyId}:digest-one`,
    `after_rotation:${keyId}:digest-two`,
    `delivery_lease:${keyId}:holder`,
    'clock_seen_ms',
  ])
    insert.run(name);
  upgradeTables(registry, 'registry', 3, migrationsFolder);
  expect(registry.prepare('select * from pending_steps').all()).toEqual([
    { key_id: keyId, place: '', step: 'exec', command: null, holder: null, until_ms: null },
  ]);
  expect(registry.prepare('select name from marks').pluck().all()).toEqual(['clock_seen_ms']);
  registry.close();
});
