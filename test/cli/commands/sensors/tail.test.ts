import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../../src/store/sqlite/readings/stored.ts';
import { compactWhileIdle } from '../../../../src/store/sqlite/readings/writer/compaction.ts';
import { Cli } from '../../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  await cli.ok('import sensors - --entity BER --format csv', {
    input: 'id,code,name,unit,is_active\n1,OVEN-1,Oven,Cel,true\n2,DOOR-1,Door,,true\n',
  });
});

const startUs = Date.parse('2026-11-20T12:00:00Z') * 1000;

/** Keeps readings: sensor, seconds after the start, value, quality. */
async function keep(
  ...readings: [code: string, second: number, value: number, quality?: number][]
): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const [site] = (await cli.ok('entities list --json')).json<{ id: string }[]>();
  const directory = await store.readings.directory(site?.id ?? '');
  const rows = readings.flatMap(([code, second, value, quality = 0]) => [
    ...[directory.get(code)?.series ?? 0, startUs + second * 1_000_000, value, quality],
  ]);
  await store.readings.append({ count: readings.length, rows: Float64Array.from(rows) });
  await store.close();
}

/** Runs a command until Ctrl-C; each step waits until as many lines were printed. */
async function following(
  line: string,
  ...steps: { lines: number; next?: (hasLines: () => boolean) => Promise<void> }[]
): Promise<string[]> {
  const stop = new AbortController();
  let shown = '';
  let isWaiting = false;
  const running = cli.run(line, {
    onWrite: (text) => {
      shown += text;
    },
    onWarn: (text) => {
      isWaiting ||= text.startsWith('Waiting for readings');
    },
    interrupted: stop.signal,
  });
  for (const { lines, next } of steps) {
    const hasCome = () =>
      (isWaiting || line.includes('--json')) && shown.split('\n').length > lines;
    await expect.poll(hasCome, { timeout: 20_000, interval: 50 }).toBe(true);
    await next?.(() => shown.includes('\n'));
  }
  stop.abort('SIGINT');
  const { code, stderr } = await running;
  expect(code, stderr).toBe(0);
  return shown.trimEnd().split('\n');
}

/** Moves every reading out of the write buffer. */
function compactAll(): void {
  const connection = openFile(filesOf(cli.store).readings);
  while (compactWhileIdle(new StoredReadings(connection)));
  connection.close();
}

describe('sensors tail', () => {
  it('says in each format that it may have missed late readings', async () => {
    for (const line of ['sensors tail --entity BER', 'sensors tail --entity BER --json']) {
      const stop = new AbortController();
      let warned = '';
      const onWarn = (text: string) => {
        warned += text;
      };
      const running = cli.run(line, { onWarn, interrupted: stop.signal });
      for (let second = 0; !warned.includes('came late may not be shown'); second++) {
        expect(second, line).toBeLessThan(100);
        await keep(['OVEN-1', second, 1]);
        compactAll();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      stop.abort('SIGINT');
      expect((await running).code).toBe(0);
    }
  });

  it('prints what any process stores from then on, also what comes late, each reading once', async () => {
    await keep(['OVEN-1', 0, 1], ['DOOR-1', 0, 7]);
    const lines = await following(
      'sensors tail --entity BER',
      { lines: 0, next: () => keep(['OVEN-1', 20, 182.4], ['DOOR-1', 10, 0, 2]) },
      { lines: 2, next: () => keep(['OVEN-1', 15, 5], ['OVEN-1', 21, 6], ['OVEN-1', 20, 182.4]) },
      {
        lines: 4,
        // A gateway that was offline for a month, and a sensor whose newest reading is newer.
        next: () => keep(['OVEN-1', -2_592_000, 4], ['DOOR-1', -86_400, 1], ['DOOR-1', 5, 2]),
      },
      { lines: 7 },
    );
    expect(lines).toEqual([
      '2026-11-20T12:00:10.000000Z  DOOR-1  0  uncertain',
      '2026-11-20T12:00:20.000000Z  OVEN-1  182.4 Cel',
      '2026-11-20T12:00:15.000000Z  OVEN-1  5 Cel',
      '2026-11-20T12:00:21.000000Z  OVEN-1  6 Cel',
      '2026-10-21T12:00:00.000000Z  OVEN-1  4 Cel',
      '2026-11-19T12:00:00.000000Z  DOOR-1  1',
      '2026-11-20T12:00:05.000000Z  DOOR-1  2',
    ]);
  });

  it('prints nothing again if the newest are erased', async () => {
    await keep(['OVEN-1', 100, 1], ['OVEN-1', 200, 2]);
    const erase =
      'sensors erase OVEN-1 --entity BER --from 2026-11-20T12:03:00Z --to 2026-11-20T12:04:00Z --yes';
    const lines = await following(
      'sensors tail --entity BER',
      {
        lines: 0,
        async next() {
          await new Cli(cli.store).ok(erase);
          // It is seen before another sensor's reading, which comes after it.
          await new Promise((resolve) => setTimeout(resolve, 1200));
          await keep(['DOOR-1', 0, 7]);
        },
      },
      { lines: 1, next: () => keep(['OVEN-1', 101, 3]) },
      { lines: 2 },
    );
    expect(lines).toEqual([
      '2026-11-20T12:00:00.000000Z  DOOR-1  7',
      '2026-11-20T12:01:41.000000Z  OVEN-1  3 Cel',
    ]);
  });

  it('prints those of the named sensors, and refuses a site without sensors', async () => {
    let second = 0;
    // With --json nothing says when it waits.
    const isShown = async (shown: () => boolean) => {
      for (; !shown(); second++) await keep(['DOOR-1', second, 1], ['OVEN-1', second, 20, 3]);
    };
    const [line = '', ...more] = await following('sensors tail OVEN-1 --entity BER --json', {
      lines: 0,
      next: isShown,
    });
    expect(JSON.parse(line)).toEqual({
      sensor: 'OVEN-1',
      at: expect.any(String),
      value: 20,
      quality: 'bad',
    });
    for (const other of more) expect(JSON.parse(other)).toMatchObject({ sensor: 'OVEN-1' });
    const none = await cli.run('sensors tail --entity CHI');
    expect([none.code, none.stderr]).toEqual([
      3,
      expect.stringContaining('Entity CHI has no sensors.'),
    ]);
  });
});
