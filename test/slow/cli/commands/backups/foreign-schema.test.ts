import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOf, openFile } from '../../../../../src/store/sqlite/connection/files.ts';
import { restoreBackup } from '../../../../../src/store/sqlite/restoration.ts';
import {
  type DatabaseName,
  databaseNames,
  schemaVersions,
} from '../../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { cli, file, folder, renewPlant } from '../../../../cli/commands/backups/backup-plant.ts';
import { tamperSchema } from '../../../../cli/tamper.ts';
import { reseal } from '../../../../store/changed-backups.ts';

beforeEach(renewPlant);

const rewrite = (name: string, from: string, to: string) =>
  `update sqlite_master set sql = replace(sql, '${from}', '${to}') where name = '${name}'`;

/** What somebody may put into a registry, or into a backup, and how it is named. */
const foreign: readonly [what: string, sql: string, named: string][] = [
  [
    'a trigger',
    'create trigger evil after insert on audit begin delete from audit; end',
    'the trigger "evil" is none of',
  ],
  ['a view', 'create view evil as select 1', 'the view "evil" is none of'],
  [
    'a virtual table',
    'create virtual table evil using fts5(x)',
    'the virtual table "evil" is none of',
  ],
  [
    'an index on an expression',
    'create index evil on keys (lower(name))',
    'the index "evil" is none of',
  ],
  [
    'another column',
    'alter table keys add column evil text',
    'the table "keys" has another definition',
  ],
  [
    'a generated column',
    'alter table keys add column evil text as (upper(name))',
    'the table "keys" has another definition',
  ],
  [
    'a check',
    rewrite('users', '`role` text NOT NULL', '`role` text NOT NULL check (1)'),
    'the table "users" has another',
  ],
  [
    'an index that orders otherwise',
    rewrite('users_tenant', '`login`)', '`role`)'),
    'the index "users_tenant" has another',
  ],
  ['a table less', 'drop table purges', 'the table "purges" is missing'],
  ['an index less', 'drop index users_tenant', 'the index "users_tenant" is missing'],
  [
    'an entry of no kind',
    "insert into sqlite_master values ('other', 'evil', 'evil', 0, 'create other evil')",
    'the entry "evil" is none of',
  ],
];

/** What a command says of a thing that is refused as damage, names included; nothing was written. */
async function refused(line: readonly string[], named: string): Promise<void> {
  const { code, stderr } = await cli.run(line);
  expect([code, stderr], line.join(' ')).toEqual([6, expect.stringContaining(named)]);
}

describe('a store with something foreign in its schema', () => {
  it.each(foreign)('%s is named by doctor', async (what, sql, named) => {
    // SQLite itself refuses to load an entry of no kind, before anybody can name it.
    const expected = what === 'an entry of no kind' ? 'is damaged' : named;
    tamperSchema(cli.store, sql);
    const { code, stdout, stderr } = await cli.run(['doctor', '--json']);
    expect([code, (stdout + stderr).replaceAll('\\"', '"')]).toEqual([
      6,
      expect.stringContaining(expected),
    ]);
  });

  it.each(['records', 'readings'] as const)(
    'in its %s, doctor names it and goes on; no backup has it',
    async (name) => {
      tamperSchema(
        filesOf(cli.store)[name],
        'create trigger evil after insert on sqlite_sequence begin select 1; end'.replace(
          'sqlite_sequence',
          name === 'records' ? 'parts' : 'series',
        ),
      );
      const result = await cli.run('doctor --json');
      const { checks } = result.json<{
        checks: { name: string; status: string; detail: string }[];
      }>();
      expect(result.code).toBe(6);
      expect(checks.find((check) => check.name === 'schema')).toMatchObject({
        status: 'problem',
        detail: expect.stringContaining(`the trigger "evil" is none of hkctl's (${name})`),
      });
      expect(checks.at(-1)?.name).toBe('daemon');
      await cli.ok(['backup', file]);
      await cli.ok(['restore', file, '--yes']);
      await cli.ok('doctor');
    },
  );

  it('of tables of another program, doctor warns of them and all goes on; no backup has them', async () => {
    tamperSchema(
      filesOf(cli.store).registry,
      'create table _litestream_seq (id integer primary key, seq integer); create index _litestream_seqs on _litestream_seq (seq)',
    );
    const { checks } = (await cli.ok('doctor --json')).json<{
      checks: { name: string; status: string; detail: string }[];
    }>();
    expect(checks.find(({ name }) => name === 'schema')).toMatchObject({
      status: 'warning',
      detail: 'It holds tables of another program: "_litestream_seq" (registry).',
    });
    await cli.ok(['backup', file]);
    await cli.ok(['restore', file, '--yes']);
    expect((await cli.ok('doctor')).stdout).not.toContain('_litestream_seq');
  });

  it('of an older version is not migrated', async () => {
    tamperSchema(filesOf(cli.store).readings, 'drop table heartbeats; pragma user_version = 0');
    await refused(['migrate'], 'is damaged');
  });

  it('is replaced by a backup from before', async () => {
    await cli.ok(['backup', file]);
    tamperSchema(
      cli.store,
      'create trigger evil after insert on audit begin delete from audit; end',
    );
    await cli.ok(['restore', file, '--yes']);
    await cli.ok('doctor');
  });

  it('is one that ANALYZE has looked at, which is nothing foreign', async () => {
    tamperSchema(cli.store, 'analyze');
    await cli.ok('doctor');
    await cli.ok(['backup', file]);
    await cli.ok(['restore', file, '--yes']);
  });
});

describe('a backup with something foreign in its schema', () => {
  it.each(foreign)(
    '%s is refused by restore and named, and nothing is written',
    async (what, sql, named) => {
      const expected = what === 'an entry of no kind' ? 'is damaged' : named;
      await cli.ok(['backup', file]);
      tamperSchema(file, sql);
      reseal(file);
      const names = () => [readdirSync(folder), readdirSync(dirname(cli.store))];
      const [before, content] = [names(), readFileSync(file)];
      await refused(['restore', file, '--yes'], expected);
      expect([names(), readFileSync(file).equals(content)]).toEqual([before, true]);
      await cli.ok('doctor');
    },
  );

  it('runs no statement that hides behind a definition', async () => {
    await cli.ok(['backup', file]);
    const made = join(folder, 'made-by-sql');
    const hidden = `CREATE TABLE \`marks\` (x); attach ''${made}'' as evil; create table evil.t (x)`;
    tamperSchema(file, `update sqlite_master set sql = '${hidden}' where name = 'marks'`);
    reseal(file);
    const { code } = await cli.run(['restore', file, '--yes']);
    expect([code, existsSync(made)]).toEqual([6, false]);
  });

  it('that names no version, or tables of its own that are views, is refused', async () => {
    await cli.ok(['backup', file]);
    const whole = readFileSync(file);
    for (const value of ["'x'", '-1', '1.5', '0', 'zeroblob(4)']) {
      tamperSchema(file, `update backup set value = ${value} where name = 'registry_version'`);
      reseal(file);
      await refused(['restore', file, '--yes'], 'it names no version of its registry');
      writeFileSync(file, whole);
    }
    tamperSchema(
      file,
      "drop table backup; create view backup as select 'registry_version' as name, 1 as value",
    );
    reseal(file);
    expect((await cli.run(['restore', file, '--yes'])).code).toBe(2);
    writeFileSync(file, whole);
    tamperSchema(file, "update backup set value = 9e17 where name = 'created_at_ms'");
    reseal(file);
    await refused(['restore', file, '--yes'], 'it names no time');
  });

  it('is read alone: a log of SQLite next to it counts for nothing, and stays', async () => {
    await cli.ok(['backup', file]);
    for (const end of ['-journal', '-wal', '-shm']) {
      const copy = join(mkdtempSync(join(tmpdir(), 'hkctl-beside-')), 'a.backup');
      cpSync(file, copy);
      writeFileSync(copy + end, 'x');
      await cli.ok(['restore', copy, '--yes']);
      expect(readdirSync(dirname(copy)).sort()).toEqual(['a.backup', `a.backup${end}`]);
      expect(readFileSync(copy + end, 'utf8')).toBe('x');
    }
  });

  it('that was opened for writing since is refused', async () => {
    await cli.ok(['backup', file]);
    tamperSchema(file, 'pragma journal_mode = wal');
    await refused(['restore', file, '--yes'], 'is damaged');
    expect(readdirSync(folder).sort()).toEqual(['plant.backup', 'state']);
  });

  it('of a path with white space around it is not taken for another file', async () => {
    await cli.ok(['backup', file]);
    cpSync(file, `${file} `);
    writeFileSync(file, 'no backup');
    await cli.ok(['restore', `${file} `, '--yes']);
  });
});

describe('a backup of an older version', () => {
  const before = { ...schemaVersions };
  afterEach(() => {
    Object.assign(schemaVersions, before);
  });

  /** The migrations, and one more for a database. */
  function newer(name: DatabaseName, sql: string): string {
    const migrationsFolder = mkdtempSync(join(tmpdir(), 'hkctl-migrations-'));
    for (const database of databaseNames)
      cpSync(join('migrations', database), join(migrationsFolder, database), { recursive: true });
    mkdirSync(join(migrationsFolder, name), { recursive: true });
    writeFileSync(join(migrationsFolder, name, '9999_more.sql'), sql);
    const journal = join(migrationsFolder, name, 'meta', '_journal.json');
    const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'));
    writeFileSync(
      journal,
      JSON.stringify({
        ...rest,
        entries: [...entries, { ...entries[0], idx: entries.length, tag: '9999_more' }],
      }),
    );
    schemaVersions[name] = before[name] + 1;
    return migrationsFolder;
  }

  it('is restored with the tables it had, and then migrated on', async () => {
    const create = 'keys create --name A --entity BER --preset sensor-gateway --json';
    const { key } = (await cli.ok(create)).json<{ key: { id: string } }>();
    await cli.ok(['backup', file]);
    const migrationsFolder = newer(
      'registry',
      "ALTER TABLE `keys` ADD `colour` text DEFAULT 'green' NOT NULL;--> statement-breakpoint\nCREATE TABLE `more` (`x` integer);",
    );
    const options = { clock: () => cli.nowMs, migrationsFolder };
    const hooks = { authorize: () => {}, confirm: () => {}, audit: () => {} };
    const source = { origin: file, expected: undefined };
    await restoreBackup(cli.store, source, options, hooks);
    const registry = openFile(cli.store, { busyTimeoutMs: 100, create: false });
    expect(registry.prepare('select id, colour from keys').all()).toEqual([
      { id: key.id, colour: 'green' },
    ]);
    expect(registry.pragma('user_version', { simple: true })).toBe(before.registry + 1);
    registry.close();
    // And what is foreign in it is foreign to the version that it had.
    tamperSchema(file, "alter table keys add column colour text default 'green' not null");
    reseal(file);
    await expect(restoreBackup(cli.store, source, options, hooks)).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('the table "keys" has another definition'),
    });
  });
});
