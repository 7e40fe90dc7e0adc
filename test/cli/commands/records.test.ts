import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { progressLine } from '../../../src/cli/terminal/progress.ts';
import type { ServeSettings } from '../../../src/core/operations/settings.ts';
import { Cli } from '../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const sensors = ['id;code;name;unit;is_active', '1;OVEN-1;"Oven; zone 1";Cel;true', '2;DOOR-1;Door;;true'].join('\r\n');

async function importSensors(): Promise<void> {
  await cli.ok('import sensors - --entity BER', { input: `\ufeff${sensors}` });
}

/** Keeps readings as the daemon does. */
async function keep(
  readings: readonly [atUs: number, value: number, quality: number][],
  code = 'OVEN-1',
): Promise<void> {
  const store = await cli.services.openStore(cli.store);
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

describe('import', () => {
  it('tells what it did, and with --dry-run what it would do', async () => {
    const line = ['import', 'sensors', '-', '--entity', 'BER', '--json'];
    const counts = {
      resource: 'sensors',
      entity: 'BER',
      dry_run: true,
      inserted: 2,
      updated: 0,
      unchanged: 0,
      removed: 0,
    };
    expect((await cli.ok([...line, '--dry-run'], { input: sensors })).json()).toEqual(counts);
    expect((await cli.ok([...line, '--dry-run'], { input: sensors })).json()).toEqual(counts);
    expect((await cli.ok(line, { input: sensors })).json()).toEqual({ ...counts, dry_run: false });
    const one = sensors.split('\r\n').slice(0, 2).join('\n').replace('zone 1', 'zone one');
    expect((await cli.ok([...line, '--replace'], { input: one })).json()).toEqual({
      ...counts,
      dry_run: false,
      inserted: 0,
      updated: 1,
      removed: 1,
    });
  });

  it('maps columns, reads a file by its name, and refuses by line and field', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'hkctl-import-')), 'sensors.csv');
    writeFileSync(file, 'NR,MERKMAL,TEXT,AKTIV,REST\n1,A,Eins,true,x\n');
    const maps = ['NR=id', 'MERKMAL=code', 'TEXT=name', 'AKTIV=is_active', 'REST=-'].flatMap((map) => ['--map', map]);
    await cli.ok(['import', 'sensors', file, '--entity', 'BER', ...maps]);
    const refused = await cli.run(['import', 'sensors', '-', '--entity', 'BER', '--json'], {
      input: `${sensors}\r\n3;X;X;;perhaps`,
    });
    expect(refused.code).toBe(2);
    expect(refused.error()).toMatchObject({ violations: [{ field: 'is_active', value: 'perhaps' }] });
    expect((await cli.ok('sensors list --entity BER --json')).json()).toHaveLength(1);
  });

  it('draws a bar that fits its terminal', () => {
    for (const columns of [20, 40, 60, 80, 200]) {
      for (const read of [0, 5e5, 1e6, 2e6]) {
        const line = progressLine('Importing production-quality', read, 1e6, columns);
        expect(line.length).toBeLessThan(columns);
      }
    }
    expect(progressLine('Importing parts', 5e5, 1e6, 80)).toMatch(/^Importing parts {2}█+░+ {2}50 % {2}0\.5 MB$/);
  });
});

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
    const { stdout } = await cli.ok('sensors list --entity BER');
    expect(stdout).toContain('182.4 Cel');
    expect(stdout).toContain('2026-11-20 09:15:00');
    expect((await cli.run('sensors show OVEN-1 --entity CHI')).code).toBe(3);
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
    const csv = (await cli.ok(['sensors', 'export', 'OVEN-1', '--entity', 'BER', '--from', from, '--to', to])).stdout;
    expect(csv).toBe(
      'sensor,at,value,quality\nOVEN-1,2026-11-20T08:15:00.123456Z,1,good\nOVEN-1,2026-11-20T08:15:00.123457Z,2.5,bad\n',
    );
    const lines = (await cli.ok('sensors export --entity BER --format ndjson --from 2026-11-20')).stdout
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).value)).toEqual([1, 2.5, 3]);
    const all = (await cli.ok('sensors export --entity BER --json')).json<{ value: number }[]>();
    expect(all.map(({ value }) => value)).toEqual([1, 2.5, 3]);
    expect((await cli.ok('sensors export --entity BER --json --to 2026-11-20')).json()).toEqual([]);
  });

  it('are open to every profile, and the audit trail keeps who took which of them out', async () => {
    await importSensors();
    await keep([[atUs, 1, 0]]);
    const before = (await cli.ok('audit list --json')).json<unknown[]>().length;
    for (const line of ['sensors list', 'sensors show OVEN-1']) await cli.ok(`--as operator ${line} --entity BER`);
    const readings = await cli.ok('--as operator sensors export --entity BER');
    expect(readings.stdout).toContain('OVEN-1,2026-11-20T08:15:00.123456Z,1,');
    await cli.ok('--as operator sensors export 1 DOOR-1 --entity BER --from 2026-11-20 --to 2026-11-20T10:00:00Z');
    expect((await cli.run('--as operator sensors export NONE --entity BER')).code).toBe(3);
    const records = (await cli.ok('audit list --json')).json<Record<string, unknown>[]>();
    const common = { action: 'sensors.export', target: 'BER', outcome: 'done', actor: { login: 'operator' } };
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
  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-5', "'-5"],
    ['@SUM', "'@SUM"],
    ['=a"b', `"'=a""b"`],
    ['a=1', 'a=1'],
    ["'=1", "'=1"],
  ])('writes the code %s so that a spreadsheet runs no formula', async (code, cell) => {
    const rows = `[{"id":"1","code":${JSON.stringify(code)},"name":"Oven","is_active":true}]`;
    await cli.ok('import sensors - --entity BER', { input: rows });
    await keep([[atUs, -2.5, 0]], code);
    const { stdout } = await cli.ok('sensors export --entity BER');
    expect(stdout).toBe(`sensor,at,value,quality\n${cell},2026-11-20T08:15:00.123456Z,-2.5,\n`);
    const lines = (await cli.ok('sensors export --entity BER --format ndjson')).stdout;
    expect(JSON.parse(lines)).toMatchObject({ sensor: code, value: -2.5 });
  });
});

describe('serve', () => {
  it('runs with the flags, the variables and the defaults of the contract', async () => {
    let seen: ServeSettings | undefined;
    cli.services.serve = async (_domain, settings, hooks) => {
      seen = settings;
      hooks.listening('http://127.0.0.1:9000');
    };
    const { stderr } = await cli.ok('serve --port 0 --trust-proxy 10.0.0.0/8 --limit-requests off --limit-ingest 5/s', {
      env: {
        HKCTL_HOST: '0.0.0.0',
        HKCTL_LIMIT_FAILED_CHECKS: '3/h',
        HKCTL_CORS_ORIGIN: 'https://a.example, https://b.example',
      },
    });
    expect(stderr).toBe('hkctl serves http://127.0.0.1:9000\n');
    expect(seen).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      trustProxy: ['10.0.0.0/8'],
      corsOrigin: ['https://a.example', 'https://b.example'],
      limitRequests: null,
      limitIngest: { requests: 5, windowSeconds: 1 },
      limitFailedChecks: { requests: 3, windowSeconds: 3600 },
      logLevel: 'info',
      metricsPublic: false,
    });
  });

  it('needs no profile, but a store', async () => {
    await cli.ok('serve', { osAccount: 'hkctl' });
    expect((await new Cli().run('serve')).code).toBe(6);
  });
});
