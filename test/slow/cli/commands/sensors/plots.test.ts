import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, type RunOptions } from '../../../../cli/harness.ts';

const nowMs = Date.parse('2026-11-20T12:00:00Z');
const dayMs = 86_400_000;

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  cli.nowMs = nowMs;
  await cli.ok('import sensors - --entity BER --format csv', {
    input: 'id,code,name,unit,is_active\n1,OVEN-1,Oven,Cel,true\n2,DOOR-1,Door,,true\n',
  });
});

/** Keeps a reading every minute of the last day, but for those that `valueAt` leaves out. */
async function keep(code: string, valueAt: (minute: number) => number | undefined): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const [site] = (await cli.ok('entities list --json')).json<{ id: string }[]>();
  const series = (await store.readings.directory(site?.id ?? '')).get(code)?.series ?? 0;
  const rows: number[] = [];
  for (let minute = 0; minute < 1440; minute++) {
    const value = valueAt(minute);
    if (value !== undefined) rows.push(series, (nowMs - dayMs + minute * 60_000) * 1000, value, 0);
  }
  await store.readings.append({ count: rows.length / 4, rows: Float64Array.from(rows) });
  await store.close();
}

async function keepOne(code: string, atMs: number, value = 5): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const [site] = (await cli.ok('entities list --json')).json<{ id: string }[]>();
  const series = (await store.readings.directory(site?.id ?? '')).get(code)?.series ?? 0;
  await store.readings.append({ count: 1, rows: Float64Array.of(series, atMs * 1000, value, 0) });
  await store.close();
}

const wave = (minute: number) =>
  Math.round(18_000 + 1000 * Math.sin((minute / 1440) * 2 * Math.PI)) / 100;
/** Every two minutes 0 to 6, with a gap of more than three hours. */
const stepped = (minute: number) =>
  minute % 2 || (minute > 300 && minute < 500) ? undefined : minute % 7;

/** What comes after the fields of a sensor. */
async function plotted(line: string, options: RunOptions = {}): Promise<string[]> {
  const { stdout } = await cli.ok(line, options);
  return stdout
    .slice(stdout.indexOf('\n\n') + 2)
    .trimEnd()
    .split('\n');
}

describe('the plot of a sensor', () => {
  it('shows the last day in the time of the site, with the lowest, mean and highest value, also off a terminal', async () => {
    await keep('OVEN-1', wave);
    expect(await plotted('sensors show OVEN-1 --entity BER')).toEqual([
      '    190.0 ┤          ⣀⡤⠴⠒⠚⠉⠉⠉⠉⠙⠒⠲⠤⣄⡀',
      '          │      ⢀⡤⠖⠋⠁             ⠉⠓⠦⣄',
      '          │   ⢀⣠⠞⠉                    ⠈⠙⢦⣀',
      '          │ ⣠⠔⠋                          ⠈⠓⢤⡀',
      '    180.0 ┤⠞⠁                               ⠙⠦⣄                               ⢀⡤',
      '          │                                   ⠈⠓⢤⡀                          ⣠⠔⠋',
      '          │                                      ⠉⠳⣄⡀                    ⣀⡴⠋⠁',
      '          │                                         ⠙⠲⢤⣀             ⢀⣠⠴⠚⠁',
      '    170.0 ┤                                            ⠈⠙⠒⠦⠤⣄⣀⣀⣀⣀⡤⠤⠖⠚⠉',
      '          └──────────────┬────────────────┬────────────────┬────────────────────',
      '                         18:00            00:00            06:00',
      '',
      'min 170.0 Cel · mean 180.0 Cel · max 190.0 Cel · 1,440 readings',
      'last reading 1 min ago',
    ]);
  });

  it('leaves gaps blank and names them; plain characters with TERM=dumb', async () => {
    await keep('DOOR-1', stepped);
    const dumb = { terminal: { columns: 60, rows: 30 }, env: { TERM: 'dumb' } };
    const lines = await plotted('sensors show DOOR-1 --entity BER', dumb);
    expect(lines.slice(0, 2)).toEqual([
      `     6.00 +${':'.repeat(11)}      ${':'.repeat(32)}`,
      `          |${':'.repeat(11)}      ${':'.repeat(32)}`,
    ]);
    expect(lines[4]).toMatch(/^ {5}3\.00 \+[:*]{11} {6}[:*]{32}$/);
    expect(lines.slice(9)).toEqual([
      '          +----------+-----------+-----------+--------------',
      '                     18:00       00:00       06:00',
      '',
      'min 0.00 · mean 3.00 · max 6.00 · 621 readings',
      'last reading 2 min ago',
      'No readings from about 2026-11-19 18:23 CET to 2026-11-19',
      '21:19 CET',
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('is of the time from --from to --to, and says so if that holds no reading', async () => {
    await keep('OVEN-1', wave);
    const hour = await plotted(
      'sensors show OVEN-1 --entity BER --from 2026-11-20T00:00:00Z --to 2026-11-20T01:00:00Z',
    );
    expect(hour.slice(-2)).toEqual([
      'min 177.45 Cel · mean 178.72 Cel · max 180.00 Cel · 60 readings',
      'last reading 1 min ago',
    ]);
    expect(
      await plotted('sensors show OVEN-1 --entity BER --from 2026-11-01 --to 2026-11-02'),
    ).toEqual([
      'No readings from 2026-11-01 00:00 CET to 2026-11-02 00:00 CET; last reading 1 min ago.',
    ]);
    expect(await plotted('sensors show DOOR-1 --entity BER')).toEqual([
      'No readings from 2026-11-19 13:00 CET to 2026-11-20 13:00 CET; no reading yet.',
    ]);
    expect(
      (await cli.run('sensors show OVEN-1 --entity BER --from 2026-11-02 --to 2026-11-01')).code,
    ).toBe(2);
  });

  it('shows a first reading, also one that is a bit ahead of this clock', async () => {
    for (const code of ['OVEN-1', 'DOOR-1']) {
      const atMs = code === 'OVEN-1' ? nowMs : nowMs + 60_000;
      await keepOne(code, atMs);
      const lines = await plotted(`sensors show ${code} --entity BER`);
      expect(lines.slice(0, 9).join('')).toMatch(/[\u2801-\u28ff]/);
      expect(lines).toContainEqual(expect.stringMatching(/ 1 reading( |$)/));
    }
  });

  it('has the days of the site as parts if these are days', async () => {
    await keepOne('OVEN-1', Date.parse('2026-04-28T21:30:00Z'), 1);
    await keepOne('OVEN-1', Date.parse('2026-04-28T22:30:00Z'), 2);
    const lines = await plotted(
      'sensors show OVEN-1 --entity BER --from 2026-04-01 --to 2026-09-15',
    );
    expect(lines.at(-1)).toBe(
      'No readings from about 2026-05-01 00:00 CEST to 2026-09-15 00:00 CEST',
    );
  });

  it('still shows the highest and lowest values of quarters of an hour whose readings were dropped', async () => {
    await keep('OVEN-1', wave);
    const domain = await (await cli.services.engine(cli.store)).open();
    const [site] = (await cli.ok('entities list --json')).json<{ id: string }[]>();
    for (let position: number | undefined; ; ) {
      const step = await domain.readings.drop({
        entityId: site?.id ?? '',
        untilUs: nowMs * 1000,
        position,
      });
      if (step.next === null) break;
      position = step.next;
    }
    await domain.close();
    const lines = await plotted('sensors show OVEN-1 --entity BER');
    expect(lines).toContain('min 170.0 Cel · mean 180.0 Cel · max 190.0 Cel · 1,440 readings');
  });

  it('draws huge and equal values', async () => {
    await keep('OVEN-1', (minute) => (minute % 2 ? 1.7e308 : -1.7e308));
    expect((await plotted('sensors show OVEN-1 --entity BER')).slice(0, 1)).toEqual([
      expect.stringMatching(/^ 1\.7e\+308 ┤[⠉-⣿]+$/),
    ]);
    await keep('DOOR-1', () => 5);
    expect((await plotted('sensors show DOOR-1 --entity BER'))[4]).toMatch(/^ {8}5 ┤[⠁-⣿]{69}$/);
  });
});

describe('the list of sensors', () => {
  const columnOf = (stdout: string) =>
    stripVTControlCharacters(stdout)
      .split('\n')
      .slice(0, 3)
      .map((line) => line.slice(54));

  it('has the last day of each in one line if the terminal is wide enough', async () => {
    await keep('OVEN-1', wave);
    await keep('DOOR-1', stepped);
    const wide = { terminal: { columns: 120, rows: 30 } };
    expect(columnOf((await cli.ok('sensors list --entity BER', wide)).stdout)).toEqual([
      'LAST DAY',
      '▅▆▇██████▇▆▅▄▃▂▁▁▁▁▁▁▂▃▄',
      expect.stringMatching(/^[▄▅█]{6} {2}[▄▅]{16}$/),
    ]);
    const dumb = { ...wide, env: { TERM: 'dumb' } };
    expect(columnOf((await cli.ok('sensors list --entity BER', dumb)).stdout)[1]).toBe(
      '+*%######%*+=-.______.-=',
    );
    for (const options of [{ terminal: { columns: 60, rows: 30 } }, {}])
      expect((await cli.ok('sensors list --entity BER', options)).stdout).not.toContain('LAST DAY');
  });
});
