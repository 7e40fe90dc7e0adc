import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { databaseNames } from '../../../src/store/sqlite/files.ts';
import { migratedSchema } from '../../../src/store/sqlite/migrated-schema.ts';
import { differences, foreignObjects, shownDifferences } from '../../../src/store/sqlite/own-schema.ts';
import { schemaDigests } from '../../../src/store/sqlite/schema-digests.ts';
import { digestOf, type SchemaObject } from '../../../src/store/sqlite/schema-objects.ts';
import { schemaVersions } from '../../../src/store/sqlite/schema-versions.ts';

const folder = join(process.cwd(), 'migrations');

describe('the digest of a schema', () => {
  it.each(databaseNames)('of %s is kept for each of its versions', (name) => {
    const versions = Array.from({ length: schemaVersions[name] }, (_, index) => index + 1);
    expect(schemaDigests[name]).toEqual(
      versions.map((version) => digestOf(migratedSchema(name, version, folder).objects)),
    );
  });

  it('does not depend on the order of its objects, and on every text in them', () => {
    const { objects } = migratedSchema('readings', 1, folder);
    const digest = digestOf(objects);
    expect(digestOf([...objects].reverse())).toBe(digest);
    for (const [at, object] of objects.entries()) {
      for (const member of ['type', 'name', 'table', 'sql'] as const) {
        const changed = objects.with(at, { ...object, [member]: `${object[member]} ` });
        expect(digestOf(changed), `${object.name} ${member}`).not.toBe(digest);
      }
    }
    expect(digestOf(objects.slice(1))).not.toBe(digest);
  });
});

describe('the differences of two schemas', () => {
  const object = (name: string, more: Partial<SchemaObject> = {}): SchemaObject => ({
    type: 'table',
    name,
    table: name,
    sql: 'a',
    ...more,
  });

  it('name what is foreign, changed, missing or there twice', () => {
    const own = [object('a'), object('b'), object('c')];
    expect(differences(own, own)).toEqual([]);
    const found = [
      object('a'),
      object('a'),
      object('b', { sql: 'b' }),
      object('d', { type: 'view' }),
      object('e', { sql: 'CREATE VIRTUAL TABLE e' }),
    ];
    expect(differences(found, own)).toEqual([
      'the table "a" is none of hkctl\'s',
      'the table "b" has another definition',
      'the view "d" is none of hkctl\'s',
      'the virtual table "e" is none of hkctl\'s',
      'the table "c" is missing',
    ]);
  });

  it('are shown as few, and cut to a length', () => {
    const many = differences(
      Array.from({ length: 8 }, (_, n) => object(`${n}`.repeat(100))),
      [],
    );
    expect(shownDifferences(many)).toMatch(/^the table "0{60}…" .*; and 3 more$/);
  });
});

it('an unmigrated database that is empty has nothing foreign, and one with a table has', () => {
  const connection = openDatabase(':memory:', {});
  expect(foreignObjects(connection, 'registry', 0, folder)).toEqual([]);
  connection.exec('create table keys (x)');
  for (const version of [-5, 0]) expect(foreignObjects(connection, 'registry', version, folder)).toHaveLength(1);
  connection.close();
});
