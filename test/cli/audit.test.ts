import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';
import { tamper } from './tamper.ts';

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
    ['altered with a hash made up for it', "update audit set target = 'x', hash = '00' where seq = 3", 3, /altered/],
    ['removed', 'delete from audit where seq = 3', 3, /it was removed, and record 4 follows/],
    ['the first, and removed', 'delete from audit where seq = 1', 1, /it was removed, and record 2 follows/],
    ['cut off at the end', 'delete from audit where seq > 6', 7, /at the end were removed/],
    [
      'moved',
      'update audit set seq = 99 where seq = 3; update audit set seq = 3 where seq = 4; update audit set seq = 4 where seq = 99',
      3,
      /does not follow|altered/,
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
      fc.asyncProperty(fc.constantFrom(...columns), fc.integer({ min: 1, max: 8 }), async (column, seq) => {
        const value =
          column === 'at_ms'
            ? 'at_ms + 1'
            : column === 'detail'
              ? `'{"x":1}'`
              : column === 'outcome'
                ? `'denied'`
                : `'changed'`;
        const undo = tamper(cli.store, `update audit set ${column} = ${value} where seq = ${seq}`);
        const found = await broken(cli);
        undo();
        expect(found?.seq).toBe(seq);
      }),
      { numRuns: 25 },
    );
    expect(await broken(cli)).toBeNull();
  });
});
