import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';

/** What people do by mistake, and what must not come of it. */
let cli: Cli;
let secret: string;
beforeAll(async () => {
  cli = await new Cli().seed();
  secret = (await cli.key('A')).secret;
});

const put = (name: string, content: string): string => {
  const path = join(dirname(dirname(cli.store)), name);
  writeFileSync(path, content);
  return path;
};

describe('a secret on the command line', () => {
  const rotate = () => `hkctl keys rotate ${secret.slice(0, 8)}`;

  it.each([
    ['a flag that does not exist', ['keys', 'create', '--secret']],
    ['an argument too many', ['keys', 'verify']],
    ['REF', ['keys', 'show']],
    ['a name', ['keys', 'create', '--entity', 'BER', '--preset', 'sensor-gateway', '--name']],
  ])('as %s: the error says that others know it now', async (_, argv) => {
    const { code, stderr } = await cli.run([...argv, secret]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("Your shell's history now has it, too. Rotate its key: "),
    ]);
    expect(stderr).toContain(rotate());
    expect(stderr).not.toContain(secret.slice(8, 20));
    const { hint } = (await cli.run([...argv, secret, '--json'])).error();
    expect(hint).toContain(rotate());
  });

  it('is warned of if the command succeeds, too', async () => {
    const { stderr } = await cli.ok(['keys', 'list', '--search', secret]);
    expect(stderr).toContain(rotate());
    expect((await cli.ok(['keys', 'list', '--search', 'hk_Ab3dE'])).stderr).not.toContain('Rotate');
  });
});

describe('a whole secret where its prefix or a name was asked for', () => {
  it.each([
    ['keys show', ['keys', 'show']],
    ['keys revoke', ['keys', 'revoke', '--yes']],
    ['keys rotate', ['keys', 'rotate', '--yes']],
    ['users add', ['users', 'add', '--name', 'x', '--role', 'operator']],
    ['entities remove', ['entities', 'remove', '--yes']],
    ['another profile', ['keys', 'list', '--as']],
  ])('%s: does not get into the audit trail', async (_, argv) => {
    for (const osAccount of ['operator', 'root']) await cli.run([...argv, secret], { osAccount });
    const trail = (await cli.ok('audit list --limit 1000 --json')).stdout;
    expect(trail).not.toContain(secret.slice(8, 20));
    expect((await cli.ok('audit verify --json')).json()).toMatchObject({ ok: true });
  });

  it.each([
    [['keys', 'create', '--entity', 'BER', '--preset', 'sensor-gateway', '--name']],
    [['entities', 'add', 'NEW', '--timezone', 'UTC', '--name']],
    [['users', 'add', 'new', '--role', 'operator', '--name']],
    [['tenants', 'add', '--admin', 'new-admin']],
    [['tenants', 'set', '--name']],
  ])('%s: is no name (exit 2)', async (argv) => {
    const { code, stderr } = await cli.run([...argv, `my ${secret}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must not contain a secret')]);
    expect(stderr).not.toContain(secret.slice(8, 20));
  });

  it.each([
    ['a key file', 'gw.key', (text: string) => `${text}\n`],
    ['a CSV with it in its head', 'a.csv', (text: string) => `id,${text}\n1,2\n`],
    ['an NDJSON with it for a name', 'a.ndjson', (text: string) => `{"id":"1","${text}":1}\n`],
  ])('%s given to import is reported without it', async (_, name, content) => {
    const path = put(name, content(secret));
    for (const more of [[], ['--json']]) {
      const { code, stderr } = await cli.run(['import', 'parts', path, '--entity', 'BER', ...more]);
      expect(code).toBe(2);
      expect(stderr).not.toContain(secret.slice(8, 20));
    }
  });
});

it('a message shows no control character that was hidden by an encoding', async () => {
  const { stderr } = await cli.run([
    'import',
    'parts',
    `no-hk%5F${secret.slice(3)}%1b[31m`,
    '--entity',
    'BER',
  ]);
  expect(stderr).not.toContain('\u001b[31m');
  expect(stderr).not.toContain(secret.slice(8, 20));
});

describe('names', () => {
  const create = (name: string) =>
    cli.run([
      'keys',
      'create',
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--json',
      '--name',
      name,
    ]);

  it('have 120 characters, whatever they are made of', async () => {
    expect((await create('🏭'.repeat(120))).code).toBe(0);
    expect((await create('🏭'.repeat(121))).code).toBe(2);
  });

  it('do not turn the direction of a line', async () => {
    expect((await create('safe\u202etxt.exe')).code).toBe(2);
    expect((await create('مصنع')).code).toBe(0);
  });
});

describe('a login, a name or a path that only begins like a secret', () => {
  it('is whole in the audit trail', async () => {
    for (const login of ['hk_operator1', 'hk_operator2']) {
      await cli.ok(['users', 'add', login, '--name', 'hk_gatewayBerlin', '--role', 'operator']);
      const [last] = (await cli.ok('audit list --limit 1 --json')).json<unknown[]>();
      expect(last).toMatchObject({ target: login, detail: { name: 'hk_gatewayBerlin' } });
    }
  });
});

describe('who may not act at all', () => {
  it('leaves no tricks and no flood in the audit trail', async () => {
    const login = 'ev\u001b[2Jil\nFAKE\u202e';
    const { code, stderr } = await cli.run(['keys', 'list', '--as', login]);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('ev\\u001b[2Jil\\u000aFAKE\\u202e'),
    ]);
    await cli.run(['keys', 'list', '--as', 'x'.repeat(100_000)]);
    const { stdout } = await cli.ok('audit list --limit 2');
    expect(stdout).toContain('ev\\u001b[2Jil\\nFAKE\\u202e');
    expect(stdout.length).toBeLessThan(2000);
    expect(stdout.split('\n').some((line) => line.startsWith('FAKE'))).toBe(false);
  });

  it('is in the audit trail, which Super users of the first organization see', async () => {
    await cli.ok('users deactivate operator --yes');
    for (const osAccount of ['stranger', 'operator']) {
      expect((await cli.run('keys list', { osAccount })).code).toBe(4);
    }
    const denied = { action: 'profile.use', outcome: 'denied' };
    const wanted = [
      {
        ...denied,
        target: 'operator',
        actor: { login: 'operator' },
        detail: { reason: 'profile_inactive' },
      },
      {
        ...denied,
        target: 'stranger',
        actor: null,
        os_account: 'stranger',
        detail: { reason: 'no_profile' },
      },
    ];
    expect((await cli.ok('audit list --limit 2 --json')).json()).toMatchObject(wanted);
    const exported = (await cli.ok('audit export --json')).json<{ seq: number }[]>();
    expect(exported.slice(-2)).toMatchObject(wanted.reverse());
    const { records } = (await cli.ok('audit verify --json')).json<{ records: number }>();
    expect(exported).toHaveLength(records);
    expect(
      (await cli.ok('audit export --limit 3 --json'))
        .json<{ seq: number }[]>()
        .map(({ seq }) => seq),
    ).toEqual([1, 2, 3]);
    await cli.ok('tenants add Other --admin bob');
    const seen = (await cli.ok('audit list --limit 100 --json', { osAccount: 'bob' })).json<
      { action: string }[]
    >();
    expect(seen.some(({ action }) => action === 'profile.use')).toBe(false);
  });
});

describe('--yes', () => {
  const terminal = { columns: 100, rows: 30 };

  it.each([
    ['users add new --role operator', '--name'],
    ['entities add NEW --timezone UTC', '--name'],
    ['tenants add New', '--admin'],
    ['import parts -', '--entity'],
    ['sensors list', '--entity'],
    ['sensors show X', '--entity'],
    ['sensors export', '--entity'],
    ['keys create --name x --preset sensor-gateway', '--entity'],
  ])('%s asks nothing on a terminal either: exit 2 and names %s', async (line, flag) => {
    const { code, stderr } = await cli.run(`${line} --yes`, { terminal });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} is missing`)]);
  });

  it('keys --yes lists, and keys verify --yes reads no secret from a terminal', async () => {
    expect((await cli.ok('keys --yes', { terminal })).stdout).toContain('PREFIX');
    const { code, stderr } = await cli.run('keys verify --yes', { terminal });
    expect([code, stderr]).toEqual([2, expect.stringContaining('stay on this terminal')]);
  });
});

describe('what is taken already', () => {
  it.each([
    ['users add root --name x --role operator', 'a user profile with this login'],
    ['entities add BER --name x --timezone UTC', 'an entity with the code BER already'],
  ])('%s: exit 5, in words of people', async (line, what) => {
    const { code, stderr } = await cli.run(line);
    expect([code, stderr]).toEqual([5, expect.stringContaining(what)]);
  });
});

describe('an expiry at the end of the calendar', () => {
  it.each([
    ['9999-12-31', 'CHI', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59-05:00', 'BER', '9999-12-31T23:59:59.999Z'],
    ['9999-12-30', 'CHI', '9999-12-31T05:59:59.999Z'],
  ])('%s in %s is %s', async (expires, entity, instant) => {
    const { key } = await cli.key('End', ['--entity', entity, '--expires', expires]);
    expect(key.expires_at).toBe(instant);
  });

  it('is refused beyond it', async () => {
    const line =
      'keys create --name x --entity BER --preset sensor-gateway --json --expires 999999w';
    expect((await cli.run(line)).code).toBe(2);
  });
});

describe('systemd-unit', () => {
  it('quotes a path with blanks, and lets nothing break out of its line', async () => {
    expect((await cli.run(['systemd-unit', '--environment-file', '/etc/a\nUser=root'])).code).toBe(
      2,
    );
    expect((await cli.run(['systemd-unit', '--environment-file', ''])).code).toBe(2);
    expect(
      (await cli.ok(['systemd-unit', '--environment-file', '/etc/my plant'])).stdout,
    ).toContain('EnvironmentFile=-/etc/my plant\n');
    expect((await cli.ok('systemd-unit', { env: { HKCTL_USER: 'root' } })).stdout).toContain(
      'User=hkctl\n',
    );
  });
});

describe('deep nesting', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);

  it.each([
    ['an element', 'a.json', `[${deep}]`],
    ['a member of a line', 'a.ndjson', `{"id":"1","x":${deep}}\n`],
    ['a list in a cell', 'a.csv', `id,services\n1,"${deep}"\n`],
  ])('in %s of a file is bad input (exit 2)', async (_, name, content) => {
    const { code, stderr } = await cli.run([
      'import',
      'orders',
      put(name, content),
      '--entity',
      'BER',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('not as declared')]);
  });
});
