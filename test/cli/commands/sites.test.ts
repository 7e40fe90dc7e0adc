import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../harness.ts';
import { press } from '../keyboard.ts';
import { tamper } from '../tamper.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

interface EntityJson {
  code: string;
  name: string;
  timezone: string;
  keys: number;
}
const entityOf = async (code: string) =>
  (await cli.ok('entities list --json')).json<EntityJson[]>().find((one) => one.code === code);

describe('time zones of sites', () => {
  it('are stored in the spelling of IANA, however they are typed', async () => {
    await cli.ok('entities add NYC --name Queens --timezone america/new_york');
    await cli.ok('entities add KOL --name Kolkata --timezone ASIA/KOLKATA');
    await cli.ok('entities add BOX --name Box --timezone utc');
    for (const [code, timezone] of [
      ['NYC', 'America/New_York'],
      ['KOL', 'Asia/Kolkata'],
      ['BOX', 'UTC'],
    ])
      expect(await entityOf(code ?? '')).toMatchObject({ timezone });
  });

  it('that are wrong are refused with the nearest one', async () => {
    for (const line of [
      'entities add NYC --name Queens --timezone Europe/Berln',
      'entities set BER --timezone europe/berln --yes',
    ]) {
      const refused = await cli.run(line);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(
          /Europe\/Berln"? is not an IANA time zone[\s\S]*Did you mean Europe\/Berlin\?/i,
        ),
      ]);
    }
  });
});

describe('entities set', () => {
  it('changes name and time zone, each by itself, and audits what it changed', async () => {
    const renamed = (await cli.ok('entities set BER --name "Werk Berlin" --json')).json();
    expect(renamed).toMatchObject({ code: 'BER', name: 'Werk Berlin', timezone: 'Europe/Berlin' });
    const moved = await cli.ok('entities set BER --timezone europe/zurich --yes');
    expect(moved.stdout).toBe('Entity set: Werk Berlin (BER), time zone Europe/Zurich\n');
    expect(await entityOf('BER')).toMatchObject({ name: 'Werk Berlin', timezone: 'Europe/Zurich' });
    expect((await cli.ok('audit list --json --limit 2')).json()).toMatchObject([
      { action: 'entity.set', target: 'BER', detail: { timezone: 'Europe/Zurich' } },
      { action: 'entity.set', target: 'BER', detail: { name: 'Werk Berlin' } },
    ]);
  });

  it('asks before a new time zone only, and says what follows', async () => {
    const refused = await cli.run('entities set BER --timezone America/Chicago');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('Days, weeks and dates count in it from then on.'),
    ]);
    expect(await entityOf('BER')).toMatchObject({ timezone: 'Europe/Berlin' });
    await cli.ok('entities set BER --timezone EUROPE/BERLIN --name Berlin');
    const terminal = { columns: 100, rows: 30 };
    const line = 'entities set BER --timezone America/Chicago';
    expect((await cli.run(line, { terminal, keys: [press.enter] })).code).toBe(130);
    await cli.ok(line, { terminal, keys: [{ on: 'Cancel', type: press.down }, press.enter] });
    expect(await entityOf('BER')).toMatchObject({ name: 'Berlin', timezone: 'America/Chicago' });
  });

  it('keeps the expiry of keys, and counts new dates in the new time zone', async () => {
    const { key } = await cli.key('A', ['--expires', '2030-06-30']);
    await cli.ok('entities set BER --timezone America/Chicago --yes');
    expect((await cli.show(key.id)).expires_at).toBe(key.expires_at);
    const { key: later } = await cli.key('B', ['--expires', '2030-06-30']);
    const hours =
      (Date.parse(later.expires_at ?? '') - Date.parse(key.expires_at ?? '')) / 3_600_000;
    expect(hours).toBe(7);
  });

  it('needs a change, a Super user and an entity', async () => {
    expect((await cli.run('entities set BER')).code).toBe(2);
    expect((await cli.run('entities set BER --name X --as entity_admin')).code).toBe(4);
    expect((await cli.run('entities set NONE --name X')).code).toBe(3);
    expect((await cli.run(['entities', 'set', 'BER', '--name', 'a\u200bb'])).stderr).toContain(
      'U+200B',
    );
  });
});

it('lists how many active keys each site has', async () => {
  const { key } = await cli.key('A');
  await cli.key('B');
  await cli.key('C', ['--expires', '1d']);
  await cli.ok(['keys', 'revoke', key.id, '--yes']);
  await cli.ok('keys create --name D --entity CHI --preset sensor-gateway --json');
  expect(await entityOf('BER')).toMatchObject({ keys: 2 });
  expect(await entityOf('CHI')).toMatchObject({ keys: 1 });
  cli.nowMs += 2 * 86_400_000;
  expect(await entityOf('BER')).toMatchObject({ keys: 1 });
  expect((await cli.ok('entities deactivate BER --yes --json')).json()).toMatchObject({ keys: 1 });
  const { stdout } = await cli.ok('entities list');
  expect(stdout).toMatch(/KEYS/);
});

it('shows a zone that an older version has stored as it was typed in the spelling of IANA', async () => {
  tamper(cli.store, "update entities set timezone = 'europe/berlin' where code = 'BER'");
  expect(await entityOf('BER')).toMatchObject({ timezone: 'Europe/Berlin' });
  // It is the same zone: there is nothing to ask.
  await cli.ok('entities set BER --timezone Europe/Berlin');
});
