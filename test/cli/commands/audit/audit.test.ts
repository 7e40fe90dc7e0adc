import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../properties.ts';
import { Cli } from '../../harness.ts';
import { tamper } from '../../tamper.ts';

async function withTrail(): Promise<Cli> {
  const cli = await new Cli().seed();
  const { key } = await cli.key('A');
  await cli.ok(['keys', 'rotate', key.id, '--yes', '--json']);
  return cli;
}

async function broken(cli: Cli): Promise<{ seq: number; reason: string } | null> {
  const { code, stdout } = await cli.run('audit verify --json');
  const report = JSON.parse(stdout);
  expect(code).toBe(report.ok ? 0 : 5);
  return report.broken;
}

describe('audit verify names the first record that was', () => {
  const changes: [what: string, sql: string, seq: number, reason: RegExp][] = [
    ['altered', "update audit set target = 'x' where seq = 3", 3, /content was altered/],
    [
      'altered with a hash made up for it',
      "update audit set target = 'x', hash = '00' where seq = 3",
      3,
      /altered/,
    ],
    ['removed', 'delete from audit where seq = 3', 3, /it was removed, and record 4 follows/],
    [
      'the first, and removed',
      'delete from audit where seq = 1',
      1,
      /it was removed, and record 2 follows/,
    ],
    [
      'cut off at the end',
      'delete from audit where seq > 6',
      7,
      /the records 7 to 8 at the end were removed/,
    ],
    ['emptied', 'delete from audit', 1, /the records 1 to 8 at the end were removed/],
    [
      'emptied, and its sequence set to nothing',
      "delete from audit; update sqlite_sequence set seq = 0 where name = 'audit'",
      1,
      /it was removed, and all that followed/,
    ],
    [
      'emptied, and its sequence removed',
      "delete from audit; delete from sqlite_sequence where name = 'audit'",
      1,
      /it was removed, and all that followed/,
    ],
    [
      'left without its sequence',
      "delete from sqlite_sequence where name = 'audit'",
      9,
      /count of records was set back to 0/,
    ],
    [
      'left with a lower sequence',
      "update sqlite_sequence set seq = 7 where name = 'audit'",
      9,
      /count of records was set back to 7/,
    ],
    [
      'moved',
      'update audit set seq = 99 where seq = 3; update audit set seq = 3 where seq = 4; update audit set seq = 4 where seq = 99',
      3,
      /does not follow|altered/,
    ],
    [
      'put in before the first',
      "insert into audit select 0, tenant_id, at_ms, action, actor_id, actor_login, os_account, 'forged', outcome, detail, previous_hash, hash from audit where seq = 1",
      0,
      /out of order/,
    ],
    [
      'put in far before the first',
      "insert into audit select -9223372036854775807, tenant_id, at_ms, action, actor_id, actor_login, os_account, 'forged', outcome, detail, previous_hash, hash from audit where seq = 1",
      -9223372036854776000,
      /out of order/,
    ],
    [
      'put in',
      "insert into audit select null, tenant_id, at_ms, action, actor_id, actor_login, os_account, 'forged', outcome, detail, hash, hash from audit order by seq desc limit 1",
      9,
      /altered/,
    ],
  ];
  for (const [what, sql, seq, reason] of changes) {
    it(what, async () => {
      const cli = await withTrail();
      expect(await broken(cli)).toBeNull();
      tamper(cli.store, sql);
      expect(await broken(cli)).toEqual({ seq, reason: expect.stringMatching(reason) });
    });
  }

  it.each([
    ['at 0', 'update sqlite_sequence set seq = 0'],
    ['removed', 'delete from sqlite_sequence'],
  ])('emptied with its sequence %s, though hkctl wrote on', async (_, sql) => {
    const cli = await withTrail();
    tamper(cli.store, `delete from audit; ${sql} where name = 'audit'`);
    // Work goes on, and the trail that begins anew fits in itself.
    await cli.key('B');
    await cli.key('C');
    expect(await broken(cli)).toEqual({
      seq: 1,
      reason: expect.stringMatching(/not the store\.init .* made anew/),
    });
    const { code, stderr } = await cli.run(`backup ${cli.store}.backup`);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('audit record 1: it is not the store.init'),
    ]);
  });

  it('cut off, which a backup does not copy either', async () => {
    const cli = await withTrail();
    tamper(cli.store, 'delete from audit where seq > 6');
    const { code, stderr } = await cli.run(`backup ${cli.store}.backup`);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('audit record 7: the records 7 to 8'),
    ]);
  });

  it('cut off, also where others have written on', async () => {
    const cli = await withTrail();
    tamper(cli.store, 'delete from audit where seq > 6');
    await cli.key('B');
    expect(await broken(cli)).toEqual({ seq: 7, reason: 'it was removed, and record 9 follows' });
  });

  it('lost to a sequence that was set back, and others write on all the same', async () => {
    const cli = await withTrail();
    tamper(cli.store, "delete from sqlite_sequence where name = 'audit'");
    await cli.key('B');
    expect(await broken(cli)).toBeNull();
  });

  it('changed in any one field', async () => {
    const cli = await withTrail();
    const columns = [
      'tenant_id',
      'at_ms',
      'action',
      'actor_login',
      'actor_id',
      'os_account',
      'target',
      'outcome',
      'detail',
      'hash',
      'previous_hash',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...columns),
        fc.integer({ min: 1, max: 8 }),
        async (column, seq) => {
          const value =
            column === 'at_ms'
              ? 'at_ms + 1'
              : column === 'detail'
                ? `'{"x":1}'`
                : column === 'outcome'
                  ? `'denied'`
                  : `'changed'`;
          const undo = tamper(
            cli.store,
            `update audit set ${column} = ${value} where seq = ${seq}`,
          );
          const found = await broken(cli);
          undo();
          expect(found?.seq).toBe(seq);
        },
      ),
      propertyRuns(25),
    );
    expect(await broken(cli)).toBeNull();
  });
});

describe('audit verify --head', () => {
  it('finds a head that was kept elsewhere, also where the chain has grown since', async () => {
    const cli = await withTrail();
    const { head_hash: head } = (await cli.ok('audit verify --json')).json<{ head_hash: string }>();
    await cli.key('B');
    expect((await cli.ok(['audit', 'verify', '--json', '--head', head])).json()).toMatchObject({
      known_head_found: true,
    });
  });

  it('finds that a chain does not hold it, though it is whole', async () => {
    const cli = await withTrail();
    const { code, stdout, stderr } = await cli.run([
      'audit',
      'verify',
      '--json',
      '--head',
      'a'.repeat(64),
    ]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      5,
      { ok: false, broken: null, known_head_found: false },
    ]);
    expect(JSON.parse(stderr).error.message).toContain('does not hold the given head');
  });
});
