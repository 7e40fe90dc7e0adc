import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../../../../cli/harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  await cli.ok('import sensors - --entity BER --format csv', {
    input: 'id,code,name,unit,is_active\n1,OVEN-1,Oven,Cel,true\n2,DOOR-1,Door,,true\n',
  });
});

const history = [
  'sensor,at,value,quality,unit',
  '# OVEN-3-T1,2026-11-20T08:15:00.123456Z,182.4,good,Cel',
  'OVEN-1,2024-02-29T08:00:00.000001+01:00,182.4,good,Cel',
  '2,1709190000000,true,,',
  'OVEN-9,2024-02-29T08:00:00Z,1,,',
  'OVEN-1,yesterday,1,,',
  'OVEN-1,2024-02-29T08:00:00Z,"1,5",,',
  'OVEN-1,2024-02-29T08:00:00Z,1',
  'OVEN-1,2024-02-29T07:00:00.000001Z,5,,',
].join('\n');

const importing = 'import readings - --entity BER --format csv';
const exported = async () => (await cli.ok('sensors export --entity BER')).stdout;

describe('import readings', () => {
  it('validates each by itself and names the rejected ones by line and code', async () => {
    const { stdout, stderr } = await cli.ok(importing, { input: history });
    expect(stdout).toBe('Readings of BER: 2 accepted, 0 duplicates, 5 rejected\n');
    expect(stderr.split('\n').slice(0, 6)).toEqual([
      'Rejected: unknown_sensor 1, invalid_at 1, invalid_value 1, invalid_reading 1, reading_conflict 1',
      expect.stringMatching(/^ {2}line 5: unknown_sensor: /),
      expect.stringMatching(/^ {2}line 6: invalid_at: /),
      '  line 7: invalid_value: The value "1,5" is neither a finite number nor a boolean. Give it with a decimal point: 1.5.',
      '  line 8: invalid_reading: The line is not as expected: 5 columns as in the header; this row has 3.',
      '  line 9: reading_conflict: The sensor has another value at this instant; the first one stays.',
    ]);
    expect(await exported()).toBe(
      'sensor,at,value,quality\nOVEN-1,2024-02-29T07:00:00.000001Z,182.4,good\nDOOR-1,2024-02-29T07:00:00.000000Z,1,\n',
    );
  });

  it('finds only duplicates in a second run, and audits both, each from its beginning', async () => {
    await cli.ok(importing, { input: history });
    const again = await cli.ok(`${importing} --json`, { input: history });
    expect(again.json()).toMatchObject({
      ...{ resource: 'readings', entity: 'BER', accepted: 0, duplicates: 2, rejected_count: 5 },
      rejected_codes: { unknown_sensor: 1, reading_conflict: 1 },
    });
    expect(again.json<{ rejected: unknown[] }>().rejected[0]).toEqual({
      ...{ line: 5, code: 'unknown_sensor', detail: expect.any(String) },
    });
    const trail = (await cli.ok('audit list --json')).json<
      { action: string; outcome: string; detail: unknown }[]
    >();
    expect(trail.filter(({ action }) => action === 'readings.import')).toMatchObject([
      { outcome: 'done', target: 'BER', detail: { accepted: 0, duplicates: 2, rejected: 5 } },
      { outcome: 'done', target: 'BER', detail: { begins: true } },
      { outcome: 'done', target: 'BER', detail: { accepted: 2, duplicates: 0, rejected: 5 } },
      { outcome: 'done', target: 'BER', detail: { begins: true } },
    ]);
  });

  it('counts with --dry-run what it would do, and stores nothing', async () => {
    const twice = `${history}\nOVEN-1,2024-02-29T07:00:00.000001Z,182.4,,\n`;
    const dry = await cli.ok(`${importing} --dry-run`, { input: twice });
    expect(dry.stdout).toBe(
      'Nothing was stored. This would be: 2 accepted, 1 duplicate, 5 rejected\n',
    );
    expect(dry.stderr).toContain('line 9: reading_conflict');
    expect(await exported()).toBe('sensor,at,value,quality\n');
    const counts = { accepted: 2, duplicates: 1, rejected_count: 5 };
    const asJson = await cli.ok(`${importing} --dry-run --json`, { input: twice });
    expect(asJson.json()).toMatchObject({ ...counts, dry_run: true });
    const real = await cli.ok(`${importing} --json`, { input: twice });
    expect(real.json()).toMatchObject({ ...counts, dry_run: false });
    const again = await cli.ok(`${importing} --dry-run --json`, { input: twice });
    expect(again.json()).toMatchObject({ accepted: 0, duplicates: 3, rejected_count: 5 });
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({
      ...{ action: 'readings.import', outcome: 'done' },
      detail: { accepted: 0, duplicates: 3, rejected: 5, dry_run: true },
    });
    expect((await cli.run(`${importing} --dry-run --as operator`, { input: twice })).code).toBe(4);
  });

  it.each([
    [
      'json',
      '[{"sensor":"OVEN-1","at":1709190000000,"value":0.1234567890123456789},\n{"sensor":"OVEN-1","colour":1}]',
    ],
    [
      'ndjson',
      '{"sensor":"OVEN-1","at":1709190000000,"value":0.1234567890123456789}\n{"sensor":"OVEN-1","colour":1}\n',
    ],
  ])('reads %s as gateways send it, also gzipped', async (format, text) => {
    const input = new PassThrough();
    input.end(gzipSync(text));
    const result = await cli.ok(`import readings - --entity BER --format ${format} --json`, {
      input,
    });
    expect(result.json()).toMatchObject({
      accepted: 1,
      rejected: [{ line: 2, code: 'unknown_field' }],
    });
    expect(await exported()).toContain('OVEN-1,2024-02-29T07:00:00.000000Z,0.12345678901234568,\n');
  });

  it('reads columns by other names, and refuses a file without the right ones', async () => {
    const input = 'tag;when;wert;note\nOVEN-1;2024-02-29T08:00:00Z;5;x';
    const mapped = `${importing} --map tag=sensor --map when=at --map wert=value --map note=-`;
    expect((await cli.ok(mapped, { input })).stdout).toContain('1 accepted');
    for (const [header, why] of [
      [
        'sensor,att,value',
        `line 1, column 2, att: an unknown field of readings; did you mean at? Then map it with --map 'att=at'`,
      ],
      ['sensor,value', 'line 1, at: required, and the file has no column for it'],
      ['sensor,at,at,value', 'line 1, column 3, at: means at, as does an earlier column'],
    ]) {
      const refused = await cli.run(importing, { input: `${header}\n` });
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(why ?? '')]);
    }
  });

  it('keeps what came before a fault of the whole file, and says so (exit 2)', async () => {
    const text =
      '[{"sensor":"OVEN-1","at":1709190000000,"value":1},\n{"sensor":"OVEN-1","at":17091';
    const refused = await cli.run('import readings - --entity BER --format json', { input: text });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('are then duplicates'),
    ]);
    expect(await exported()).toContain('OVEN-1,2024-02-29T07:00:00.000000Z,1,\n');
    const [last] = (await cli.ok('audit list --json --limit 2'))
      .json<{ action: string }[]>()
      .slice(1);
    expect(last).toMatchObject({
      action: 'readings.import',
      outcome: 'failed',
      detail: { accepted: 1 },
    });
  });

  it('does not say of an archive that is cut off that nothing was imported', async () => {
    const lines = Array.from(
      { length: 30_000 },
      (_, n) => `OVEN-1,${1_709_190_000_000 + n * 1000},${Math.sin(n)}`,
    );
    const archive = gzipSync(`sensor,at,value\n${lines.join('\n')}\n`);
    const input = new PassThrough();
    input.end(archive.subarray(0, -archive.length / 10));
    const refused = await cli.run(importing, { input });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('incomplete gzip archive'),
    ]);
    expect(refused.stderr).not.toContain('Nothing was imported');
    expect((await exported()).split('\n').length).toBeGreaterThan(10_000);
  });

  it('keeps the first of repeated readings of a long file, and names the others in the order of the lines', async () => {
    const line = (n: number, value: number) => `OVEN-1,${1_709_190_000_000 + n * 1000},${value}`;
    const lines = Array.from({ length: 50_000 }, (_, n) =>
      n % 20_000 < 19_990 ? line(n, n) : line(n - 15, n % 2 ? n - 15 : -1),
    );
    const input = `sensor,at,value\n${lines.join('\n')}\n`;
    const found = (await cli.ok(`${importing} --json`, { input })).json<{
      rejected: { line: number }[];
    }>();
    const wrong = [19_990, 39_990].flatMap((first) => [0, 2, 4, 6, 8].map((n) => first + n + 2));
    expect(found).toMatchObject({
      accepted: 49_980,
      duplicates: 10,
      rejected_codes: { reading_conflict: 10 },
    });
    expect(found.rejected.map((one) => one.line)).toEqual(wrong);
    const again = await cli.ok(`${importing} --json`, { input });
    expect(again.json()).toMatchObject({ accepted: 0, duplicates: 49_990, rejected_count: 10 });
  });

  it('is for Super users and Master data, and takes no flag of records', async () => {
    expect((await cli.run(`${importing} --as operator`, { input: history })).code).toBe(4);
    expect((await cli.ok(`${importing} --as master_data`, { input: history })).code).toBe(0);
    const refused = await cli.run(`${importing} --replace`, { input: history });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--replace is for records'),
    ]);
    expect((await cli.ok('import readings --template')).stdout).toBe(
      'sensor,at,value,quality,unit\n# OVEN-3-T1,2026-11-20T08:15:00.123456Z,182.4,good,Cel\n',
    );
    expect((await cli.run('import readings --entity BER')).stderr).toContain('FILE is missing');
  });
});
