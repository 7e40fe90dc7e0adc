import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';

const cli = new Cli();

beforeAll(async () => {
  await cli.seed();
  await cli.ok('import sensors - --entity BER', {
    input: 'id,code,name,is_active\n1,OVEN-1,Oven,true\n',
  });
});

describe('missing flags', () => {
  it.each([
    ['users add eve', '--name and --role are missing.'],
    ['users add eve --role operator', '--name is missing.'],
    ['entities add NEW', '--name and --timezone are missing.'],
    ['keys create', '--name, --entity and --preset or --permission are missing.'],
    ['keys create --entity BER --permission parts.view', '--name is missing.'],
  ])('of hkctl %s are reported at once', async (line, message) => {
    const { code, error } = await cli.run(`${line} --json`);
    expect([code, error().message]).toEqual([2, message]);
  });

  it('are also reported at once with --yes on a terminal', async () => {
    const { code, stderr } = await cli.run('users add eve --yes', {
      terminal: { columns: 80, rows: 24 },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--name and --role are missing.')]);
  });
});

describe('a code of an entity', () => {
  it.each(['ber', 'BERR', 'be'])('%s suggests the one that is near', async (code) => {
    const result = await cli.run(['keys', 'list', '--entity', code, '--json']);
    expect([result.code, result.error().hint]).toEqual([
      3,
      'Did you mean BER? There are: BER, CHI',
    ]);
  });

  it('is suggested where a part of the name was given', async () => {
    await cli.ok([
      'entities',
      'add',
      'CGN',
      '--name',
      'Cologne works',
      '--timezone',
      'Europe/Berlin',
    ]);
    const { hint } = (await cli.run('keys list --entity cologne --json')).error();
    await cli.ok('entities remove CGN --yes');
    expect(hint).toBe('Did you mean CGN? There are: BER, CGN, CHI');
  });

  it('like no other suggests none', async () => {
    expect((await cli.run('keys list --entity TOKYO --json')).error().hint).toBe(
      'There are: BER, CHI',
    );
  });
});

describe('a name that is nearly right', () => {
  it('of a user is suggested', async () => {
    const { code, error } = await cli.run('users set-role operatr manager --json');
    expect([code, error().hint]).toEqual([
      3,
      'Did you mean operator? hkctl users list shows them.',
    ]);
    expect((await cli.run('users set-role xyz manager --json')).error().hint).toBe(
      'hkctl users list shows them.',
    );
  });

  it('of a sensor is suggested', async () => {
    const { code, error } = await cli.run('sensors show oven-1 --entity BER --json');
    expect([code, error().hint]).toEqual([
      3,
      'Did you mean OVEN-1? hkctl sensors list --entity BER shows them.',
    ]);
  });
});

describe('errors', () => {
  it('are broken between words, at the width of the terminal', async () => {
    const line = 'keys list --entity a-code-that-nobody-has-ever-given-to-any-site';
    const { stderr } = await cli.run(line, { terminal: { columns: 30, rows: 24 } });
    const lines = stripVTControlCharacters(stderr).trimEnd().split('\n');
    expect(lines.join(' ')).toBe(
      'error: No entity "a-code-that-nobody-has-ever-given-to-any-site" in this organization. hint: There are: BER, CHI',
    );
    expect(lines.filter((text) => text.length > 30)).toEqual([
      '"a-code-that-nobody-has-ever-given-to-any-site"',
    ]);
  });

  it('are one line each off a terminal', async () => {
    const { stderr } = await cli.run(
      'keys list --entity a-code-that-nobody-has-ever-given-to-any-site',
    );
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('short names', () => {
  it.each(['keys', 'users', 'entities', 'tenants', 'sensors', 'audit'])(
    'hkctl %s ls lists',
    async (noun) => {
      const more = noun === 'sensors' ? ' --entity BER' : '';
      expect(await cli.ok(`${noun} ls${more}`)).toEqual(
        expect.objectContaining({ stdout: (await cli.ok(`${noun} list${more}`)).stdout }),
      );
    },
  );

  it('hkctl keys rm revokes', async () => {
    const { key } = await cli.key('Short');
    expect((await cli.ok(['keys', 'rm', key.prefix, '--yes'])).stdout).toBe(
      `API key revoked: Short (${key.prefix})\n`,
    );
    expect((await cli.show(key.prefix)).status).toBe('Revoked');
  });

  it('are none for verbs that destroy more than a key', async () => {
    expect((await cli.run('entities rm CHI --yes')).code).toBe(2);
  });
});

describe('--quiet', () => {
  it.each([
    'users add quiet --name Quiet --role operator',
    'users set-role quiet manager',
    'users deactivate quiet --yes',
    'users activate quiet',
    'entities add QUI --name Quiet --timezone UTC',
    'entities deactivate QUI --yes',
    'entities activate QUI',
    'entities remove QUI --yes',
    'tenants set --name Acme',
    'tenants add Other --admin other',
    'migrate',
    'doctor',
    'sensors erase OVEN-1 --entity BER --from 2026-11-20 --to 2026-11-21 --yes',
    `systemd-unit --folder ${mkdtempSync(join(tmpdir(), 'hkctl-units-'))}`,
  ])('hkctl %s says nothing on success', async (line) => {
    const { stdout, stderr } = await cli.ok(`${line} --quiet`);
    expect(stdout + stderr).toBe('');
  });

  it('also by its variable; results, warnings and errors stay', async () => {
    const env = { HKCTL_QUIET: '1' };
    const { stdout, stderr } = await cli.ok(
      'keys create --name Q --entity BER --preset sensor-gateway',
      { env },
    );
    expect(stdout).toMatch(/^hk_\w{49}\n$/);
    expect(stderr).toBe('');
    expect((await cli.ok('keys list', { env })).stdout).toContain('PREFIX');
    expect((await cli.run('keys show hk_nope1', { env })).stderr).toContain('API key not found');
  });
});

describe('--utc', () => {
  it.each(['keys show REF', 'sensors show OVEN-1 --entity BER'])(
    'shows the times of hkctl %s in UTC',
    async (line) => {
      const { key } = await cli.key('Clock');
      const words = line.replace('REF', key.prefix).split(' ');
      expect((await cli.ok(words)).stdout).toContain('2026-11-20 09:00:00 CET');
      const { stdout } = await cli.ok([...words, '--utc']);
      expect(stdout).toContain('2026-11-20T08:00:00Z');
      expect(stdout).not.toContain('CET');
    },
  );
});

describe('the store of the system', () => {
  const said = async (line: string) => (await cli.ok(line, { isSystemStore: true })).stderr;

  it('is named once on standard error by a command that uses it', async () => {
    expect(await said('keys show --help')).toBe('');
    expect(await said('users list')).toBe(`Store: ${cli.store}\n`);
    expect(await said('doctor')).toBe(`Store: ${cli.store}\n`);
    expect(await said('users list --quiet')).toBe('');
    const { stdout, stderr, json } = await cli.ok('users list --json', { isSystemStore: true });
    expect([stderr, stdout.trimEnd().split('\n')]).toEqual([
      `Store: ${cli.store}\n`,
      [expect.stringMatching(/^\[/)],
    ]);
    expect(json<unknown[]>()).not.toEqual([]);
    expect(await said('users list --json --quiet')).toBe('');
    expect(await said(`users list --store ${cli.store}`)).toBe('');
  });
});

it('the store of the account is named on standard error if there is one of the system, too', async () => {
  const otherStorePath = '/var/lib/hkctl/hkctl.db';
  const said = async (line: string) => (await cli.ok(line, { otherStorePath })).stderr;
  expect(await said('users list')).toBe(
    `Store: ${cli.store} (not /var/lib/hkctl/hkctl.db, which --store names)\n`,
  );
  expect(await said('users list --quiet')).toBe('');
  expect(await said(`users list --store ${cli.store}`)).toBe('');
});

describe('hkctl init', () => {
  const flags = '--org Acme --entity BER --entity-name Berlin --timezone Europe/Berlin'.split(' ');

  it('asks nothing on a terminal where the flags of the README are given', async () => {
    const fresh = new Cli();
    const { stdout, stderr } = await fresh.ok(['init', ...flags], {
      terminal: { columns: 80, rows: 24 },
    });
    expect(stripVTControlCharacters(stdout)).toContain('Store made:');
    expect(stripVTControlCharacters(stderr)).toBe(
      'Next: hkctl keys create --entity BER, then hkctl serve\n',
    );
    expect((await fresh.ok('tenants list --json')).json()).toMatchObject([
      { week_start: 'monday' },
    ]);
  });
});
