import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readProgram } from '../docs/program.ts';
import { storelessCommands } from './all-commands.ts';
import { Cli, type KeyJson, type RunResult } from './harness.ts';

/** Everything of the site that the users of this file may not see. */
interface Outside {
  secret: string;
  key: KeyJson;
  file: string;
}

let cli: Cli;
let outside: Outside;
let inside: KeyJson;
let backup: string;

/** A user of each role that can be confined, and sees the site BER alone. */
const users = ['entity_admin', 'manager', 'operator', 'master_data'].map((role) => `${role}_ber`);
const sensor = (code: string) => `id,code,name,is_active\n1,${code},Sensor ${code},true\n`;

beforeAll(async () => {
  cli = await new Cli().seed();
  for (const login of users) {
    const role = login.replace('_ber', '');
    await cli.ok(['users', 'add', login, '--name', login, '--role', role, '--entity', 'BER']);
  }
  const { key, secret } = await cli.key('Outside', ['--entity', 'CHI', '--expires', '2026-11-25']);
  inside = (await cli.key('Inside')).key;
  for (const [code, site, value] of [
    ['IN-1', 'BER', 5],
    ['OUT-1', 'CHI', 4711],
  ] as const) {
    const importing = ['--entity', site, '--format', 'csv'];
    await cli.ok(['import', 'sensors', '-', ...importing], { input: sensor(code) });
    await cli.ok(['import', 'readings', '-', ...importing], {
      input: `sensor,at,value\n${code},1763000000000,${value}\n`,
    });
  }
  const folder = join(dirname(dirname(cli.store)), 'scanned');
  mkdirSync(folder);
  const file = join(folder, 'gateway.conf');
  writeFileSync(file, `key = ${secret}\n`);
  backup = join(folder, 'plant.backup');
  await cli.ok(['backup', backup]);
  outside = { secret, key, file };
});

/** What names something of the other site, or shows that it is there. */
const traces = () => [
  /\bCHI\b/,
  /Chicago/i,
  /Outside/,
  /OUT-1/,
  /4711/,
  new RegExp(outside.key.prefix),
];

function requireNoTrace({ stdout, stderr }: RunResult, line: string): void {
  for (const trace of traces()) expect(stdout + stderr, line).not.toMatch(trace);
}

/** A line that names something outside, or something that is not there: `thing` stands for either. */
interface Reference {
  line: (thing: string) => string[];
  things: () => string[];
  input?: (thing: string) => string;
}

const keyRefs = () => [outside.key.prefix, outside.key.id, 'Outside'];
const entityRefs = () => ['CHI'];
const sensorRefs = () => ['OUT-1'];
const newKey = ['--name', 'New', '--preset', 'sensor-gateway'];

/** For each command lines that show what there is, and lines that name something of the other site. */
const matrix: Record<
  string,
  { shows?: string[][]; refers?: Reference[] } | 'for Super users' | 'without a store'
> = {
  keys: { shows: [['keys'], ['keys', '--all', '--json']] },
  'keys create': {
    refers: [
      { line: (code) => ['keys', 'create', ...newKey, '--entity', code], things: entityRefs },
    ],
  },
  'keys list': {
    shows: [
      ['keys', 'list', '--all'],
      ['keys', 'list', '--all', '--json'],
      ['keys', 'list', '--search', 'sid', '--json'],
      ['keys', 'list', '--search', 'hk_', '--json'],
      ['keys', 'list', '--expiring-within', '30d'],
      ['keys', 'list', '--status', 'active', '--older-than', '0d'],
    ],
    refers: [{ line: (code) => ['keys', 'list', '--entity', code], things: entityRefs }],
  },
  'keys show': { refers: [{ line: (ref) => ['keys', 'show', ref], things: keyRefs }] },
  'keys rotate': {
    refers: [
      { line: (ref) => ['keys', 'rotate', ref, '--yes'], things: keyRefs },
      { line: (ref) => ['keys', 'rotate', inside.prefix, ref, '--yes', '--json'], things: keyRefs },
    ],
  },
  'keys revoke': {
    refers: [
      { line: (ref) => ['keys', 'revoke', ref, '--yes'], things: keyRefs },
      { line: (ref) => ['keys', 'revoke', inside.prefix, ref, '--yes'], things: keyRefs },
    ],
  },
  'keys note': { refers: [{ line: (ref) => ['keys', 'note', ref, 'mine'], things: keyRefs }] },
  'keys verify': {},
  'keys scan': { shows: [] },
  import: {
    refers: [
      {
        line: (code) => ['import', 'sensors', '-', '--format', 'csv', '--entity', code],
        things: entityRefs,
        input: () => sensor('NEW'),
      },
      {
        line: (code) => ['import', 'readings', '-', '--format', 'csv', '--entity', code],
        things: entityRefs,
        input: () => 'sensor,at,value\nOUT-1,1,1\n',
      },
    ],
  },
  'sensors list': {
    shows: [
      ['sensors', 'list'],
      ['sensors', 'list', '--json'],
    ],
    refers: [{ line: (code) => ['sensors', 'list', '--entity', code], things: entityRefs }],
  },
  'sensors show': {
    refers: [
      { line: (ref) => ['sensors', 'show', ref], things: sensorRefs },
      { line: (code) => ['sensors', 'show', 'OUT-1', '--entity', code], things: entityRefs },
    ],
  },
  'sensors tail': {
    refers: [
      { line: (ref) => ['sensors', 'tail', ref], things: sensorRefs },
      { line: (code) => ['sensors', 'tail', '--entity', code], things: entityRefs },
    ],
  },
  'sensors export': {
    shows: [
      ['sensors', 'export'],
      ['sensors', 'export', '--json'],
    ],
    refers: [
      { line: (ref) => ['sensors', 'export', ref], things: sensorRefs },
      { line: (code) => ['sensors', 'export', '--entity', code], things: entityRefs },
    ],
  },
  'sensors erase': 'for Super users',
  'entities list': {
    shows: [
      ['entities', 'list'],
      ['entities', 'list', '--json'],
    ],
  },
  'entities add': 'for Super users',
  'entities set': 'for Super users',
  'entities activate': 'for Super users',
  'entities deactivate': 'for Super users',
  'entities remove': 'for Super users',
  'users list': 'for Super users',
  'users add': 'for Super users',
  'users activate': 'for Super users',
  'users deactivate': 'for Super users',
  'users set-role': 'for Super users',
  'tenants list': 'for Super users',
  'tenants add': 'for Super users',
  'tenants set': 'for Super users',
  status: { shows: [['status'], ['status', '--json']] },
  doctor: 'for Super users',
  'audit list': 'for Super users',
  'audit verify': 'for Super users',
  'audit export': 'for Super users',
  backup: 'for Super users',
  restore: 'for Super users',
  migrate: 'for Super users',
  init: 'without a store',
  serve: 'without a store',
};

/** Arguments with which a command of Super users gets as far as its permission. */
const restsOfLines = (): Record<string, string[]> => ({
  'sensors erase': 'OUT-1 --entity CHI --from 2020-01-01 --to 2021-01-01 --yes'.split(' '),
  'entities add': ['X', '--name', 'X', '--timezone', 'UTC'],
  'entities set': ['CHI', '--name', 'X'],
  'entities activate': ['CHI'],
  'entities deactivate': ['CHI', '--yes'],
  'entities remove': ['CHI', '--yes'],
  'users add': ['x', '--name', 'X', '--role', 'operator'],
  'users activate': ['root'],
  'users deactivate': ['root', '--yes'],
  'users set-role': ['root', 'operator'],
  'tenants add': ['X', '--admin', 'x'],
  'tenants set': ['--name', 'X'],
  backup: ['-'],
  restore: [backup, '--yes'],
});

/** All of the other site as a Super user sees it. */
async function stateOfOutside(): Promise<unknown> {
  const lines = [
    ['keys', 'show', outside.key.id, '--json'],
    ['sensors', 'list', '--entity', 'CHI', '--json'],
    ['sensors', 'export', '--entity', 'CHI'],
  ];
  const results: string[] = [];
  for (const line of lines) results.push((await cli.ok(line)).stdout);
  return results;
}

it('has every command of the program', async () => {
  const all = [...(await readProgram()).commands.keys()];
  expect([...Object.keys(matrix), ...storelessCommands].sort()).toEqual(all.sort());
});

describe.each(users)('%s, who is confined to BER', (osAccount) => {
  const as = { osAccount };

  it('sees nothing of another site in what commands show', async () => {
    const lines = Object.values(matrix).flatMap((row) =>
      typeof row === 'string' ? [] : (row.shows ?? []),
    );
    for (const line of lines) {
      const result = await cli.run(line, as);
      expect([0, 4, 5], line.join(' ')).toContain(result.code);
      requireNoTrace(result, line.join(' '));
    }
    requireNoTrace(await cli.run([], as), 'hkctl');
  });

  it('finds nothing of another site, as if it were not there, and changes nothing', async () => {
    const before = await stateOfOutside();
    const references = Object.values(matrix).flatMap((row) =>
      typeof row === 'string' ? [] : (row.refers ?? []),
    );
    for (const { line, things, input } of references) {
      for (const thing of things()) {
        const [known, unknown] = [thing, 'QQQQQ'].map(async (ref) => {
          const result = await cli.run(line(ref), { ...as, input: input?.(ref) });
          const text = (result.stdout + result.stderr).replaceAll(ref, 'THING');
          return { code: result.code, text };
        });
        const name = line(thing).join(' ');
        expect([3, 4], name).toContain((await known)?.code);
        expect(await known, name).toEqual(await unknown);
      }
    }
    expect(await stateOfOutside()).toEqual(before);
  });

  it('may give no command of Super users', async () => {
    for (const [command, row] of Object.entries(matrix)) {
      if (row !== 'for Super users') continue;
      const line = [...command.split(' '), ...(restsOfLines()[command] ?? [])];
      expect([command, (await cli.run(line, as)).code]).toEqual([command, 4]);
    }
  });

  it('learns nothing of the key of another site from its secret', async () => {
    const before = await stateOfOutside();
    const verified = await cli.run('keys verify --json', { ...as, input: outside.secret });
    expect([3, 4]).toContain(verified.code);
    requireNoTrace(verified, 'keys verify');
    for (const flags of [[], ['--json'], ['--revoke', '--yes'], ['--revoke', '--yes', '--json']]) {
      const scanned = await cli.run(['keys', 'scan', outside.file, ...flags], as);
      const text = (scanned.stdout + scanned.stderr).replaceAll(outside.key.prefix, '');
      for (const trace of traces().slice(0, -1)) expect(text).not.toMatch(trace);
    }
    expect(await stateOfOutside()).toEqual(before);
  });

  it('is offered nothing of another site by completion', async () => {
    for (const words of [
      ['keys', 'show', ''],
      ['keys', 'revoke', ''],
      ['sensors', 'list', '--entity', ''],
    ]) {
      const { stdout } = await cli.ok(['completion', 'fish', '--', ...words], as);
      for (const trace of traces()) expect(stdout).not.toMatch(trace);
    }
  });
});

it('does everything for the own site', async () => {
  const as = { osAccount: 'entity_admin_ber' };
  const created = await cli.ok(['keys', 'create', ...newKey, '--entity', 'BER', '--json'], as);
  const { key } = created.json<{ key: KeyJson }>();
  await cli.ok(['keys', 'note', key.prefix, 'mine'], as);
  const rotated = await cli.ok(['keys', 'rotate', 'New', '--yes', '--json'], as);
  await cli.ok(['keys', 'revoke', rotated.json<{ key: KeyJson }>().key.id, '--yes'], as);
  const listed = (await cli.ok('keys list --all --json', as)).json<KeyJson[]>();
  expect(listed.map(({ entity }) => entity?.code)).toEqual(['BER', 'BER', 'BER']);
  expect((await cli.ok('entities list --json', as)).json()).toMatchObject([
    { code: 'BER', keys: 1 },
  ]);
  const { keys, sensors } = (await cli.run('status --json', as)).json<{
    keys: { active: number; expiring_within_14_days: number };
    sensors: { active: number };
  }>();
  expect([keys.active, keys.expiring_within_14_days, sensors.active]).toEqual([1, 0, 1]);
  const loading = 'import sensors - --format csv --entity BER --json';
  const loaded = await cli.ok(loading, { osAccount: 'master_data_ber', input: sensor('IN-1') });
  expect(loaded.json()).toMatchObject({ unchanged: 1 });
});

describe('users and their entities', () => {
  const userOf = async (login: string) =>
    (await cli.ok('users list --json'))
      .json<{ login: string }[]>()
      .find((one) => one.login === login);

  it('are set, kept, widened and listed', async () => {
    await cli.ok('users add zoe --name Zoe --role operator --entity BER --entity CHI');
    expect(await userOf('zoe')).toMatchObject({ role: 'operator', entities: ['BER', 'CHI'] });
    await cli.ok('users set-role zoe manager');
    expect(await userOf('zoe')).toMatchObject({ role: 'manager', entities: ['BER', 'CHI'] });
    await cli.ok('users set-role zoe entity_admin --entity CHI');
    expect(await userOf('zoe')).toMatchObject({ role: 'entity_admin', entities: ['CHI'] });
    expect((await cli.ok('users list')).stdout).toMatch(/ENTITIES/);
    const list = async () =>
      (await cli.ok('entities list --json', { osAccount: 'zoe' })).json<{ code: string }[]>();
    expect((await list()).map(({ code }) => code)).toEqual(['CHI']);
    await cli.ok('users set-role zoe entity_admin --all-entities');
    expect(await userOf('zoe')).not.toHaveProperty('entities');
    expect((await list()).length).toBe(2);
    const trail = (await cli.ok('audit list --json --limit 20')).json<
      { target: string; detail: unknown }[]
    >();
    expect(trail.filter(({ target }) => target === 'zoe').map(({ detail }) => detail)).toEqual([
      { role: 'entity_admin', entities: 'all' },
      { role: 'entity_admin', entities: 'CHI' },
      { role: 'manager' },
      { name: 'Zoe', role: 'operator', entities: 'BER CHI' },
    ]);
  });

  it('are none for a Super user', async () => {
    await cli.ok('users add kim --name Kim --role operator --entity BER');
    for (const line of [
      'users add lea --name Lea --role super_user --entity BER',
      'users set-role kim super_user --entity BER',
      'users set-role kim operator --entity BER --all-entities',
    ])
      expect([line, (await cli.run(line)).code]).toEqual([line, 2]);
    expect((await cli.run('users set-role kim operator --entity NONE')).code).toBe(3);
    expect((await cli.run('users add lea --name Lea --role operator --entity NONE')).code).toBe(3);
    expect(await userOf('kim')).toMatchObject({ entities: ['BER'] });
    await cli.ok('users set-role kim super_user');
    expect(await userOf('kim')).not.toHaveProperty('entities');
    await cli.ok('users deactivate kim --yes');
  });

  it('that are removed leave a user who sees nothing', async () => {
    await cli.ok('entities add GON --name Gone --timezone UTC');
    await cli.ok('users add ina --name Ina --role entity_admin --entity GON');
    await cli.ok('entities remove GON --yes');
    await cli.ok('entities add GON --name Other --timezone UTC');
    expect((await cli.ok('entities list --json', { osAccount: 'ina' })).json()).toEqual([]);
    expect((await cli.ok('keys list --all --json', { osAccount: 'ina' })).json()).toEqual([]);
    expect(await userOf('ina')).toMatchObject({ entities: [] });
  });
});
