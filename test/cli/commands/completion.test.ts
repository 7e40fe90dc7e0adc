import { beforeAll, describe, expect, it } from 'vitest';
import { clientPermissions } from '../../../src/core/access/permissions.ts';
import { resources } from '../../../src/resources/index.ts';
import { runProgram } from '../../run-program.ts';
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

const presetNames = ['sensor-gateway', 'operational-core', 'production-only'];
const valuesOf = (flag: string, values: string[]) => values.map((value) => flag + value);

/** What bash inserts for the end of a line, as it was typed. */
async function insertedByBash(line: string): Promise<string[]> {
  const { stdout } = await cli.ok(['completion', 'bash', '--line', line]);
  return stdout
    .trimEnd()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => text.replace(/^(:files\t.*)|\t.*/, '$1'));
}

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
    ['keys create --preset=', valuesOf('--preset=', presetNames)],
    ['keys create --preset=sen', ['--preset=sensor-gateway']],
    ['keys create --entity=C', ['--entity=CHI']],
    ['keys list --status=', valuesOf('--status=', ['active', 'expired', 'revoked'])],
    ['keys create --permission=parts.view,jobs', ['--permission=parts.view,jobs_orders.view']],
    ['keys create --permission parts.view,jobs', ['parts.view,jobs_orders.view']],
    ['keys create --yes=', []],
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

describe('what bash inserts for a line', () => {
  it.each([
    ['hkctl ke', ['keys']],
    ['hkctl  keys   ro', ['rotate']],
    ['hkctl keys create --preset=', presetNames],
    ['hkctl keys create --preset=sen', ['sensor-gateway']],
    ['hkctl keys create --preset "sen', ['sensor-gateway']],
    ["hkctl keys create --preset 'sen", ['sensor-gateway']],
    ['hkctl keys create --name "Line 3" --preset sen', ['sensor-gateway']],
    ["hkctl keys create --name 'a b' --pre", ['--preset']],
    ['hkctl keys create --name Line\\ 3 --pre', ['--preset']],
    ['hkctl --store=/tmp/x.db keys ro', ['rotate']],
    ['hkctl --store="/tmp/my plant/x.db" keys ro', ['rotate']],
    ['hkctl --store postgres://u@db.example:5432/plant keys ro', ['rotate']],
    ['hkctl --store=postgres://u@db.example/plant keys create --preset=sen', ['sensor-gateway']],
    ['hkctl --store=postgres://u@db.example/plant?sslmode=require keys ro', ['rotate']],
    ['hkctl keys create --secret-file=/tmp/so', [':files\t/tmp/so']],
    ['hkctl keys create --secret-file "my pl', [':files\tmy pl']],
    ['hkctl keys create --permission=parts.view,jobs', ['parts.view,jobs_orders.view']],
  ])('%s', async (line, expected) => {
    expect(await insertedByBash(line)).toEqual(expected);
  });

  it('is one word of the shell, whatever a login holds', async () => {
    const other = await new Cli().seed();
    const logins = ['DOMAIN\\ada', 'x$(touch y)', "o'neill", 'a b', 'a:b'];
    const made: string[] = [];
    for (const login of logins) {
      const { code } = await other.run([
        'users',
        'add',
        login,
        '--name',
        'A',
        '--role',
        'operator',
      ]);
      if (code === 0) made.push(login);
    }
    expect(made).toContain('DOMAIN\\ada');
    for (const begun of ['', '"', "'"]) {
      const line = `hkctl --store=${other.place} users activate ${begun}`;
      const words = (await insertedByBash(line)).map((text) => `${begun}${text}${begun}`);
      const script = `printf '%s\\0' ${words.join(' ')}`;
      const read = runProgram('/bin/sh', ['-c', script]).stdout.split('\0');
      expect(read).toEqual(expect.arrayContaining(made));
    }
  });

  it('of the keys of the store that the line names, also in quotes', async () => {
    const other = await new Cli().seed();
    const { prefix } = (await other.key('Other')).key;
    for (const store of [`--store=${other.place}`, `--store "${other.place}"`])
      expect(await insertedByBash(`hkctl ${store} keys rotate hk_`)).toEqual([prefix]);
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
