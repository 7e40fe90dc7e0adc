import { beforeAll, describe, expect, it } from 'vitest';
import { clientPermissions } from '../../../src/core/access/permissions.ts';
import { resources } from '../../../src/resources/index.ts';
import { Cli } from '../harness.ts';

const cli = new Cli();
let active: string;
let revoked: string;

beforeAll(async () => {
  await cli.seed();
  active = (await cli.key('Oven gateway')).key.prefix;
  revoked = (await cli.key('Old gateway')).key.prefix;
  await cli.ok(['keys', 'revoke', revoked, '--yes']);
});

/** What can stand for the last word: values, without their descriptions. */
async function continued(line: string, more = {}): Promise<string[]> {
  const words = line.split(' ');
  const { stdout, stderr } = await cli.ok(['completion', 'fish', '--', ...words], more);
  expect(stderr).toBe('');
  return stdout === ''
    ? []
    : stdout
        .trimEnd()
        .split('\n')
        .map((text) => text.split('\t')[0] ?? '');
}

describe('what fits', () => {
  it.each([
    ['ke', ['keys']],
    ['keys ro', ['rotate']],
    ['keys create --pre', ['--preset']],
    ['keys create --preset ', ['sensor-gateway', 'operational-core', 'production-only']],
    ['keys create --preset = sen', ['sensor-gateway']],
    ['--json keys create --entity ', ['BER', 'CHI']],
    ['keys list --status ', ['active', 'expired', 'revoked']],
    ['users set-role ', ['entity_admin', 'manager', 'master_data', 'operator', 'root']],
    ['users set-role operator m', ['manager', 'master_data']],
    ['entities deactivate C', ['CHI']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['audit export --since 7d --l', ['--limit']],
    ['keys list --all', ['--all']],
    ['keys list --all --al', []],
    ['keys ls --una', []],
    ['keys ls --unu', ['--unused-for']],
  ])('hkctl %s', async (line, expected) => {
    expect(await continued(line)).toEqual(expected);
  });

  it('are prefixes with names for a REF, those not given yet, and active ones for a change', async () => {
    expect((await continued('keys show ')).sort()).toEqual([active, revoked].sort());
    expect(await continued(`keys show ${revoked.slice(0, 6)}`)).toContain(revoked);
    expect((await continued('keys note ')).sort()).toEqual([active, revoked].sort());
    expect(await continued(`keys note ${active} `)).toEqual([]);
    expect(await continued('keys rotate ')).toEqual([active]);
    expect(await continued(`keys revoke ${active} `)).toEqual([]);
    const { stdout } = await cli.ok('completion bash -- keys rotate h');
    expect(stdout).toBe(`${active}\tOven gateway\n`);
  });

  it('are permissions and resources of the catalogs', async () => {
    expect(await continued('keys create --permission ')).toEqual([...clientPermissions]);
    expect(await continued('import ')).toEqual([...resources.map(({ name }) => name), 'readings']);
  });

  it.each([
    'import parts ',
    'keys create --secret-file ',
    'keys scan ',
    'restore ',
    'serve --tls-cert ',
    'audit verify --anchors ',
    '--store ',
  ])('are files where one is asked for: hkctl %s', async (line) => {
    expect(await continued(line)).toEqual([':files']);
  });

  it.each([
    'keys create --name ',
    'keys verify x',
    'users add ',
    'entities add ',
    'init --entity ',
    'nonsense ',
    'keys nonsense ',
    'keys show --entity=B',
    'keys list -- ',
  ])('is nothing where nothing fits: hkctl %s', async (line) => {
    expect(await continued(line)).toEqual([]);
  });

  it('are flags where no argument is left', async () => {
    expect(await continued('users list ')).toEqual(expect.arrayContaining(['--json', '--help']));
  });
});

describe('the store', () => {
  it('and the profile are those that the line names', async () => {
    const empty = await new Cli().seed();
    expect(await continued(`--store ${empty.store} keys show `)).toEqual([]);
    expect(await continued('--as operator keys show ')).toEqual([]);
    expect(await continued('--as entity_admin keys rotate ')).toEqual([active]);
  });

  it('is not needed, and a refused or unknown profile leaves no trace', async () => {
    const absent = new Cli();
    expect((await absent.ok(['completion', 'zsh', '--', 'keys', 'show', ''])).stdout).toBe('');
    const before = (await cli.ok('audit list --json')).stdout;
    expect(await continued('keys show ', { osAccount: 'operator' })).toEqual([]);
    expect(await continued('keys show ', { osAccount: 'nobody' })).toEqual([]);
    expect((await cli.ok('audit list --json')).stdout).toBe(before);
  });

  it('shows hostile names escaped', async () => {
    const store = await (await cli.services.engine(cli.store)).open();
    const [tenant] = await store.tenants.list();
    const entity = {
      id: 'evil',
      tenantId: tenant?.id ?? '',
      code: 'EVIL',
      name: 'a\u001b]0;b\u0007\nc',
      timezone: 'UTC',
    };
    const draft = {
      tenantId: null,
      atMs: 0,
      actor: null,
      osAccount: 'x',
      target: 'x',
      outcome: 'done',
      detail: {},
    } as const;
    await store.entities.insert(
      { ...entity, status: 'active', createdAtMs: 0 },
      { ...draft, action: 'entity.add' },
    );
    await store.close();
    const { stdout } = await cli.ok('completion fish -- entities remove E');
    expect(stdout).toBe('EVIL\ta\\u001b]0;b\\u0007\\u000ac\n');
  });
});

it('the script of an unknown shell is refused', async () => {
  expect((await cli.run('completion ksh --json')).error()).toMatchObject({ code: 'usage' });
});
