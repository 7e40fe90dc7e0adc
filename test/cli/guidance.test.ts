import { beforeAll, describe, expect, it } from 'vitest';
import { Cli, type KeyJson } from './harness.ts';

const cli = new Cli();
let key: KeyJson;
beforeAll(async () => {
  await cli.seed();
  key = (await cli.key('Gateway line 3')).key;
  await cli.key('ERP', ['--expires', '90d']);
});

async function refused(line: string | readonly string[], code = 2): Promise<string> {
  const result = await cli.run(line);
  expect([String(line), result.code, result.stdout]).toEqual([String(line), code, '']);
  return result.stderr;
}

describe('a wish without a command is answered with what to do instead', () => {
  it.each([
    ['--entity BER keys list', 'hkctl keys list --entity BER'],
    ['--name=X --entity BER keys create', 'hkctl keys create --name=X --entity BER'],
    ['--limit 5 audit list', 'hkctl audit list --limit 5'],
    ['keys verify some.key', 'hkctl keys verify < FILE'],
    ['keys list oven', 'hkctl keys list --search oven'],
    ['--store x.db keys list oven', 'hkctl --store x.db keys list --search oven'],
    ['--store x.db keys verify some.key', 'hkctl --store x.db keys verify < FILE'],
    ['keys list "oven 3"', "hkctl keys list --search 'oven 3'"],
    ['keys unrevoke hk_Ab3dE', 'hkctl keys create'],
    ['keys rename hk_Ab3dE New', 'hkctl keys note REF TEXT'],
    ['keys edit hk_Ab3dE', 'hkctl keys create'],
    ['keys extend hk_Ab3dE', 'hkctl keys create'],
    ['keys disable hk_Ab3dE', 'hkctl entities deactivate CODE'],
    ['keys rotate hk_Ab3dE --expires 90d', 'hkctl keys create'],
    ['keys rotate hk_Ab3dE --name New', 'hkctl keys create'],
    ['keys rotate hk_Ab3dE --expires=90d', 'hkctl keys create'],
    ['keys rotate hk_Ab3dE --allow-ip=10.0.0.0/8 --yes', 'hkctl keys create'],
    ['keys list --entiti=BER', 'Did you mean --entity?'],
    ['keys grant hk_Ab3dE parts.view', 'hkctl keys create'],
    ['users list x', 'users list takes no argument'],
  ])('hkctl %s', async (line, instead) => {
    expect(await refused(line)).toContain(instead);
  });

  it.each([
    ['Gatway line 3', 3],
    ['gateway line 3', 3],
    ['Gateway lin 3', 3],
  ])('keys show %j names the key that is meant', async (name, code) => {
    for (const verb of [['show'], ['rotate', '--yes'], ['revoke', '--yes'], ['note']]) {
      const more = verb[0] === 'note' ? ['x'] : [];
      const [word = '', ...flags] = verb;
      const said = await refused(['keys', word, name, ...more, ...flags], code);
      expect(said).toContain(`Did you mean ${key.prefix} (Gateway line 3)?`);
    }
    expect((await cli.show(key.prefix)).status).toBe('Active');
  });

  it('a mistyped prefix names the key that is meant, and a random one none', async () => {
    const last = key.prefix.at(-1) === 'x' ? 'y' : 'x';
    const mistyped = `${key.prefix.slice(0, -1)}${last}`;
    expect(await refused(`keys show ${mistyped}`, 3)).toContain(key.prefix);
    expect(await refused(`keys show ${key.prefix.slice(0, 6)}`, 3)).toContain(key.prefix);
    expect(await refused('keys show hk_00000', 3)).not.toContain('Did you mean');
  });
});

describe('a suggestion never does more than what was typed', () => {
  it.each([
    ['keys unrevoke hk_Ab3dE', 'revoke?'],
    ['keys reactivate hk_Ab3dE', 'deactivate'],
    ['users reactivate operator', 'deactivate?'],
    ['users inactivate operator', 'deactivate?'],
    ['entities reactivate CHI', 'deactivate?'],
    ['entities unremove CHI', 'remove?'],
    ['entities move CHI', 'remove?'],
    ['keys renew hk_Ab3dE', 'rotate?'],
    ['keys renote hk_Ab3dE', 'rotate?'],
    ['keys state', 'rotate?'],
    ['sensors phrase OVEN', 'erase?'],
    ['store', 'restore?'],
    ['restart', 'restore?'],
    ['unit', 'init?'],
    ['immigrate', 'migrate?'],
    ['keys list --sort name', '--store'],
    ['keys list --small', '--all'],
    ['keys rotate hk_Ab3dE --forge', '--force'],
    ['keys revoke hk_Ab3dE --yet', '--yes'],
    ['keys list --call', '--all'],
  ])('hkctl %s does not suggest %s', async (line, suggested) => {
    expect(await refused(line)).not.toContain(suggested);
  });

  it.each([
    ['keys revke hk_Ab3dE', 'revoke?'],
    ['keys reovke hk_Ab3dE', 'revoke?'],
    ['keys rotat hk_Ab3dE', 'rotate?'],
    ['users deactvate operator', 'deactivate?'],
    ['keys lst', 'list?'],
    ['keys create --entty BER', '--entity?'],
    ['keys list --unused-fro 9d', '--unused-for?'],
  ])('hkctl %s still suggests %s', async (line, suggested) => {
    expect(await refused(line)).toContain(suggested);
  });

  it.each([
    ['2026-11-20 14:00', '2026-11-20T14:00:00+01:00'],
    ['2026-11-20T14:00:00', '2026-11-20T14:00:00+01:00'],
    ['2026-11-20T14:00:00.750', '2026-11-20T14:00:00.750+01:00'],
    ['2026-11-20 14:00:00,5 UTC', '2026-11-20T14:00:00.5Z'],
    ['20.11.2026 14:00', '2026-11-20T14:00:00+01:00'],
    ['20.11.2026', '2026-11-20?'],
    ['2026-11-20 14', undefined],
    ['2026-11-20 2pm', undefined],
    ['2026-11-20T1400', undefined],
    ['2026-11-20 14:00 CET', undefined],
    ['2026-11-20 25:00', undefined],
    ['2026-11-20 14:00 PM', undefined],
    ['20.11.2026 14 Uhr', undefined],
    // The clock shows this time twice, or never.
    ['2026-10-25 02:30', undefined],
    ['2026-03-29 02:30', undefined],
  ])('sensors erase --from %j', async (from, suggested) => {
    const said = await refused([
      ...['sensors', 'erase', 'OVEN', '--entity', 'BER', '--yes'],
      ...['--from', from, '--to', '2026-11-21'],
    ]);
    if (suggested === undefined) expect(said).not.toContain('Did you mean');
    else expect(said).toContain(`Did you mean ${suggested}`);
  });
});

describe('an expiry', () => {
  const create = ['keys', 'create', '--name', 'X', '--entity', 'BER', '--permission', 'parts.view'];

  it.each([
    ['3 months', '2027-02-20?'],
    ['3mo', '2027-02-20?'],
    ['90 days', '90d?'],
    ['2 weeks', '2w?'],
    ['1 year', '365d?'],
    ['2027-01-31T10:00:00', '2027-01-31T10:00:00+01:00?'],
    ['31.01.2027', '2027-01-31?'],
    ['3m', '180s for minutes, or 2027-02-20 for months'],
    ['12m', '720s for minutes, or 2027-11-20 for months'],
  ])('of %j is refused with what is meant', async (expires, meant) => {
    expect(await refused([...create, '--expires', expires])).toContain(meant);
  });

  it('of a month is unclear for --if-older-than, too', async () => {
    const said = await refused(`keys rotate ${key.prefix} --if-older-than 3m --yes`);
    expect(said).toContain('180s for minutes, or 90d for months');
  });

  it.each(['--unused-for', '--older-than', '--expiring-within'])(
    'of a month is unclear for %s, too',
    async (flag) => {
      expect(await refused(`keys list ${flag} 3m`)).toContain(
        '180s for minutes, or 90d for months',
      );
    },
  );

  it('and the addresses are in the result of keys create', async () => {
    const flags = ['--expires', '2027-02-25', '--allow-ip', '10.0.0.0/8'];
    const { stderr } = await cli.ok([...create, ...flags]);
    expect(stderr).toMatch(/API key created: X \(hk_\w{5}\) for BER/);
    expect(stderr).toContain('It expires 2027-02-25 23:59:59 CET');
    expect(stderr).toContain('may be used from 10.0.0.0/8');
    const open = await cli.ok([...create, '--quiet']);
    expect(open.stderr).toContain('Another active key has this name: hk_');
    const third = await cli.ok(create);
    expect(third.stderr).toContain('It never expires and may be used from any address.');
    expect(third.stderr).toMatch(
      /Other active keys have this name: hk_\w{5}, hk_\w{5}\. Commands with this name are refused/,
    );
  });

  it('of the successor is in the result of keys rotate', async () => {
    const { stderr } = await cli.ok('keys rotate ERP --yes');
    expect(stderr).toMatch(/It still expires 2027-02-18 .*; to extend, create a new key\./);
    const never = await cli.ok(['keys', 'rotate', key.prefix, '--yes']);
    expect(never.stderr).not.toContain('expires');
  });

  it('is on the one-time panel, with entity and addresses', async () => {
    const terminal = { columns: 100, rows: 30 };
    const flags = ['--expires', '2027-02-25', '--allow-ip', '10.0.0.0/8', '--name', 'Panel'];
    const line = ['keys', 'create', '--entity', 'BER', '--permission', 'parts.view', ...flags];
    const keys = ['d', { on: 'Dismiss?', type: 'y' }];
    const { stdout } = await cli.ok(line, { terminal, keys });
    for (const text of ['BER  Berlin plant', '2027-02-25 23:59:59 CET', 'only from 10.0.0.0/8'])
      expect(stdout).toContain(text);
  });
});

it.each([
  ['10.0.0.5/8', 'network, 10.0.0.0/8, or the address, 10.0.0.5/32'],
  ['192.168.1.1/24', '192.168.1.0/24'],
  ['fd00::1/8', 'fd00::/8'],
  ['::ffff:10.0.0.5/104', '10.0.0.0/8'],
])(
  'the network %s with an address in it is refused with both that can be meant',
  async (network, meant) => {
    const create = 'keys create --name X --entity BER --permission parts.view --allow-ip';
    const said = await refused(`${create} ${network}`);
    expect(said).toContain(meant.split('/32')[0]);
  },
);

it('an inactive entity takes no new key', async () => {
  await cli.ok('entities deactivate CHI --yes');
  const create = 'keys create --name X --entity CHI --permission parts.view';
  expect(await refused(create, 5)).toContain('inactive');
  await cli.ok('entities activate CHI');
});
