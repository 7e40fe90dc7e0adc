import { beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf, commands } from './all-commands.ts';
import { Cli, type KeyJson } from './harness.ts';

const cli = new Cli();
let key: KeyJson;
beforeAll(async () => {
  await cli.seed();
  key = (await cli.key('Gateway', ['--note', 'Line 3'])).key;
});

const audited = async () => (await cli.ok('audit list --json --limit 100000')).stdout;

describe('--json FIELD,…', () => {
  it.each([
    ['keys list --json name,prefix', () => [{ name: 'Gateway', prefix: key.prefix }]],
    ['keys list --json prefix,name', () => [{ prefix: key.prefix, name: 'Gateway' }]],
    ['keys list --json=name', () => [{ name: 'Gateway' }]],
    ['keys list --json name --all', () => [{ name: 'Gateway' }]],
    ['--json name,status keys list', () => [{ name: 'Gateway', status: 'Active' }]],
    ['--json name keys list', () => [{ name: 'Gateway' }]],
    ['keys --json name list', () => [{ name: 'Gateway' }]],
    ['keys --json name', () => [{ name: 'Gateway' }]],
    ['keys ls --json name', () => [{ name: 'Gateway' }]],
    ['list keys --json name', () => [{ name: 'Gateway' }]],
    ['keys show Gateway --json note', () => ({ note: 'Line 3' })],
    ['keys show --json note Gateway', () => ({ note: 'Line 3' })],
    ['entities list --json code', () => [{ code: 'BER' }, { code: 'CHI' }]],
    ['tenants list --json name,week_start', () => [{ name: 'Acme', week_start: 'monday' }]],
    // Fields that are nouns, too.
    ['keys list --json status', () => [{ status: 'Active' }]],
    ['keys show Gateway --json status', () => ({ status: 'Active' })],
    ['entities list --json keys', () => [{ keys: 1 }, { keys: 0 }]],
    ['--json status keys list', () => [{ status: 'Active' }]],
    ['status --json ok,attention', () => ({ ok: true, attention: [] })],
    ['status --json keys.active,daemon', () => ({ keys: { active: 1 }, daemon: null })],
    ['permissions list --json presets', () => ({ presets: expect.any(Array) })],
    ['audit verify --json ok', () => ({ ok: true })],
  ])('%s', async (line, expected) => {
    const { stdout } = await cli.ok(line);
    expect(JSON.parse(stdout)).toEqual(expected());
    expect(Object.keys([JSON.parse(stdout)].flat()[0])).toEqual(
      Object.keys([expected()].flat()[0] ?? {}),
    );
  });

  it('has every field that status has inside its objects', async () => {
    const status = (await cli.ok('status --json')).json<Record<string, object>>();
    for (const name of ['store', 'keys', 'sensors']) {
      const inner = Object.keys(status[name] ?? {}).map((field) => `${name}.${field}`);
      const part = (await cli.ok(`status --json ${inner.join(',')}`)).json();
      expect(part).toEqual({ [name]: status[name] });
    }
  });

  it('gives each row of a list the same fields', async () => {
    await cli.ok('users add ber --name Ber --role entity_admin --entity BER');
    const users = (await cli.ok('users list --json login,entities')).json<object[]>();
    expect(users.map((user) => Object.keys(user).join())).toEqual(
      users.map(() => 'login,entities'),
    );
    expect(users).toContainEqual({ login: 'root', entities: null });
  });

  it('leaves a word that is no list of fields to the command', async () => {
    const whole = await cli.show('Gateway');
    const {
      usage: _,
      pending_commands: __,
      ...shown
    } = (await cli.ok('keys show --json Gateway')).json<
      KeyJson & { usage: unknown; pending_commands: unknown }
    >();
    expect(shown).toEqual(whole);
    expect((await cli.ok(['keys', 'show', '--json', key.prefix])).json()).toMatchObject(whole);
    expect((await cli.ok('--json keys list')).json()).toHaveLength(1);
    expect((await cli.ok('--json list keys')).json()).toHaveLength(1);
    expect((await cli.ok('--json status')).json()).toHaveProperty('daemon');
    expect((await cli.ok('keys --json list')).json()).toHaveLength(1);
    const { code } = await cli.run('keys show --json nothing');
    expect(code).toBe(3);
  });

  it('chooses fields inside other fields', async () => {
    const line = 'keys create --name Nested --entity BER --preset sensor-gateway';
    const { key, secret } = (
      await cli.ok(`${line} --json key.prefix,key.entity.code,secret`)
    ).json<{
      key: unknown;
      secret: string;
    }>();
    expect(key).toEqual({ prefix: secret.slice(0, 8), entity: { code: 'BER' } });
    const listed = (await cli.ok('keys list --json name,revoked_by.login')).json();
    expect(listed).toContainEqual({ name: 'Nested', revoked_by: null });
    const refused = await cli.run(`${line} --json key.prefx,secret`);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.error().hint).toContain('Did you mean key.prefix?');
    await cli.ok('keys revoke Nested --yes --json key.status');
  });

  it('chooses from the answer of a command that changes something', async () => {
    const created = await cli.ok(
      'keys create --name New --entity BER --preset sensor-gateway --json secret',
    );
    expect(created.json()).toEqual({ secret: expect.stringMatching(/^hk_\w{49}$/) });
    const revoked = await cli.ok('keys revoke New --yes --json key');
    expect(revoked.json()).toEqual({ key: expect.objectContaining({ status: 'Revoked' }) });
  });

  for (const { path, definition } of commands) {
    it(`of hkctl ${path.join(' ')}: an unknown field is exit 2, before anything is done`, async () => {
      const before = await audited();
      const words = argumentsOf(definition);
      const { fields } = definition;
      const unknown = [['--json=nosuch'], [`--json=${fields[0]},nosuch`]];
      for (const more of unknown) {
        const result = await cli.run([...path, ...words, ...more]);
        expect([result.code, result.stdout]).toEqual([2, '']);
        expect(result.error().message).toContain('unknown field "nosuch"');
        expect(result.error().hint).toContain(`The fields: ${fields.join(', ')}.`);
      }
      expect(await audited()).toBe(before);
    });
  }

  it('of a misspelt field suggests the nearest', async () => {
    const { code, error } = await cli.run('keys list --json nmae');
    expect([code, error().hint]).toEqual([2, expect.stringContaining('Did you mean name?')]);
  });

  it('knows every field that a list or a document has', async () => {
    const lines = ['keys list', 'keys', 'keys show Gateway', 'entities list', 'users list'];
    const others = ['tenants list', 'audit list', 'audit export', 'status', 'doctor', 'examples'];
    for (const line of [...lines, ...others, 'permissions list', 'audit verify']) {
      const [first] = [(await cli.run(`${line} --json`)).json()].flat();
      const words = line.split(' ').slice(0, 2);
      const path = words[1] === 'Gateway' ? [words[0]] : words;
      const command = commands.find((one) => one.path.join(' ') === path.join(' '));
      expect([line, command?.definition.fields]).toEqual([
        line,
        expect.arrayContaining(Object.keys(first ?? {})),
      ]);
    }
  });
});

describe('a list that is piped', () => {
  it('has a line of headings, and cells behind tabs without padding', async () => {
    const { stdout } = await cli.ok('entities list');
    expect(stdout).toBe(
      'CODE\tNAME\tTIME ZONE\tKEYS\tSTATUS\nBER\tBerlin plant\tEurope/Berlin\t1\tactive\nCHI\tChicago\tAmerica/Chicago\t0\tactive\n',
    );
  });

  it('has as many cells in each row as headings', async () => {
    for (const line of [
      'keys list --all',
      'users list',
      'tenants list',
      'audit list',
      'examples',
    ]) {
      const rows = (await cli.ok(line)).stdout.slice(0, -1).split('\n');
      const [headings = '', ...others] = rows;
      expect(headings.split('\t').length).toBeGreaterThan(2);
      for (const row of others) expect(row.split('\t').length).toBe(headings.split('\t').length);
    }
  });

  it('has instants in UTC as JSON has them, and empty cells for what never happens', async () => {
    const line = 'keys create --name Ends --entity BER --preset sensor-gateway';
    await cli.ok(`${line} --expires 2027-01-31`);
    const rows = (await cli.ok('keys list --columns name,expires,last-used')).stdout.split('\n');
    expect(rows).toContain('Ends\t2027-01-31T22:59:59.999Z\t');
    expect(rows.join('\n')).not.toContain('Never');
    await cli.ok('keys revoke Ends --yes');
  });

  it('has its headings, and a sentence for people, if it is empty', async () => {
    const { stdout, stderr } = await cli.ok('keys list --search nothing');
    expect(stdout).toMatch(/^PREFIX\tNAME\t.*\n$/);
    expect(stderr).toContain('No active key matches');
  });

  it('has no colours, even if they are forced', async () => {
    const { stdout } = await cli.ok('keys list', { env: { FORCE_COLOR: '1' } });
    expect(stdout).not.toContain('\u001b');
  });
});

describe('--columns', () => {
  it.each([
    ['keys list --columns name,prefix', 'NAME\tPREFIX'],
    ['keys list --columns expires --columns NAME', 'EXPIRES\tNAME'],
    ['keys list --columns last_used,last-used', 'LAST USED\tLAST USED'],
    ['entities list --columns "time zone"', 'TIME ZONE'],
    ['audit list --columns at,action', 'AT (UTC)\tACTION'],
    ['users list --columns login', 'LOGIN'],
    ['keys --columns name', 'NAME'],
  ])('%s', async (line, headings) => {
    expect((await cli.ok(line)).stdout.split('\n')[0]).toBe(headings);
  });

  it('of a terminal shows what it would leave out', async () => {
    const terminal = { columns: 40, rows: 20 };
    const line = 'keys list --columns name,status,created-by';
    const { stdout } = await cli.ok(line, { terminal, env: { NO_COLOR: '1' } });
    expect(stdout.split('\n')[0]?.split(/ {2,}/)).toEqual(['NAME', 'STATUS', 'CREATED BY']);
    expect(stdout).toMatch(/^Gateway +Active +root$/m);
  });

  it('refuses an unknown column with the list, also if there are no rows', async () => {
    for (const line of ['keys list', 'keys list --search nothing', 'users list', 'audit list']) {
      const { code, stderr } = await cli.run(`${line} --columns nmae`);
      expect([line, code]).toEqual([line, 2]);
      expect(stderr).toContain('The columns: ');
    }
  });

  it('is a flag of every list', () => {
    const lists = commands.filter(({ path }) => path.at(-1) === 'list' || path[0] === 'examples');
    expect(lists.length).toBeGreaterThan(6);
    for (const { path, definition } of lists)
      expect([path.join(' '), Object.keys(definition.flags)]).toEqual([
        path.join(' '),
        expect.arrayContaining(['columns']),
      ]);
  });
});
