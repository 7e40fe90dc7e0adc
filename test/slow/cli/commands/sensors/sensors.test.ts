import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../../../../cli/harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const sensors = [
  'id;code;name;unit;is_active',
  '1;OVEN-1;"Oven; zone 1";Cel;true',
  '2;DOOR-1;Door;;true',
].join('\r\n');

async function importSensors(): Promise<void> {
  await cli.ok('import sensors - --entity BER', { input: `\ufeff${sensors}` });
}

/** Keeps readings as the daemon does. */
async function keep(
  readings: readonly [atUs: number, value: number, quality: number][],
  code = 'OVEN-1',
): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const entity = (await cli.ok('entities list --json'))
    .json<{ id: string; code: string }[]>()
    .find(({ code }) => code === 'BER');
  const sensor = (await store.readings.directory(entity?.id ?? '')).get(code);
  await store.readings.append({
    count: readings.length,
    rows: Float64Array.from(readings.flatMap((reading) => [sensor?.series ?? 0, ...reading])),
  });
  await store.close();
}

const atUs = Date.parse('2026-11-20T08:15:00Z') * 1000 + 123_456;

describe('sensors', () => {
  it('are listed with their last reading; Never before it', async () => {
    await importSensors();
    expect((await cli.ok('sensors list --entity BER --json')).json()).toMatchObject([
      {
        id: '1',
        code: 'OVEN-1',
        name: 'Oven; zone 1',
        unit: 'Cel',
        last_reading_at: null,
        last_value: null,
        last_heartbeat_at: null,
        last_status: null,
      },
      { id: '2', code: 'DOOR-1', unit: null },
    ]);
    await keep([[atUs, 182.4, 0]]);
    expect((await cli.ok('sensors show OVEN-1 --entity BER --json')).json()).toMatchObject({
      last_reading_at: '2026-11-20T08:15:00.123456Z',
      last_value: 182.4,
    });
    const [shown = {}] = (await cli.ok('sensors list --entity BER --json')).json<
      Record<string, unknown>[]
    >();
    const imported = [
      'id',
      'code',
      'name',
      'asset_id',
      'quantity',
      'unit',
      'is_active',
      'silent_after',
      'updated_at',
    ];
    const state = [
      'last_reading_at',
      'last_value',
      'last_heartbeat_at',
      'last_status',
      'last_battery',
    ];
    expect(Object.keys(shown).sort()).toEqual([...imported, ...state].sort());
    expect((await cli.ok('sensors show 1 --entity BER --json')).json()).toEqual(shown);
    const { stdout } = await cli.ok('sensors list --entity BER');
    expect(stdout).toContain('182.4 Cel');
    expect(stdout).toContain('2026-11-20T08:15:00');
    expect((await cli.run('sensors show OVEN-1 --entity CHI')).code).toBe(3);
  });

  it('have a column for the status on a terminal only where one reported it', async () => {
    await importSensors();
    const options = { terminal: { columns: 100, rows: 24 }, env: { NO_COLOR: '1' } };
    const headings = async (more = {}) =>
      (await cli.ok('sensors list --entity BER', more)).stdout.split('\n')[0];
    expect(await headings(options)).toMatch(/^CODE {2,}NAME .* LAST HEARTBEAT$/);
    expect(await headings()).toMatch(/\tSTATUS$/);
    const store = await (await cli.services.engine(cli.store)).open();
    const [entity] = (await cli.ok('entities list --json')).json<{ id: string }[]>();
    const sensor = (await store.readings.directory(entity?.id ?? '')).get('OVEN-1');
    const beat = { battery: null, signal: null, firmware: null };
    await store.readings.appendHeartbeats([
      { series: sensor?.series ?? 0, atUs, status: 'fault', ...beat },
    ]);
    await store.close();
    expect(await headings(options)).toMatch(/ {2}STATUS$/);
  });

  it('are exported in order of time, `from` inclusive and `to` exclusive', async () => {
    await importSensors();
    await keep([
      [atUs + 2, 3, 0],
      [atUs, 1, 1],
      [atUs + 1, 2.5, 3],
    ]);
    const from = '2026-11-20T09:15:00.123456+01:00';
    const to = '2026-11-20T08:15:00.123458Z';
    const csv = (
      await cli.ok(['sensors', 'export', 'OVEN-1', '--entity', 'BER', '--from', from, '--to', to])
    ).stdout;
    expect(csv).toBe(
      'sensor,at,value,quality\nOVEN-1,2026-11-20T08:15:00.123456Z,1,good\nOVEN-1,2026-11-20T08:15:00.123457Z,2.5,bad\n',
    );
    const lines = (
      await cli.ok('sensors export --entity BER --format ndjson --from 2026-11-20')
    ).stdout
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).value)).toEqual([1, 2.5, 3]);
    const all = (await cli.ok('sensors export --entity BER --json')).json<{ value: number }[]>();
    expect(all.map(({ value }) => value)).toEqual([1, 2.5, 3]);
    expect((await cli.ok('sensors export --entity BER --json --to 2026-11-20')).json()).toEqual([]);
  });

  it('are open to every profile, and the audit trail records who exported which of them', async () => {
    await importSensors();
    await keep([[atUs, 1, 0]]);
    const before = (await cli.ok('audit list --json')).json<unknown[]>().length;
    for (const line of ['sensors list', 'sensors show OVEN-1'])
      await cli.ok(`--as operator ${line} --entity BER`);
    const readings = await cli.ok('--as operator sensors export --entity BER');
    expect(readings.stdout).toContain('OVEN-1,2026-11-20T08:15:00.123456Z,1,');
    await cli.ok(
      '--as operator sensors export 1 DOOR-1 --entity BER --from 2026-11-20 --to 2026-11-20T10:00:00Z',
    );
    expect((await cli.run('--as operator sensors export NONE --entity BER')).code).toBe(3);
    const records = (await cli.ok('audit list --json')).json<Record<string, unknown>[]>();
    const common = {
      action: 'sensors.export',
      target: 'BER',
      outcome: 'done',
      actor: { login: 'operator' },
    };
    expect(records.slice(0, records.length - before)).toMatchObject([
      {
        ...common,
        detail: {
          sensors: 'OVEN-1 DOOR-1',
          from: '2026-11-19T23:00:00.000000Z',
          to: '2026-11-20T10:00:00.000000Z',
        },
      },
      { ...common, detail: { sensors: 'all', from: null, to: null } },
    ]);
  });
});

describe('sensors export as CSV', () => {
  const codes: [code: string, cell: string, protectedCell: string][] = [
    ['=F+H-B', '=F+H-B', "'=F+H-B"],
    ['=1+1', '=1+1', "'=1+1"],
    ['+49', '+49', "'+49"],
    ['-B1', '-B1', "'-B1"],
    ['-5', '-5', "'-5"],
    ['@SUM', '@SUM', "'@SUM"],
    ['=a"b;c', '"=a""b;c"', `"'=a""b;c"`],
    ['a=1', 'a=1', 'a=1'],
    ["'=1", "'=1", "'=1"],
    ['# B', '"# B"', '"# B"'],
    ['B;1', 'B;1', 'B;1'],
  ];

  it.each(codes)('writes the code %s so that it comes back', async (code, cell, protectedCell) => {
    const rows = `[{"id":"1","code":${JSON.stringify(code)},"name":"Oven","is_active":true}]`;
    await cli.ok('import sensors - --entity BER', { input: rows });
    await keep([[atUs, -2.5, 0]], code);
    const row = (shown: string) =>
      `sensor,at,value,quality\n${shown},2026-11-20T08:15:00.123456Z,-2.5,\n`;
    const { stdout } = await cli.ok('sensors export --entity BER');
    expect(stdout).toBe(row(cell));
    expect((await cli.ok('sensors export --entity BER --spreadsheet')).stdout).toBe(
      `\ufeff${row(protectedCell)}`,
    );
    const lines = (await cli.ok('sensors export --entity BER --format ndjson')).stdout;
    expect(JSON.parse(lines)).toMatchObject({ sensor: code, value: -2.5 });
    for (const [format, input] of [
      ['csv', stdout],
      ['ndjson', lines],
    ]) {
      const again = await cli.ok(`import readings - --entity BER --format ${format} --json`, {
        input,
      });
      expect(again.json()).toMatchObject({ accepted: 0, duplicates: 1, rejected_count: 0 });
    }
  });

  it('refuses --spreadsheet for what no spreadsheet reads', async () => {
    for (const flag of ['--json', '--format ndjson'])
      expect((await cli.run(`sensors export --entity BER --spreadsheet ${flag}`)).code).toBe(2);
  });
});

describe('sensors export by date', () => {
  const row = (instant: string, value: number): [number, number, number] => [
    Date.parse(instant) * 1000,
    value,
    0,
  ];
  const values = async (...range: string[]) => {
    const line = ['sensors', 'export', 'OVEN-1', '--entity', 'BER', '--json', ...range];
    return (await cli.ok(line)).json<{ value: number }[]>().map(({ value }) => value);
  };

  it('takes a day of 25 hours and one of 23 whole, by the time zone of the entity', async () => {
    await importSensors();
    await keep([
      row('2026-10-24T21:59:59.999Z', 1),
      row('2026-10-24T22:00:00Z', 2),
      row('2026-10-25T22:59:59.999Z', 3),
      row('2026-10-25T23:00:00Z', 4),
      row('2026-03-28T22:59:59.999Z', 5),
      row('2026-03-28T23:00:00Z', 6),
      row('2026-03-29T21:59:59.999Z', 7),
      row('2026-03-29T22:00:00Z', 8),
    ]);
    expect(await values('--from', '2026-10-25', '--to', '2026-10-26')).toEqual([2, 3]);
    expect(await values('--from', '2026-03-29', '--to', '2026-03-30')).toEqual([6, 7]);
  });

  it('cuts to the microsecond: `from` is in, `to` is not', async () => {
    await importSensors();
    await keep([
      [atUs - 1, 1, 0],
      [atUs, 2, 0],
      [atUs + 1, 3, 0],
    ]);
    expect(
      await values('--from', '2026-11-20T08:15:00.123456Z', '--to', '2026-11-20T08:15:00.123457Z'),
    ).toEqual([2]);
    expect(
      (await cli.run('sensors export --entity BER --from 2026-11-21 --to 2026-11-21')).code,
    ).toBe(2);
    for (const line of ['export', 'show OVEN-1', 'erase OVEN-1 --yes']) {
      const reversed = '--to 2026-11-20T07:00:00Z --from 2026-11-21';
      const outcome = await cli.run(`sensors ${line} --entity BER ${reversed}`);
      expect([line, outcome.code]).toEqual([line, 2]);
      expect(outcome.stderr).toContain('2026-11-20T07:00:00Z is not after 2026-11-21.');
    }
    expect((await cli.run('sensors export --entity BER --from yesterday')).code).toBe(2);
  });
});
