import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../../../../cli/harness.ts';
import { press } from '../../../../cli/keyboard.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  await cli.ok('import sensors - --entity BER', {
    input: 'id,code,name,is_active\n1,OVEN-1,Oven,true\n2,DOOR-1,Door,true\n',
  });
  for (const code of ['OVEN-1', 'DOOR-1']) await keep(code);
});

const line = 'sensors erase OVEN-1 --entity BER --from 2026-11-20 --to 2026-11-21'.split(' ');
const dayMs = Date.parse('2026-11-19T23:00:00Z');

/** Four readings around a day of Berlin, of which two are in it. */
async function keep(code: string): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const series = (await store.readings.directory(await entityId())).get(code)?.series ?? 0;
  const instants = [dayMs - 1, dayMs, dayMs + 86_399_999, dayMs + 86_400_000];
  const rows = instants.flatMap((ms, n) => [series, ms * 1000, n, 0]);
  await store.readings.append({ count: 4, rows: Float64Array.from(rows) });
  await store.close();
}

async function entityId(): Promise<string> {
  const entities = (await cli.ok('entities list --json')).json<{ id: string; code: string }[]>();
  return entities.find(({ code }) => code === 'BER')?.id ?? '';
}

async function valuesOf(code: string): Promise<number[]> {
  const rows = (await cli.ok(['sensors', 'export', code, '--entity', 'BER', '--json'])).json<
    { value: number }[]
  >();
  return rows.map(({ value }) => value);
}

async function trail(): Promise<Record<string, unknown>[]> {
  const records = (await cli.ok('audit list --json')).json<Record<string, unknown>[]>();
  return records.filter(({ action }) => action === 'sensors.erase');
}

describe('sensors erase', () => {
  it('takes the readings of one sensor and one span out, for good, and says so', async () => {
    expect((await cli.ok([...line, '--yes', '--json'])).json()).toEqual({
      sensor: 'OVEN-1',
      from: '2026-11-19T23:00:00.000000Z',
      to: '2026-11-20T23:00:00.000000Z',
      readings: 2,
      summarised: 0,
    });
    expect(await valuesOf('OVEN-1')).toEqual([0, 3]);
    expect(await valuesOf('DOOR-1')).toEqual([0, 1, 2, 3]);
    const detail = {
      from: '2026-11-19T23:00:00.000000Z',
      to: '2026-11-20T23:00:00.000000Z',
      readings: 2,
      summarised: 0,
    };
    expect(await trail()).toMatchObject([{ target: 'BER/OVEN-1', outcome: 'done', detail }]);
    expect((await cli.ok([...line, '--yes'])).stdout).toMatch(
      /^Erased 0 readings of OVEN-1 from 2026-11-20 00:00:00 /,
    );
    // Once erased, a reading of then is a new one.
    await keep('OVEN-1');
    expect(await valuesOf('OVEN-1')).toEqual([0, 1, 2, 3]);
  });

  it('asks first, and off a terminal not without --yes', async () => {
    const off = await cli.run([...line, '--json']);
    expect([off.code, off.error().code]).toEqual([2, 'confirmation_required']);
    const terminal = { columns: 100, rows: 30 };
    for (const key of [press.enter, press.escape, press.ctrlC, press.ctrlD]) {
      expect((await cli.run(line, { terminal, keys: [key] })).code).toBe(130);
    }
    expect(await valuesOf('OVEN-1')).toEqual([0, 1, 2, 3]);
    expect(await trail()).toEqual([]);
    const asked = await cli.run(line, { terminal, keys: [press.down, press.enter] });
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('Erase 2 readings of OVEN-1 from 2026-11-20 00:00:00');
    expect(await valuesOf('OVEN-1')).toEqual([0, 3]);
  });

  it('names a span that does not end with a second in full', async () => {
    const [from, to] = ['2026-11-20T00:00:00.000001Z', '2026-11-20T00:00:00.000002Z'];
    const erase = [
      'sensors',
      'erase',
      'OVEN-1',
      '--entity',
      'BER',
      '--from',
      from,
      '--to',
      to,
      '--yes',
    ];
    expect((await cli.ok(erase)).stdout).toBe(
      `Erased 0 readings of OVEN-1 from ${from} to ${to}\n`,
    );
  });

  it('is for Super users, and the attempt of anybody else is in the trail', async () => {
    for (const login of ['entity_admin', 'manager', 'operator', 'master_data']) {
      expect((await cli.run(['--as', login, ...line, '--yes'])).code).toBe(4);
    }
    expect(await valuesOf('OVEN-1')).toEqual([0, 1, 2, 3]);
    expect(await trail()).toMatchObject(Array(4).fill({ outcome: 'denied', target: 'BER/OVEN-1' }));
  });

  it('names what is missing or wrong (exit 2), and what there is not (exit 3)', async () => {
    const without = (flag: string) =>
      line.filter((word, i) => word !== flag && line[i - 1] !== flag);
    for (const flag of ['--from', '--to']) {
      const { code, stderr } = await cli.run([...without(flag), '--yes']);
      expect([code, stderr.includes(`${flag} is missing`)]).toEqual([2, true]);
    }
    expect((await cli.run([...line.slice(0, -1), '2026-11-20', '--yes'])).code).toBe(2);
    expect(
      (await cli.run([...line.map((word) => (word === 'OVEN-1' ? 'NONE' : word)), '--yes'])).code,
    ).toBe(3);
    expect(
      (await cli.run([...line.map((word) => (word === 'BER' ? 'CHI' : word)), '--yes'])).code,
    ).toBe(3);
  });

  it('takes summaries by whole quarters of an hour only (exit 5)', async () => {
    const store = await (await cli.services.engine(cli.store)).open();
    const series = (await store.readings.directory(await entityId())).get('OVEN-1')?.series ?? 0;
    const lateInHourUs = (dayMs + 40 * 60_000) * 1000;
    await store.readings.append({ count: 1, rows: Float64Array.of(series, lateInHourUs, 9, 0) });
    await store.readings.drop({
      entityId: await entityId(),
      untilUs: (dayMs + 3_600_000) * 1000,
    });
    await store.close();
    const span = (from: string, to: string) => [
      ...line.slice(0, 5),
      '--from',
      from,
      '--to',
      to,
      '--yes',
    ];
    const part = await cli.run([...span('2026-11-19T23:40:00Z', '2026-11-20T00:00:00Z'), '--json']);
    expect([part.code, part.error().code]).toEqual([5, 'state_forbids']);
    expect(part.error().message).toContain('2026-11-19T23:30:00.000000Z');
    expect(await trail()).toEqual([]);
    const whole = await cli.ok(span('2026-11-19T23:00:00Z', '2026-11-20T00:00:00Z'));
    expect(whole.stdout).toContain(
      'Erased 0 readings and the summaries of 2 dropped ones of OVEN-1',
    );
    expect(await valuesOf('OVEN-1')).toEqual([2, 3]);
  });
});

describe('tenants set --retain-readings', () => {
  it('keeps the days, shows them and records the change', async () => {
    const set = (await cli.ok('tenants set --retain-readings 400d --json')).json();
    expect(set).toMatchObject({ name: 'Acme', week_start: 'monday', retain_readings_days: 400 });
    expect((await cli.ok('tenants list --json')).json()).toMatchObject([
      { retain_readings_days: 400 },
    ]);
    expect((await cli.ok('tenants list')).stdout).toContain('400d');
    const [record] = (await cli.ok('audit list --json')).json<Record<string, unknown>[]>();
    expect(record).toMatchObject({ action: 'tenant.set', detail: { retain_readings: '400d' } });
    expect((await cli.ok('tenants set --name Other --json')).json()).toMatchObject({
      retain_readings_days: 400,
    });
    expect((await cli.ok('tenants set --retain-readings forever')).stdout).toContain(
      'kept forever',
    );
    expect((await cli.ok('tenants list --json')).json()).toMatchObject([
      { retain_readings_days: null },
    ]);
  });

  describe('where readings are older', () => {
    const days = ['tenants', 'set', '--retain-readings'];
    const kept = async () =>
      (await cli.ok('tenants list --json')).json<{ retain_readings_days: number | null }[]>()[0]
        ?.retain_readings_days;
    // The readings are of the 20th and the 21st.
    const nowMs = Date.parse('2026-12-01T12:00:00Z');

    it('asks first on a terminal, with their number and the oldest', async () => {
      const terminal = { columns: 200, rows: 30 };
      for (const key of [press.enter, press.escape, press.ctrlC, press.ctrlD]) {
        expect((await cli.run([...days, '10d'], { nowMs, terminal, keys: [key] })).code).toBe(130);
      }
      expect(await kept()).toBeNull();
      const asked = await cli.run([...days, '10d'], {
        nowMs,
        terminal,
        keys: [press.down, press.enter],
      });
      expect([asked.code, await kept()]).toEqual([0, 10]);
      expect(asked.stderr).toContain(
        'Drop 8 readings older than 10 days for good, the oldest of 2026-11-19?',
      );
      await cli.ok([...days, '9d', '--yes'], { nowMs, terminal });
      expect(await kept()).toBe(9);
      await cli.ok([...days, '8d'], { nowMs });
      expect(await kept()).toBe(8);
    });

    it('does not ask for one that drops nothing', async () => {
      await cli.ok([...days, '30d'], { nowMs });
      await cli.ok([...days, '10d', '--yes'], { nowMs });
      // What the present retention does not keep is gone, or about to be.
      for (const longer of ['10d', '20d', 'forever']) await cli.ok([...days, longer], { nowMs });
      expect(await kept()).toBeNull();
    });
  });

  it.each(['0d', '400', '36501d', '-1d', '1.5d', 'never', '', '1e3d'])(
    'refuses %j (exit 2)',
    async (given) => {
      expect((await cli.run(['tenants', 'set', '--retain-readings', given])).code).toBe(2);
    },
  );
});
