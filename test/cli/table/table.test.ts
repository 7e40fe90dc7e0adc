import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'fast-string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Column, createTextTable } from '../../../src/cli/table/table.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { Cli } from '../harness.ts';

/** Prints into the lines that come with it, as on a terminal of these columns. */
async function tableOn<Row>(columns: number | undefined, shown: readonly Column<Row>[]) {
  const lines: string[] = [];
  const io = { stdout: { isTTY: columns !== undefined, columns: () => columns } };
  // Of the context a table uses no more than this.
  const context = {
    io,
    style: { bold: (text: string) => text },
    print: (...more: string[]) => lines.push(...more),
  };
  return {
    table: await createTextTable<Row>(
      context as unknown as Parameters<typeof createTextTable>[0],
      shown,
    ),
    lines,
  };
}

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
    const { stdout } = await cli.ok(line, {
      terminal: { columns, rows: 24 },
      env: { NO_COLOR: '1' },
    });
    return stripVTControlCharacters(stdout).trimEnd().split('\n');
  };

  beforeAll(async () => {
    await cli.seed();
    for (const [i, name] of names.entries()) {
      await cli.key(name, ['--expires', i === 0 ? '6d' : i === 1 ? '400d' : 'never']);
    }
    await cli.ok([
      'users',
      'add',
      'a-login-of-twenty-eight-chars',
      '--name',
      names[1] ?? '',
      '--role',
      'operator',
    ]);
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

  it.each(['audit list --utc', 'keys list --utc', 'keys list --all --utc'])(
    'hkctl %s cuts no time',
    async (line) => {
      const lines = await at(40, line);
      expect(lines.filter((text) => /20\d\d-\S*…/.test(text))).toEqual([]);
      expect(lines.some((text) => /20\d\d-\d\d-\d\dT[\d:.]+Z/.test(text))).toBe(
        !line.includes('--all'),
      );
    },
  );

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
    expect(await headings(72)).toEqual([
      'PREFIX',
      'NAME',
      'ENTITY',
      'LAST USED',
      'EXPIRES',
      'PERMISSIONS',
    ]);
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
    expect((await at(110, 'audit list --utc --limit 1')).join('\n')).toContain(
      ' 2026-11-20T08:00:00.000Z',
    );
  });

  it('leaves out the summary with --quiet', async () => {
    expect((await at(80, 'keys list --quiet')).join('\n')).not.toContain('within 14 days');
  });
});

describe('off a terminal', () => {
  const cli = new Cli();

  it('keys have full names, times in UTC and no summary', async () => {
    await cli.seed();
    const name = 'Gateway line 3, hall 7, north side, behind the paint shop, in the old hall';
    await cli.key(name, ['--expires', '2027-01-31']);
    const lines = (await cli.ok('keys list')).stdout.slice(0, -1).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^PREFIX\tNAME\tSTATUS\tENTITY\tLAST USED\tEXPIRES\tCREATED BY\tPERMISSIONS\tALLOWED FROM\tUSED FROM\tACCESS\tREFUSED$/,
    );
    expect(lines[1]).toMatch(
      new RegExp(
        `^hk_\\w{5}\t${name}\tActive\tBER\t\t2027-01-31T22:59:59.999Z\troot\tasset_sensors.ingest\tanywhere\t\t\t$`,
      ),
    );
  });
});

describe('a table that is printed page by page', () => {
  const printed = async (columns: number | undefined) => {
    const { table, lines } = await tableOn<string[]>(columns, [
      { heading: 'NAME', cell: ([name = '']) => name, min: 6 },
      { heading: 'AT', cell: ([, at = '']) => at, width: 6 },
      { heading: 'BY', cell: ([, , by = '']) => by, leaveOut: 1 },
    ]);
    table.print([['oven', 'Never', 'bob']]);
    table.print([['a longer name', '12 min', 'somebody else']]);
    return lines;
  };

  it('has its headings once, and later pages stand below them', async () => {
    expect(await printed(30)).toEqual([
      'NAME  AT      BY',
      'oven  Never   bob',
      'a l…  12 min  so…',
    ]);
  });
});

it('a cell with a secret is redacted before it is cut', async () => {
  const secret = drawSecret();
  const { table, lines } = await tableOn<string>(30, [
    { heading: 'NAME', cell: (name) => name, min: 6 },
  ]);
  table.print([`a name with ${secret}`]);
  expect(lines.join('\n')).not.toContain(secret.slice(3, 10));
});
