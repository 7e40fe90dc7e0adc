import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstFew } from '../../../../src/core/text/shown-text.ts';
import {
  differences,
  lineOf,
  migratedSchema,
  type SchemaObject,
} from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import {
  databaseNames,
  initialVersions,
  schemaVersions,
} from '../../../../src/store/sqlite-file/schema/schema-versions.ts';

const folder = join(process.cwd(), 'migrations');

/** All objects as one text in a fixed order, equal for two databases exactly if their schemas are equal. */
const textOf = (objects: readonly SchemaObject[]) => `${objects.map(lineOf).sort().join('\n')}\n`;

describe('the text of a schema', () => {
  it.each(databaseNames)('of %s is kept for each of its versions', (name) => {
    for (let version = initialVersions[name]; version <= schemaVersions[name]; version++) {
      const text = textOf(migratedSchema(name, version, folder).objects);
      const file = join(folder, name, 'meta', `_schema-${version}.txt`);
      if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
      expect(readFileSync(file, 'utf8'), 'npm run golden writes it anew').toBe(text);
    }
  });

  it('does not depend on the order of its objects, and on every text in them', () => {
    const { objects } = migratedSchema('readings', initialVersions.readings, folder);
    const text = textOf(objects);
    expect(textOf([...objects].reverse())).toBe(text);
    for (const [at, object] of objects.entries()) {
      for (const member of ['type', 'name', 'table', 'sql'] as const) {
        const changed = objects.with(at, { ...object, [member]: `${object[member]} ` });
        expect(textOf(changed), `${object.name} ${member}`).not.toBe(text);
      }
    }
    expect(textOf(objects.slice(1))).not.toBe(text);
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
    expect(firstFew(many).join('; ')).toMatch(/^the table "0{60}…" .*; and 3 more$/);
  });
});
