import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'fast-string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import { layoutOf } from '../../../src/cli/table/layout.ts';
import { relativeTime } from '../../../src/cli/table/relative-time.ts';
import { createTable } from '../../../src/cli/table/table.ts';
import { drawSecret } from '../../../src/core/keys/secrets.ts';
import { Cli, startMs } from '../harness.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

describe('a relative time', () => {
  it.each([
    [-30_000, 'now'],
    [30_000, 'in 1 min'],
    [-4 * minuteMs, '4 min ago'],
    [59 * minuteMs + 59_000, 'in 59 min'],
    [-60 * minuteMs, '1 h ago'],
    [-47 * 60 * minuteMs, '47 h ago'],
    [6 * dayMs + 1, 'in 6 d'],
    [-999 * dayMs, '999 d ago'],
    [-4400 * dayMs, '12 y ago'],
  ])('of %i ms is "%s"', (offsetMs, text) => {
    expect(relativeTime(startMs + offsetMs, startMs)).toBe(text);
  });
});

describe('a layout', () => {
  const columns = [{}, { min: 6 }, { leaveOut: 1 }, { leaveOut: 2, min: 4 }];

  it('keeps everything where it fits', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 48, 2)).toEqual({ kept: [0, 1, 2, 3], widths: [8, 20, 5, 9] });
  });

  it('cuts before it leaves out, and the least important column goes first', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 40, 2)).toEqual({ kept: [0, 1, 2, 3], widths: [8, 12, 5, 9] });
    expect(layoutOf(columns, [8, 20, 5, 9], 28, 2)).toEqual({ kept: [0, 1, 2], widths: [8, 11, 5] });
    expect(layoutOf(columns, [8, 20, 5, 9], 20, 2)).toEqual({ kept: [0, 1], widths: [8, 10] });
  });

  it('cuts names below their smallest width before times and prefixes', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 15, 2)).toEqual({ kept: [0, 1], widths: [8, 5] });
  });

  it('cuts even what should not be cut, rather than be wider than the terminal', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 10, 2)).toEqual({ kept: [0, 1], widths: [4, 4] });
  });
});

describe('on a terminal', () => {
  const cli = new Cli();
  const names = [
    'Gateway line 3, hall 7, north side, behind the paint shop',
    '温度传感器网关第三条生产线北侧喷漆车间后面的备用设备',
    '🏭🔥 oven gateway 🏭🔥 with pictures 🏭🔥 in its long name',
    'Übergrößenträger für die Öfen der Halle 7 und der Halle 8',
    'x',
  ];
  const at = async (columns: number, line: string) => {
    const { stdout } = await cli.ok(line, { terminal: { columns, rows: 24 }, env: { NO_COLOR: '1' } });
    return stripVTControlCharacters(stdout).trimEnd().split('\n');
  };

  beforeAll(async () => {
    await cli.seed();
    for (const [i, name] of names.entries()) {
      await cli.key(name, ['--expires', i === 0 ? '6d' : i === 1 ? '400d' : 'never']);
    }
    await cli.ok(['users', 'add', 'a-login-of-twenty-eight-chars', '--name', names[1] ?? '', '--role', 'operator']);
    await cli.ok([
      'entities',
      'add',
      'A-CODE-OF-THIRTY-TWO-CHARACTERS1',
      '--name',
      names[2] ?? '',
      '--timezone',
      'UTC',
    ]);
  });

  describe.each([20, 40, 60, 80, 110, 200])('of %i columns', (columns) => {
    it.each([
      'keys list',
      'keys list --all',
      'keys list --utc',
      'users list',
      'entities list',
      'audit list',
      'tenants list',
    ])('hkctl %s is never wider', async (line) => {
      const lines = await at(columns, line);
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.filter((text) => stringWidth(text) > columns)).toEqual([]);
    });
  });

  it.each(['audit list --utc', 'keys list --utc', 'keys list --all --utc'])('hkctl %s cuts no time', async (line) => {
    const lines = await at(40, line);
    expect(lines.filter((text) => /20\d\d-\S*…/.test(text))).toEqual([]);
    expect(lines.some((text) => /20\d\d-\d\d-\d\dT[\d:.]+Z/.test(text))).toBe(!line.includes('--all'));
  });

  it('keys show relative times, a count of permissions, cut names and a summary', async () => {
    const lines = await at(80, 'keys list');
    expect(lines[0]).toMatch(/^PREFIX +NAME +ENTITY +LAST USED +EXPIRES +PERMISSIONS/);
    expect(lines.find((line) => line.includes('Gateway line 3'))).toMatch(
      /^hk_\w{5} {2}Gateway line 3.*… +BER +Never +in 6 d +1/,
    );
    expect(lines.at(-1)).toBe('5 keys, 1 expires within 14 days · hkctl keys show PREFIX');
  });

  it('columns of wide characters stand below their heading', async () => {
    const [heading = '', ...rows] = await at(80, 'keys list');
    const start = heading.indexOf('ENTITY');
    for (const row of rows.slice(0, names.length)) {
      expect(stringWidth(row.slice(0, row.indexOf(' BER ') + 1))).toBe(start);
    }
  });

  it('leaves out the creator first, then the permissions, the last use and the entity', async () => {
    const headings = async (columns: number) => (await at(columns, 'keys list'))[0]?.split(/ {2,}/);
    expect(await headings(110)).toEqual([
      'PREFIX',
      'NAME',
      'ENTITY',
      'LAST USED',
      'EXPIRES',
      'PERMISSIONS',
      'CREATED BY',
    ]);
    expect(await headings(72)).toEqual(['PREFIX', 'NAME', 'ENTITY', 'LAST USED', 'EXPIRES', 'PERMISSIONS']);
    expect(await headings(60)).toEqual(['PREFIX', 'NAME', 'ENTITY', 'LAST USED', 'EXPIRES']);
    expect(await headings(50)).toEqual(['PREFIX', 'NAME', 'ENTITY', 'EXPIRES']);
    expect(await headings(38)).toEqual(['PREFIX', 'NAME', 'EXPIRES']);
  });

  it('marks what expires within 14 days in amber, and nothing else', async () => {
    const terminal = { columns: 80, rows: 24 };
    const { stdout } = await cli.ok('keys list', { terminal, env: { FORCE_COLOR: '1' } });
    const amber = stdout.split('\n').filter((line) => line.includes('\u001b[33m'));
    expect(amber).toHaveLength(1);
    expect(amber[0]).toContain('\u001b[33min 6 d\u001b[39m');
  });

  it('shows times in full and in UTC with --utc', async () => {
    expect((await at(110, 'keys list --utc')).join('\n')).toContain(' 2026-11-26T08:00:00Z');
    expect((await at(110, 'audit list --utc --limit 1')).join('\n')).toContain(' 2026-11-20T08:00:00.000Z');
  });

  it('leaves out the summary with --quiet', async () => {
    expect((await at(80, 'keys list --quiet')).join('\n')).not.toContain('within 14 days');
  });
});

describe('a table that is printed page by page', () => {
  const printed = async (columns: number | undefined) => {
    const lines: string[] = [];
    const io = { stdout: { isTTY: columns !== undefined, columns: () => columns } };
    // Of the context a table uses no more than this.
    const context = { io, style: { bold: (text: string) => text }, print: (...more: string[]) => lines.push(...more) };
    const table = await createTable<string[]>(context as unknown as Parameters<typeof createTable>[0], [
      { heading: 'NAME', cell: ([name = '']) => name, min: 6 },
      { heading: 'AT', cell: ([, at = '']) => at, width: 6 },
      { heading: 'BY', cell: ([, , by = '']) => by, leaveOut: 1 },
    ]);
    table.print([['oven', 'Never', 'bob']]);
    table.print([['a longer name', '12 min', 'somebody else']]);
    return lines;
  };

  it('has its headings once; on a terminal later pages stand below them, elsewhere nothing is cut', async () => {
    expect(await printed(30)).toEqual(['NAME  AT      BY', 'oven  Never   bob', 'a l…  12 min  so…']);
    expect(await printed(undefined)).toEqual([
      'NAME  AT      BY',
      'oven  Never   bob',
      'a longer name  12 min  somebody else',
    ]);
  });
});

describe('off a terminal', () => {
  const cli = new Cli();

  it('keys have full names, local times and no summary', async () => {
    await cli.seed();
    const name = 'Gateway line 3, hall 7, north side, behind the paint shop, in the old hall';
    await cli.key(name, ['--expires', '2027-01-31']);
    const lines = (await cli.ok('keys list')).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^PREFIX +NAME +STATUS +ENTITY +LAST USED +EXPIRES +CREATED BY +PERMISSIONS +ALLOWED FROM +USED FROM$/,
    );
    expect(lines[1]).toMatch(
      new RegExp(
        `^hk_\\w{5} {2}${name} {2}Active {2}BER {5}Never {6}2027-01-31 23:59:59 CET {2}root {8}asset_sensors.ingest {2}anywhere$`,
      ),
    );
  });
});

describe('the addresses of keys', () => {
  const cli = new Cli();
  const listed = async (columns?: number) => {
    const terminal = columns === undefined ? {} : { terminal: { columns, rows: 24 } };
    const { stdout } = await cli.ok('keys list', { ...terminal, env: { NO_COLOR: '1' } });
    return stdout.split('\n').map((line) => line.split(/ {2,}/));
  };

  it('are listed where they may be used from, and the last one where they were', async () => {
    await cli.seed();
    await cli.key('everywhere');
    expect((await listed(200))[0]).not.toContain('ALLOWED FROM');
    await cli.key('two', ['--allow-ip', '10.0.0.0/8', '--allow-ip', 'fd00::/8']);
    const { key } = await cli.key('three', [
      '--allow-ip',
      '10.0.0.1',
      '--allow-ip',
      '10.0.0.2',
      '--allow-ip',
      '10.0.0.3',
    ]);
    expect((await listed(200))[0]).not.toContain('USED FROM');
    const store = await cli.services.openStore(cli.store);
    await store.keys.recordUse(new Map([[key.id, { atMs: startMs, ip: '10.0.0.2' }]]));
    await store.close();
    for (const [heading = [], ...rows] of [await listed(200), await listed()]) {
      const [allowed, used] = [heading.indexOf('ALLOWED FROM'), heading.indexOf('USED FROM')];
      expect(
        rows
          .slice(0, 3)
          .map((row) => [row[1], row[allowed], row[used]])
          .sort(),
      ).toEqual([
        ['everywhere', 'anywhere', undefined],
        ['three', '3 networks', '10.0.0.2'],
        ['two', '10.0.0.0/8, fd00::/8', undefined],
      ]);
    }
    expect((await listed(80))[0]).not.toContain('ALLOWED FROM');
  });

  it('give way to the names', async () => {
    const columns = 106;
    expect((await listed(columns))[0]).toContain('ALLOWED FROM');
    await cli.key('A bridge to the ERP of the group of plants');
    const [heading, ...rows] = await listed(columns);
    expect(heading).toEqual(['PREFIX', 'NAME', 'ENTITY', 'LAST USED', 'EXPIRES', 'PERMISSIONS', 'CREATED BY']);
    expect(rows.map((row) => row[1])).toContain('A bridge to the ERP of the group of pl…');
  });
});

describe('a list without keys', () => {
  const cli = new Cli();
  const said = async (line: string) => {
    const { stdout, stderr } = await cli.ok(line);
    return stdout + stderr;
  };

  it('says which filter had none', async () => {
    await cli.seed();
    expect(await said('keys list')).toBe('No active keys.\nCreate key: hkctl keys create\n');
    expect(await said('keys list --all')).toBe('No keys.\nCreate key: hkctl keys create\n');
    const { key } = await cli.key('Old');
    await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
    expect(await said('keys list')).toContain(
      'No active keys.\nShow inactive keys: hkctl keys list --all. Create key:',
    );
    expect(await said('keys list --all --entity CHI')).toBe('No key matches --entity CHI.\n');
    await cli.key('Gateway');
    expect(await said('keys list --entity CHI')).toBe(
      'No active key matches --entity CHI.\nInactive keys are listed with --all.\n',
    );
    expect(await said('keys list --entity CHI --search oven --older-than 36h --all')).toBe(
      'No key matches --entity CHI, --search "oven" or --older-than 36h.\n',
    );
    expect(await said('keys list --status revoked --entity CHI')).toContain('No revoked key matches --entity CHI.');
    await cli.key('Press', ['--entity', 'CHI']);
    expect(await said('keys list --entity CHI --search gateway')).toContain(
      'No active key matches --entity CHI and --search "gateway" together.',
    );
  });

  it('of the audit trail names --since', async () => {
    expect(await said('audit list --since 2027-01-01')).toBe('No record since 2027-01-01 (--since).\n');
  });

  it('of the sensors names the entity, and the next command', async () => {
    expect(await said('sensors list --entity CHI')).toBe(
      'No sensors in entity CHI.\nLoad some: hkctl import sensors FILE --entity CHI\n',
    );
  });
});

it('a cell with a secret is redacted before it is cut', async () => {
  const lines: string[] = [];
  const io = { stdout: { isTTY: true, columns: () => 30 } };
  const secret = drawSecret();
  // Of the context a table uses no more than this.
  const context = { io, style: { bold: (text: string) => text }, print: (...more: string[]) => lines.push(...more) };
  const table = await createTable<string>(context as unknown as Parameters<typeof createTable>[0], [
    { heading: 'NAME', cell: (name) => name, min: 6 },
  ]);
  table.print([`a name with ${secret}`]);
  expect(lines.join('\n')).not.toContain(secret.slice(3, 10));
});
