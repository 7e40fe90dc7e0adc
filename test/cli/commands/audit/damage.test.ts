import { beforeEach, describe, expect, it } from 'vitest';
import { chainRecord } from '../../../../src/core/audit/chain.ts';
import type { AuditRecord } from '../../../../src/core/port/audit.ts';
import { drawSecret } from '../../../../src/core/secrets.ts';
import { openDatabase } from '../../../../src/store/sqlite-file/driver.ts';
import { Cli } from '../../harness.ts';
import { tamper } from '../../tamper.ts';

/** What each driver makes of the half of a character, as the database keeps it: three bytes, or U+FFFD. */
const images = { 'as three bytes': 'eda0bd', 'as U+FFFD': 'efbfbd' };

/** The login of issue 11, whose 64th unit is the first half of a character. */
const login = `${'a'.repeat(63)}\u{1f600}zz`;

/** Appends what an earlier hkctl wrote for a login: hashed with half a character, and kept without it. */
function appendCutInHalf(store: string, start: string, image: string): void {
  const database = openDatabase(store, {});
  const head = database
    .prepare<[], AuditRecord>('select seq, hash from audit order by seq desc limit 1')
    .get();
  const draft = {
    tenantId: null,
    atMs: 1_795_000_000_000,
    action: 'profile.use',
    actor: null,
    osAccount: 'root',
    target: `${start}\ud83d…`,
    outcome: 'denied',
    detail: { reason: 'no_profile' },
  } as const;
  const { seq, previousHash, hash } = chainRecord(draft, head);
  const bytes = Buffer.concat([Buffer.from(start), Buffer.from(image, 'hex'), Buffer.from('…')]);
  database
    .prepare(
      `insert into audit (seq, at_ms, action, os_account, target, outcome, detail, previous_hash, hash)
       values (?, ?, ?, ?, cast(? as text), ?, ?, ?, ?)`,
    )
    .run(
      seq,
      draft.atMs,
      draft.action,
      draft.osAccount,
      bytes,
      draft.outcome,
      JSON.stringify(draft.detail),
      previousHash,
      hash,
    );
  database.close();
}

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

it('a mistyped login of any length and character leaves the trail whole, and backups possible', async () => {
  for (const text of [
    login,
    `${'a'.repeat(64)}\u{1f600}`,
    '\u{1f600}'.repeat(70),
    '\u{1f600}'.repeat(64),
    `\ud83d${login}`,
  ]) {
    expect((await cli.run(['--as', text, 'keys', 'list'])).code).toBe(4);
  }
  const { json } = await cli.ok('audit list --limit 5 --json');
  expect(json<{ target: string }[]>().map(({ target }) => target)).toEqual([
    `\ufffd${'a'.repeat(63)}…`,
    '\u{1f600}'.repeat(64),
    `${'\u{1f600}'.repeat(64)}…`,
    `${'a'.repeat(64)}…`,
    `${'a'.repeat(63)}\u{1f600}…`,
  ]);
  await cli.ok('audit verify');
  await cli.ok(['backup', `${cli.store}.backup`]);
});

describe.each(Object.entries(images))(
  'a record that an earlier hkctl cut in half, kept %s',
  (_, image) => {
    beforeEach(async () => {
      appendCutInHalf(cli.store, 'a'.repeat(63), image);
      await cli.key('After');
    });

    it('is named, and is no break of the chain', async () => {
      const verified = await cli.ok('audit verify');
      expect(verified.stdout).toMatch(/^8 records, the chain is whole\.\nhead [0-9a-f]{64}\n$/);
      expect(verified.stderr).toContain(
        'warning: Audit record 7: an earlier version of hkctl cut the text',
      );
      expect((await cli.ok('audit verify --json')).json()).toMatchObject({
        ok: true,
        broken: null,
        damaged: [7],
      });
    });

    it('holds up neither backup nor restore, and doctor says which it is', async () => {
      const file = `${cli.store}.backup`;
      const backup = await cli.ok(['backup', file]);
      expect(backup.stderr).toContain('warning: Audit record 7: an earlier version');
      expect((await cli.ok(['backup', file, '--force', '--json'])).json()).toMatchObject({
        damaged_audit_records: [7],
      });
      await cli.ok(['restore', file, '--yes']);
      const { stdout } = await cli.ok('doctor --json');
      const check = JSON.parse(stdout).checks.find(
        ({ name }: { name: string }) => name === 'audit',
      );
      expect(check).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('Audit record 7:'),
      });
    });

    it.each([
      ['another text before the cut', "target = 'b' || substr(target, 2)"],
      ['another text behind the cut', "target = target || 'x'"],
      ['a text without the cut', "target = replace(target, '…', '')"],
      ['another field', "outcome = 'done'"],
      ['another time', 'at_ms = at_ms + 1'],
      ['another account', "os_account = 'eve'"],
      ['a text that only looks cut', `target = 'b' || char(65533) || '…'`],
      ['another hash', "hash = '00'"],
    ])('is altered with %s', async (_what, change) => {
      tamper(cli.store, `update audit set ${change} where seq = 7`);
      const { code, stdout } = await cli.run('audit verify --json');
      expect([code, JSON.parse(stdout).broken]).toEqual([
        5,
        { seq: 7, reason: 'its content was altered' },
      ]);
    });
  },
);

it('a record is none of these because its text looks cut: the hash decides', async () => {
  await cli.key('A');
  tamper(cli.store, "update audit set target = 'x' || char(65533) || '…' where seq = 3");
  const { code, stdout } = await cli.run('audit verify --json');
  expect([code, JSON.parse(stdout)]).toEqual([
    5,
    expect.not.objectContaining({ damaged: expect.anything() }),
  ]);
  expect(JSON.parse(stdout).broken).toEqual({ seq: 3, reason: 'its content was altered' });
});

it('several are named in order, and not all of very many', async () => {
  for (let n = 0; n < 12; n++)
    appendCutInHalf(
      cli.store,
      `\ufffd${n}\ufffd`,
      n % 2 === 0 ? images['as U+FFFD'] : images['as three bytes'],
    );
  const { stderr } = await cli.ok('audit verify');
  expect(stderr).toContain(
    'Audit records 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 2 more: an earlier version',
  );
});

it('a login that is cut shows no part of a secret that stands where it is cut', async () => {
  const secret = drawSecret();
  for (const start of ['', 'a'.repeat(20), 'a'.repeat(40), '\u{1f600}'.repeat(59)]) {
    await cli.run(['--as', `${start}-${secret}`, 'keys', 'list']);
    const [last] = (await cli.ok('audit list --limit 1 --json')).json<{ target: string }[]>();
    expect(last?.target.startsWith(`${start}-`)).toBe(true);
    expect(last?.target).not.toContain(secret.slice(3, 9));
  }
});
