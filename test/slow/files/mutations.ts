import { readFileSync, writeFileSync } from 'node:fs';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';

type Random = (bound: number) => number;

/** One way to prepare a database that somebody else is to open. `victim` is a path that nobody has a reason to touch. */
interface Mutation {
  name: string;
  apply(file: string, random: Random, victim: string): void;
}

function rewriting(
  file: string,
  work: (run: (sql: string) => void, names: string[]) => void,
): void {
  const connection = openDatabase(file, {});
  connection.unsafeMode(true);
  connection.exec('pragma writable_schema = on; pragma foreign_keys = off');
  const names = connection
    .prepare<[], string>("select name from sqlite_master where type = 'table'")
    .pluck()
    .all();
  try {
    // An earlier mutation may have left a database without tables, which has nothing to rewrite.
    if (names.length > 0) work((sql) => connection.exec(sql), names);
  } finally {
    connection.close();
  }
}

function patching(file: string, patch: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  patch(bytes);
  writeFileSync(file, bytes);
}

const pick = <T>(random: Random, of: readonly T[]): T => of[random(of.length)] as T; // none of these lists is empty

/** Statements that would leave a trace at the victim's path, if any text of the schema were run. */
const poison = (victim: string): string[] => [
  `attach '${victim}' as evil; create table evil.t (x)`,
  `attach 'file:${victim}?mode=rwc' as evil`,
  `vacuum into '${victim}'`,
  `pragma temp_store_directory = '${victim}'`,
  `select writefile('${victim}', 'x'), load_extension('${victim}')`,
  `insert into fts values ('${victim}')`,
];

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Places in the header of a database that a reader has to believe: sizes, versions, freelist, encoding, marks. */
const headerPlaces = [
  16, 17, 18, 19, 20, 21, 24, 28, 32, 35, 36, 39, 40, 44, 47, 52, 56, 59, 60, 64, 68, 92, 96,
];

/** What hostile databases are made with; each can be applied after any other, and fails where the file is no database any more. */
export const mutations: readonly Mutation[] = [
  {
    name: 'a definition with more statements behind it',
    apply: (file, random, victim) =>
      rewriting(file, (run, names) => {
        const text = quoted(`; ${pick(random, poison(victim))}`);
        run(
          `update sqlite_master set sql = sql || ${text} where name = ${quoted(pick(random, names))} and sql is not null`,
        );
      }),
  },
  {
    name: 'another definition',
    apply: (file, random, victim) =>
      rewriting(file, (run, names) => {
        const start = pick(random, [
          'CREATE TABLE `x` (y); ',
          'create  table x as ',
          'CREATE VIRTUAL TABLE x USING ',
          'CREATE VIEW x AS ',
          '',
          '\u0000',
        ]);
        const text = quoted(start + pick(random, poison(victim)));
        run(`update sqlite_master set sql = ${text} where name = ${quoted(pick(random, names))}`);
      }),
  },
  {
    name: 'a trigger',
    apply: (file, random) =>
      rewriting(file, (run, names) => {
        const when = pick(random, [
          'after insert',
          'before update',
          'after delete',
          'before insert',
        ]);
        run(
          `create trigger "${pick(random, ['e', 'sqlite_e', 'e"";e', 'é\u202e'])}" ${when} on "${pick(
            random,
            names.filter((name) => !name.startsWith('sqlite_')),
          )}" begin select randomblob(9); end`,
        );
      }),
  },
  {
    name: 'a view or virtual table',
    apply: (file, random) =>
      rewriting(file, (run) =>
        run(
          pick(random, [
            'create view v as select * from sqlite_master',
            'create virtual table v using fts5(x)',
            'create virtual table v using rtree(a, b, c)',
            'create virtual table v using dbstat',
          ]),
        ),
      ),
  },
  {
    name: 'an index or column more',
    apply: (file, random) =>
      rewriting(file, (run, names) => {
        const table = pick(
          random,
          names.filter((name) => !name.startsWith('sqlite_')),
        );
        run(
          pick(random, [
            `alter table "${table}" add column g text as (hex(randomblob(4)))`,
            `create index g on "${table}" (abs(1))`,
            `alter table "${table}" add column "x'; --" text`,
          ]),
        );
      }),
  },
  {
    name: 'a table under another name, or on the pages of another',
    apply: (file, random) =>
      rewriting(file, (run, names) => {
        const [one, other] = [pick(random, names), pick(random, names)];
        run(
          pick(random, [
            `update sqlite_master set name = 'a"; attach b', tbl_name = 'a"; attach b' where name = '${one}'`,
            `update sqlite_master set rootpage = (select rootpage from sqlite_master where name = '${other}') where name = '${one}'`,
            `update sqlite_master set rootpage = ${pick(random, [0, 1, 99_999_999])} where name = '${one}'`,
            `update sqlite_master set type = x'00ff', name = 7 where name = '${one}'`,
          ]),
        );
      }),
  },
  {
    name: 'huge and odd values',
    apply: (file, random) =>
      rewriting(file, (run, names) => {
        const table = names.filter((name) =>
          /^(marks|backup|backup_journal|purges|users|tenants)$/.test(name),
        );
        if (table.length === 0) return;
        const value = pick(random, [
          'zeroblob(3000000)',
          "replace(hex(zeroblob(500000)), '0', 'ü')",
          "cast(x'ff00fe' as text)",
          '9e999',
          '-9223372036854775808',
          "'1; drop'",
        ]);
        const columns = {
          marks: 'value',
          backup: 'value',
          backup_journal: 'text',
          purges: 'entity_id',
          users: 'name',
          tenants: 'name',
        };
        const name = pick(random, table) as keyof typeof columns; // by the pattern above
        run(`update "${name}" set "${columns[name]}" = ${value}`);
      }),
  },
  {
    name: 'another page size',
    apply: (file, random) =>
      rewriting(file, (run) =>
        run(
          `pragma journal_mode = delete; pragma page_size = ${pick(random, [512, 1024, 8192, 65_536])}; vacuum`,
        ),
      ),
  },
  {
    name: 'a header that lies',
    apply: (file, random) =>
      patching(file, (bytes) => {
        for (let count = 1 + random(3); count > 0; count--)
          bytes[pick(random, headerPlaces)] = random(256);
      }),
  },
  {
    name: 'a freelist of pages in use',
    apply: (file, random) =>
      patching(file, (bytes) => {
        bytes.writeUInt32BE(1 + random(30), 32);
        bytes.writeUInt32BE(1 + random(30), 36);
      }),
  },
  {
    name: 'bytes that were changed',
    apply: (file, random) =>
      patching(file, (bytes) => {
        for (let count = 1 + random(20); count > 0; count--)
          bytes[100 + random(bytes.length - 100)] = random(256);
      }),
  },
  {
    name: 'a log, or the word of one',
    apply(file, random, victim) {
      if (random(2) === 0) patching(file, (bytes) => bytes.fill(2, 18, 20));
      // A rollback journal names another one to be deleted after it: that would be the victim.
      const name = Buffer.from(victim);
      const sum = Buffer.alloc(4);
      sum.writeInt32BE(name.reduce((total, byte) => total + byte, 0));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(name.length);
      const magic = Buffer.from('d9d505f920a163d7', 'hex');
      const header = Buffer.alloc(512);
      magic.copy(header);
      header.writeUInt32BE(512, 20);
      header.writeUInt32BE(4096, 24);
      const end = pick(random, ['-journal', '-wal', '-shm']);
      writeFileSync(file + end, Buffer.concat([header, Buffer.alloc(4), name, length, sum, magic]));
    },
  },
  {
    name: 'an end cut off',
    apply(file, random) {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.subarray(0, random(bytes.length)));
    },
  },
];
