import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { genesisHash } from '../../../../src/core/audit/chain.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { Cli } from '../../harness.ts';
import { tamper } from '../../tamper.ts';

let cli: Cli;
let log: string;
const lines: string[] = [];

/** Writes the head into the log, as the daemon does. */
async function anchor(): Promise<number> {
  const { records, head_hash } = (await cli.ok('audit verify --json')).json<{
    records: number;
    head_hash: string;
  }>();
  lines.push(
    JSON.stringify({
      level: 'info',
      time: 't',
      count: records,
      head: head_hash,
      msg: 'audit head',
    }),
  );
  writeFileSync(
    log,
    ['no JSON', '{"level":"info","msg":"listening"}', ...lines, '{"level":"in'].join('\n'),
  );
  return records;
}

const verify = (...more: string[]) => cli.run(['audit', 'verify', '--anchors', log, ...more]);

beforeEach(async () => {
  lines.length = 0;
  cli = await new Cli().seed();
  log = `${cli.store}.log`;
  await cli.key('A');
  await anchor();
  await cli.key('B');
  await anchor();
});

describe('a chain that holds the heads of the log', () => {
  it('is whole, also where it has grown since', async () => {
    await cli.key('C');
    const { code, stdout } = await verify();
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^9 records, .* whole\.\nhead \w{64}\nIt holds all of 2 heads in the log\.\n$/,
      ),
    ]);
    expect((await verify('--json')).json()).toMatchObject({
      ok: true,
      anchors: { count: 2, broken: null },
    });
  });

  it('is held against standard input as well', async () => {
    const prefixed = lines.map((line) => `Nov 20 08:00:00 plant hkctl[1]: ${line}`).join('\n');
    const { json } = await cli.ok('audit verify --json --anchors -', { input: prefixed });
    expect(json()).toMatchObject({ ok: true, anchors: { count: 2 } });
  });

  it('is held against the file that the environment names', async () => {
    const { json } = await cli.ok('audit verify --json', { env: { HKCTL_ANCHORS: log } });
    expect(json()).toMatchObject({ anchors: { count: 2 } });
  });
});

describe('a file that is no log', () => {
  it('is refused: one without an end, and one that fails while it is read', async () => {
    const refused = async (file: string) => {
      const { code, stderr } = await cli.run(['audit', 'verify', '--anchors', file]);
      return [code, stderr];
    };
    expect(await refused('/dev/zero')).toEqual([
      2,
      'error: /dev/zero is no log: it has a line of over a MiB.\n',
    ]);
    expect(await refused('/proc/self/mem')).toEqual([
      2,
      'error: /proc/self/mem cannot be read: EIO.\n',
    ]);
    expect(await refused('/dev/null')).toEqual([
      2,
      expect.stringContaining('/dev/null names no head'),
    ]);
  });
});

describe('a log finds what the chain itself cannot', () => {
  const expectBroken = async (seq: number, reason: RegExp) => {
    const without = (await cli.ok('audit verify --json')).json();
    expect(without).toMatchObject({ ok: true, broken: null });
    const { code, stdout, stderr } = await verify('--json');
    const { ok, broken, anchors } = JSON.parse(stdout);
    expect({ code, ok, broken }).toEqual({ code: 5, ok: false, broken: null });
    expect(anchors.broken).toEqual({ seq, reason: expect.stringMatching(reason) });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'state_forbids',
      message: expect.stringContaining(`from record ${seq} on`),
    });
    const forPeople = await verify();
    expect([forPeople.code, forPeople.stdout]).toEqual([5, '']);
  };

  it('a tail cut off with the sequence lowered', async () => {
    tamper(
      cli.store,
      "delete from audit where seq > 6; update sqlite_sequence set seq = 6 where name = 'audit'",
    );
    await expectBroken(7, /names records up to 8, which are missing/);
  });

  it('a tail cut off and written on', async () => {
    tamper(
      cli.store,
      "delete from audit where seq > 6; update sqlite_sequence set seq = 6 where name = 'audit'",
    );
    for (const name of ['X', 'Y', 'Z']) await cli.key(name);
    await expectBroken(7, /another record was here/);
  });

  it('a chain made anew', async () => {
    const made = await new Cli().fill();
    for (const name of ['X', 'Y', 'Z']) await made.key(name);
    await replaceTrail(made.store);
    await expectBroken(7, /another record was here/);
  });

  it('an older store put back', async () => {
    const before = `${cli.store}.before`;
    tamper(cli.store, '');
    copyFileSync(cli.store, before);
    await cli.key('C');
    await anchor();
    tamper(cli.store, '');
    for (const rest of ['-wal', '-shm']) rmSync(cli.store + rest, { force: true });
    copyFileSync(before, cli.store);
    await expectBroken(9, /up to 9, which are missing/);
  });

  it('a restore from which on records are missing', async () => {
    const file = `${cli.store}.backup`;
    await cli.ok(['backup', file]);
    for (const name of ['C', 'D', 'E']) await cli.key(name);
    await anchor();
    await cli.ok(['restore', file, '--yes']);
    for (const name of ['F', 'G', 'H']) await cli.key(name);
    await expectBroken(12, /another record was here/);
  });

  /** Puts the trail of another store in place of this one's. */
  async function replaceTrail(other: string): Promise<void> {
    const database = openDatabase(cli.store, {});
    database.prepare('attach ? as other').run(other);
    database.exec(`delete from audit; insert into audit select * from other.audit;
      update sqlite_sequence set seq = (select max(seq) from audit) where name = 'audit'`);
    database.close();
  }
});

it('a broken chain is named first, and what the log found beside it', async () => {
  tamper(cli.store, "update audit set target = 'x' where seq = 3");
  const { code, stdout, stderr } = await verify('--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    5,
    { broken: { seq: 3 }, anchors: { broken: null } },
  ]);
  expect(stderr).toContain('broken at record 3');
});

describe('what is no such log is bad input', () => {
  it('a file that is not there', async () => {
    const { code, error } = await cli.run('audit verify --json --anchors /nowhere/hkctl.log');
    expect([code, error().message]).toEqual([
      2,
      '/nowhere/hkctl.log cannot be read: there is no such file.',
    ]);
  });

  it('a path that leads nowhere', async () => {
    for (const [path, why] of [
      [`${log}/x`, 'its parent is not a folder'],
      [`${log}${'x'.repeat(300)}`, 'its name is too long'],
    ] as const) {
      const { code, error } = await cli.run(['audit', 'verify', '--json', '--anchors', path]);
      expect([code, error().message]).toEqual([2, `${path} cannot be read: ${why}.`]);
    }
  });

  it('a folder', async () => {
    mkdirSync(`${log}.d`);
    const { code, error } = await cli.run(['audit', 'verify', '--json', '--anchors', `${log}.d`]);
    expect([code, error().message]).toEqual([2, `${log}.d is a folder, not a log.`]);
  });

  it('a file without a head', async () => {
    writeFileSync(
      log,
      `{"level":"info","count":0,"head":"${genesisHash}","msg":"audit head"}\n{"msg":"request"}\n`,
    );
    const { code, error } = await verify('--json');
    expect([code, error().message]).toEqual([2, `${log} names no head of an audit chain.`]);
    expect(error().hint).toContain('hkctl serve');
    expect(readFileSync(log, 'utf8')).toContain('request');
  });

  it('nothing on standard input', async () => {
    const { code, error } = await cli.run('audit verify --json --anchors -');
    expect([code, error().message]).toEqual([2, 'Standard input names no head of an audit chain.']);
  });
});
