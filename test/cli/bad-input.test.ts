import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalFlags } from '../../src/cli/command/flags.ts';
import { argumentsOf, commands, longNameOf } from './all-commands.ts';
import { Cli } from './harness.ts';

const cli = new Cli();
const audited = async () => (await cli.ok('audit list --json --limit 100000')).json<unknown[]>();
beforeAll(async () => {
  await cli.seed();
});

async function refused(
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<{ message: string; hint: string | null }> {
  const result = await cli.run([...argv, '--json'], { env });
  expect(result.code, argv.join(' ')).toBe(2);
  expect(result.stdout).toBe('');
  const error = result.error();
  expect(error).toEqual({
    code: expect.any(String),
    message: expect.stringMatching(/.+/),
    hint: result.error().hint,
  });
  return error;
}

/** The records of the trail name the command that was not refused. */
function leavesTheTrailAlone(): void {
  let before: unknown[];
  beforeAll(async () => {
    before = await audited();
  });
  afterAll(async () => {
    expect(await audited()).toEqual(before);
  });
}

describe('every command', () => {
  leavesTheTrailAlone();

  for (const { path, definition } of commands) {
    const args = [...path, ...argumentsOf(definition)];
    const line = `hkctl ${path.join(' ')}`;

    it(`${line}: an unknown flag is exit 2`, async () => {
      expect((await refused([...args, '--no-such-flag'])).message).toContain('--no-such-flag');
    });

    if (!definition.arguments.some(({ spelling }) => spelling.includes('...'))) {
      it(`${line}: one word too many is exit 2`, async () => {
        await refused([...path, ...definition.arguments.map(() => 'x'), 'one-too-many']);
      });
    }

    if (definition.arguments.some(({ spelling }) => spelling.startsWith('<'))) {
      it(`${line}: a missing word is exit 2 and named`, async () => {
        const wanted = definition.arguments[0]?.spelling.replace(/[<>.]/g, '') ?? '';
        expect((await refused(path)).message).toContain(wanted);
      });
    }

    for (const [name, flag] of Object.entries(definition.flags)) {
      const long = longNameOf(flag);
      if (flag.kind === 'toggle') {
        it(`${line}: a bad value of the variable for ${long} is exit 2 and names it`, async () => {
          const [variable = ''] = flag.env;
          expect((await refused(args, { [variable]: 'perhaps' })).message).toContain(variable);
        });
        continue;
      }
      it(`${line}: ${long} without its value is exit 2 and named`, async () => {
        expect((await refused([...args, long])).message).toContain(long);
      });
      if (!judgesItself(name, flag.parse)) continue;
      it(`${line}: a bad value of ${long} is exit 2, named, with what is allowed; from its variable, too`, async () => {
        expect((await refused([...args, `${long}=~~`])).message).toContain(`${long}: "~~"`);
        const [variable = ''] = flag.env;
        expect((await refused(args, { [variable]: '~~' })).message).toContain(`${variable}: "~~"`);
      });
    }
  }
});

/** Whether the flag refuses what is plainly wrong by itself. */
function judgesItself(name: string, parse: (text: string) => unknown): boolean {
  if (name === 'head') return false;
  try {
    parse('~~');
    return false;
  } catch {
    return true;
  }
}

describe('the program', () => {
  leavesTheTrailAlone();

  it('refuses unknown commands and verbs, and suggests', async () => {
    expect(await refused(['kyes'])).toMatchObject({
      message: 'Unknown command: hkctl kyes',
      hint: 'Did you mean keys?',
    });
    expect(await refused(['keys', 'crate'])).toMatchObject({
      hint: expect.stringContaining('Did you mean create? '),
    });
    expect(await refused(['keys', 'list', '--unused-fro', '9d'])).toMatchObject({
      hint: 'Did you mean --unused-for?',
    });
    await refused(['--no-such-flag']);
  });

  it('is reported to people in two lines', async () => {
    const { code, stderr } = await cli.run('keys create --entity BER');
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: --name and --preset or --permission are missing.\nhint: Give them; hkctl asks only on a terminal, without --json.\n',
    );
  });
});

it('hkctl takes every flag from its variable', async () => {
  const env = {
    HKCTL_NAME: 'By variable',
    HKCTL_ENTITY: 'BER',
    HKCTL_PERMISSION: 'parts.view, jobs_orders.view',
    HKCTL_JSON: '1',
  };
  const { key } = (await cli.ok('keys create', { env })).json<{
    key: { name: string; permissions: string[] };
  }>();
  expect(key).toMatchObject({
    name: 'By variable',
    permissions: ['jobs_orders.view', 'parts.view'],
  });
  expect(globalFlags.as.env).toContain('HKCTL_USER');
});

describe('off a terminal nothing asks', () => {
  let prefix: string;
  beforeAll(async () => {
    prefix = (await cli.key('A')).key.prefix;
  });
  leavesTheTrailAlone();

  const missing: [line: string, flag: string][] = [
    ['keys create', '--name'],
    ['keys create --name x', '--entity'],
    ['keys create --name x --entity BER', '--preset or --permission'],
    ['entities add X', '--name'],
    ['entities add X --name X', '--timezone'],
    ['users add x', '--name'],
    ['users add x --name X', '--role'],
    ['tenants add X', '--admin'],
    ['tenants set', '--name'],
    ['import parts -', '--entity'],
    ['sensors list', '--entity'],
    ['sensors show x', '--entity'],
    ['sensors export', '--entity'],
    ['entities deactivate BER', '--yes'],
    ['entities remove BER', '--yes'],
    ['users deactivate operator', '--yes'],
    ['serve --tls-cert x', '--tls-key'],
  ];
  for (const [line, flag] of missing) {
    it(`${line}: exit 2 and names ${flag}`, async () => {
      expect((await refused(line.split(' '))).message).toContain(flag);
    });
  }

  it('rotate and revoke need --yes', async () => {
    expect((await refused(['keys', 'rotate', prefix])).message).toContain('--yes');
    expect((await refused(['keys', 'revoke', prefix])).message).toContain('--yes');
    expect((await cli.show(prefix)).status).toBe('Active');
  });

  it('init needs its flags', async () => {
    const fresh = new Cli();
    const { code, stderr } = await fresh.run('init');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--org, --entity, --entity-name and --timezone are missing.'),
    ]);
  });
});

describe('values', () => {
  leavesTheTrailAlone();

  const bad: string[][] = [
    ['keys', 'create', '--name', ' x', '--entity', 'BER', '--preset', 'sensor-gateway'],
    ['keys', 'create', '--name', '', '--entity', 'BER', '--preset', 'sensor-gateway'],
    ['keys', 'create', '--name', 'x'.repeat(121), '--entity', 'BER', '--preset', 'sensor-gateway'],
    ['keys', 'create', '--name', 'a\u0007b', '--entity', 'BER', '--preset', 'sensor-gateway'],
    'keys create --name x --entity BER --preset sensor-gateway --expires soon'.split(' '),
    'keys create --name x --entity BER --preset sensor-gateway --expires 2026-11-19'.split(' '),
    'keys create --name x --entity BER --preset sensor-gateway --expires 2026-02-30'.split(' '),
    [
      'keys',
      'create',
      '--name',
      'x',
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--base-url',
      'not a url',
    ],
    ['entities', 'add', 'no blanks', '--name', 'X', '--timezone', 'UTC'],
    ['entities', 'add', 'X', '--name', 'X', '--timezone', 'Mars/Olympus'],
    ['users', 'add', 'a b', '--name', 'X', '--role', 'operator'],
    ['users', 'add', 'x', '--name', 'X', '--role', 'boss'],
    ['users', 'set-role', 'operator', 'boss'],
    ['tenants', 'set', '--week-start', 'someday'],
    ['import', 'nothings', '-', '--entity', 'BER'],
    ['import', 'parts', '/no/such/file.csv', '--entity', 'BER'],
    ['import', 'parts', '/', '--entity', 'BER'],
    ['sensors', 'export', '--entity', 'BER', '--from', 'yesterday'],
    ['sensors', 'export', '--entity', 'BER', '--from', '2026-11-20', '--to', '2026-11-20'],
    ['audit', 'list', '--since', 'then'],
    ['audit', 'list', '--limit', '0'],
    ['completion', 'tcsh'],
    ['keys', 'scan'],
    ['keys', 'verify'],
  ];
  for (const argv of bad) {
    it(`hkctl ${argv.join(' ').slice(0, 100)}: exit 2`, async () => {
      await refused(argv);
    });
  }
});
