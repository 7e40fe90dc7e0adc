import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  await cli.ok('import sensors - --entity BER --format csv', {
    input: 'id,code,name,is_active\n1,T1,Oven,true\n2,T2,Door,true\n',
  });
});

const importing = 'import readings - --entity BER --format csv --json';

interface Report {
  accepted: number;
  duplicates: number;
  rejected: { line: number; code: string; detail: string }[];
  rejected_count: number;
}

async function imported(
  input: string,
  flags = '',
): Promise<{ code: number; report: Report; message: string }> {
  const { code, stdout, stderr } = await cli.run(`${importing} ${flags}`, { input });
  return { code, report: stdout === '' ? {} : JSON.parse(stdout), message: stderr };
}

const exported = async (flags = '') =>
  (await cli.ok(`sensors export --entity BER ${flags}`)).stdout;

describe('import readings --local', () => {
  it('reads times without an offset by the clocks of the entity', async () => {
    const { code, report } = await imported(
      [
        'sensor,at,value',
        'T1,2026-01-15T08:00:00,1',
        'T1,2026-07-15 08:00:00.123456,2',
        'T1,2026-07-15T09:30,3',
        'T1,2026-07-15T08:00:00Z,4',
      ].join('\n'),
      '--local',
    );
    expect([code, report.accepted, report.rejected]).toEqual([0, 4, []]);
    expect(await exported()).toBe(
      [
        'sensor,at,value,quality',
        'T1,2026-01-15T07:00:00.000000Z,1,',
        'T1,2026-07-15T06:00:00.123456Z,2,',
        'T1,2026-07-15T07:30:00.000000Z,3,',
        'T1,2026-07-15T08:00:00.000000Z,4,\n',
      ].join('\n'),
    );
  });

  it('rejects a time that the clocks skip or show twice, and keeps those around it', async () => {
    const { code, report } = await imported(
      [
        'sensor,at,value',
        'T1,2026-03-29T01:59:59.999999,1',
        'T1,2026-03-29T02:00:00,2',
        'T1,2026-03-29T02:59:59,2',
        'T1,2026-03-29T03:00:00,3',
        'T1,2025-10-26T01:59:59,4',
        'T1,2025-10-26T02:00:00,5',
        'T1,2025-10-26T02:59:59.9,5',
        'T1,2025-10-26T03:00:00,6',
        'T1,2025-10-26T02:30:00+02:00,7',
      ].join('\n'),
      '--local',
    );
    expect([code, report.accepted]).toEqual([0, 5]);
    expect(report.rejected.map(({ line, code: reason }) => [line, reason])).toEqual(
      [3, 4, 7, 8].map((line) => [line, 'invalid_at']),
    );
    expect(report.rejected[0]?.detail).toContain('does not exist in Europe/Berlin');
    expect(report.rejected[2]?.detail).toContain('exists twice in Europe/Berlin');
  });

  it('leaves such times rejected without the flag', async () => {
    const { code, report } = await imported('sensor,at,value\nT1,2026-01-15T08:00:00,1\n');
    expect([code, report.rejected[0]?.code]).toEqual([5, 'invalid_at']);
  });

  it('names the flag where such times are rejected without it', async () => {
    const hintOf = async (flag: string) => {
      const input = 'sensor,at,value\nT1,2026-03-29 02:00,1\n';
      return (await cli.run(`import readings - --entity BER ${flag}`, { input })).stderr;
    };
    expect(await hintOf('')).toContain('hint: --local reads times such as 2026-11-20 08:15');
    expect(await hintOf('--local')).not.toContain('hint:');
  });
});

describe('import readings --sensor', () => {
  const file = 'at,value\n2026-01-15T08:00:00Z,1.5\n2026-01-15T09:00:00Z,2.5\n';

  it('takes a file without a column of sensors', async () => {
    for (const sensor of ['T2', '2']) {
      expect((await imported(file, `--sensor ${sensor}`)).code).toBe(0);
    }
    expect(await exported()).toBe(
      'sensor,at,value,quality\nT2,2026-01-15T08:00:00.000000Z,1.5,\nT2,2026-01-15T09:00:00.000000Z,2.5,\n',
    );
    const objects = '[{"at":"2026-01-15T10:00:00Z","value":3}]';
    const { code, stdout } = await cli.run(
      'import readings - --entity BER --format json --sensor T2 --json',
      { input: objects },
    );
    expect([code, JSON.parse(stdout).accepted]).toEqual([0, 1]);
  });

  it('refuses an unknown sensor, and a file that names sensors', async () => {
    expect((await imported(file, '--sensor T9')).code).toBe(3);
    const named = 'sensor,at,value\nT1,2026-01-15T08:00:00Z,1\n';
    const { code, message } = await imported(named, '--sensor T2');
    expect([code, message]).toEqual([2, expect.stringContaining('--map')]);
    expect(await exported()).toBe('sensor,at,value,quality\n');
    expect((await imported(named, '--sensor T2 --map sensor=-')).code).toBe(0);
  });
});

describe('the exit status of import readings', () => {
  const good = 'T1,2026-01-15T08:00:00Z,1\n';
  const bad = 'T9,2026-01-15T08:00:00Z,1\n';

  it.each([
    ['all are good', good, '', 0],
    ['some were rejected', good + bad, '', 0],
    ['some were rejected, strictly', good + bad, '--strict', 5],
    ['all were rejected', bad + bad, '', 5],
    ['all are good, strictly', good, '--strict', 0],
    ['there is none', '', '--strict', 0],
    ['all would be rejected', bad, '--dry-run', 5],
    ['some would be rejected, strictly', good + bad, '--strict --dry-run', 5],
  ])('is right if %s', async (_, lines, flags, status) => {
    const { code } = await imported(`sensor,at,value\n${lines}`, flags);
    expect(code).toBe(status);
    const isStored = lines.includes(good) && !flags.includes('--dry-run');
    expect((await exported()).includes('T1')).toBe(isStored);
  });

  it('is 0 for duplicates beside rejected ones', async () => {
    await imported(`sensor,at,value\n${good}`);
    const { code, report } = await imported(`sensor,at,value\n${good}${bad}`);
    expect([code, report.duplicates, report.rejected_count]).toEqual([0, 1, 1]);
  });

  it('has flags that records refuse', async () => {
    for (const flag of ['--local', '--strict', '--sensor T1']) {
      const { code, stderr } = await cli.run(`import parts - --entity BER ${flag}`, { input: '' });
      expect([code, stderr]).toEqual([2, expect.stringContaining(flag.split(' ')[0] ?? '')]);
    }
  });
});

describe('sensors export --spreadsheet=LANGUAGE', () => {
  const rows = 'T1,2026-01-15T08:00:00.000000Z,-1.5,good\nT1,2026-01-15T09:00:00.000000Z,20,\n';
  beforeEach(async () => {
    await imported(`sensor,at,value,quality\n${rows}`);
  });

  it.each(['de', 'de-AT', 'fr', 'pt-BR', 'ru'])(
    'has the separator and decimal sign of %s, and is read back',
    async (language) => {
      const csv = await exported(`--spreadsheet=${language}`);
      expect(csv).toBe(
        '\ufeffsensor;at;value;quality\nT1;2026-01-15T08:00:00.000000Z;-1,5;good\nT1;2026-01-15T09:00:00.000000Z;20;\n',
      );
      expect((await imported(csv)).report).toMatchObject({ duplicates: 2, rejected_count: 0 });
    },
  );

  it.each(['de-CH', 'de-Latn-CH', 'it-CH', 'de-LI'])(
    'has semicolons and points for %s, and is read back',
    async (language) => {
      const csv = await exported(`--spreadsheet=${language}`);
      expect(csv).toBe(`\ufeffsensor,at,value,quality\n${rows}`.replaceAll(',', ';'));
      expect((await imported(csv)).report).toMatchObject({ duplicates: 2, rejected_count: 0 });
    },
  );

  it.each(['en', 'ja', 'es-MX', 'ar'])('has commas and points for %s', async (language) => {
    expect(await exported(`--spreadsheet=${language}`)).toBe(await exported('--spreadsheet'));
  });

  it('takes a word behind the bare flag for a sensor, and the variable for a language', async () => {
    expect(await exported('--spreadsheet T1')).toBe(`\ufeffsensor,at,value,quality\n${rows}`);
    expect(await exported('--spreadsheet T2')).toBe('\ufeffsensor,at,value,quality\n');
    const inGerman = await cli.run('sensors export --entity BER', {
      env: { HKCTL_SPREADSHEET: 'de' },
    });
    expect(inGerman.stdout).toBe(await exported('--spreadsheet=de'));
  });

  it('refuses what is no language', async () => {
    for (const word of ['deutsch', 'xx', 'de-XX', 'de_DE', '--', '']) {
      const { code, stderr } = await cli.run(`sensors export --entity BER --spreadsheet=${word}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--spreadsheet')]);
    }
  });

  it('reads back codes with an apostrophe, semicolons and signs of formulas', async () => {
    const codes = ['=1+1', '-B', "'=1", '@x;y', '+4"9'];
    const records = codes.map((code, index) => ({
      ...{ id: `C${index}`, code, name: 'C', is_active: true },
    }));
    await cli.ok('import sensors - --entity BER', { input: JSON.stringify(records) });
    const readings = codes.map((sensor) => ({ sensor, at: '2026-01-15T08:00:00Z', value: 0.5 }));
    await cli.ok('import readings - --entity BER --format json', {
      input: JSON.stringify(readings),
    });
    for (const flag of ['', '--spreadsheet', '--spreadsheet=de']) {
      const csv = await exported(flag);
      expect((await imported(csv)).report).toMatchObject({ duplicates: 7, rejected_count: 0 });
    }
  });
});

describe('a file from another program', () => {
  it.each([
    ['at;T1;T2\n2026-01-15T08:00:00Z;1;2\n', 'a column for each sensor (T1, T2)', "'T1=value'"],
    ['Timestamp,Oven\n2026-01-15T08:00:00Z,1\n', 'a column for each sensor (Oven)', 'Timestamp=at'],
    ['#group,false,true\n#datatype,string,long\n,result,_time\n', 'InfluxDB', '_time=at'],
    [',result,table,_time,_value,host\n,,0,2026-01-15T08:00:00Z,1,x\n', 'InfluxDB', '_value=value'],
  ])('is named with the way out: %j', async (input, named, advice) => {
    const { code, message } = await imported(input);
    expect([code, message]).toEqual([2, expect.stringContaining(named)]);
    expect(message).toContain(advice);
  });

  it('is read as the advice for a column of each sensor says', async () => {
    const wide = 'Timestamp,T1,T2\n2026-01-15T08:00:00Z,1,2\n';
    for (const [sensor, other] of [
      ['T1', 'T2'],
      ['T2', 'T1'],
    ]) {
      const mappings = `--map ${sensor}=value --map Timestamp=at --map ${other}=-`;
      expect((await imported(wide, `--sensor ${sensor} ${mappings}`)).code).toBe(0);
    }
    expect((await exported()).split('\n')).toHaveLength(4);
  });

  it.each([
    ['T1,46297.5,1', '2026-10-02T12:00:00'],
    ['T1,46297,1', '2026-10-02T00:00:00'],
    ['T1,"46297,5",1', '2026-10-02T12:00:00'],
    ['T1,2026-01-15T08:00:00Z,="00123"', 'no formula is read'],
    ['"=""T1""",2026-01-15T08:00:00Z,1', 'no formula is read'],
  ])('has its habits named: %s', async (line, named) => {
    const { report } = await imported(`sensor,at,value\n${line}\n`);
    expect(report.rejected[0]?.detail).toContain(named);
  });

  it('has the same habits named in records', async () => {
    const header = 'id,name,part_number,is_active\n';
    for (const cell of ['="00123"', '"=""00123"""']) {
      const { code, stderr } = await cli.run('import parts - --entity BER --format csv', {
        input: `${header}A,x,${cell},true\n`,
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining('no formula is read')]);
    }
    await cli.ok('import parts - --entity BER --format csv', {
      input: `${header}A,'=x,'-1,true\n`,
    });
  });
});

describe('import sensors', () => {
  it.each([
    ['"V,W"', 'A', 'id'],
    ['A', '"V,W"', 'code'],
  ])('refuses a comma in an id or code: %s %s', async (id, code, field) => {
    const { code: status, stderr } = await cli.run('import sensors - --entity BER --format csv', {
      input: `id,code,name,is_active\n${id},${code},x,true\n`,
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${field}: "V,W": no comma`)]);
  });

  it('takes commas in names, and in ids of other records', async () => {
    await cli.ok('import sensors - --entity BER --format csv', {
      input: 'id,code,name,is_active\n3,T3,"Oven, zone 1",true\n',
    });
    await cli.ok('import parts - --entity BER --format csv', {
      input: 'id,name,part_number,is_active\n"A,1",x,"1,2",true\n',
    });
  });
});
