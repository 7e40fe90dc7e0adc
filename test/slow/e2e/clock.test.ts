import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CreatedKey, type Daemon, Plant } from '../../e2e/plant.ts';
import { type Environment, until } from '../../e2e/program.ts';
import { faketimeLibrary } from '../machine/needs.ts';

const hour = 1 / 24;
const dayMs = 86_400_000;
const library = faketimeLibrary();

/** A clock that is so many days off; timers go on as they are. */
function clock(days: number): Environment {
  return {
    LD_PRELOAD: library,
    FAKETIME: `${days < 0 ? '' : '+'}${Math.round((days * dayMs) / 1000)}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

const at = (plant: Plant, days: number, args: readonly string[], input = '') =>
  plant.hkctl(args, { input, env: clock(days) });

async function entry(daemon: Daemon, { secret }: CreatedKey): Promise<string> {
  const { response, error } = await daemon.api(secret).GET('/api/v1/me');
  return response.status === 200 ? 'let in' : (error?.code ?? '');
}

async function meBy(plant: Plant, days: number, key: CreatedKey): Promise<string> {
  const daemon = await plant.serve(clock(days));
  const answer = await entry(daemon, key);
  expect((await daemon.stop()).code).toBe(0);
  return answer;
}

describe('a clock that is wrong', () => {
  let plant: Plant;
  let short: CreatedKey;
  let long: CreatedKey;

  beforeAll(async () => {
    plant = await Plant.open();
    short = await plant.createKey('One day', 'operational-core', '--expires', '1d');
    long = await plant.createKey('Never', 'operational-core');
  });
  afterAll(() => plant.close());

  it('expires keys by what it shows, in commands and in the daemon', async () => {
    expect((await at(plant, 0, ['keys', 'verify'], short.secret)).code).toBe(0);
    expect(await meBy(plant, 0, short)).toBe('let in');
    expect((await at(plant, 2, ['keys', 'verify'], short.secret)).code).toBe(5);
    expect(await meBy(plant, 2, short)).toBe('key_expired');
    expect(await meBy(plant, 2, long)).toBe('let in');
    const listed = await at(plant, 2, ['keys', 'list', '--json']);
    expect(JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)).toEqual([long.key.id]);
    const renewed = await at(plant, 2, ['keys', 'rotate', short.key.id, '--yes']);
    expect(renewed.code).toBe(5);
    expect(renewed.stderr).toContain('Expired');
  });

  it('reads spans and days by its own time, and refuses an expiry behind it', async () => {
    const args = 'keys create --name Later --entity BER --preset sensor-gateway --json'.split(' ');
    const created = await at(plant, 10, [...args, '--expires', '1d']);
    expect(created.code, created.stderr).toBe(0);
    const { key }: CreatedKey = JSON.parse(created.stdout);
    expect(Math.abs(Date.parse(key.expires_at ?? '') - Date.now() - 11 * dayMs)).toBeLessThan(
      60_000,
    );
    const yesterday = new Date(Date.now() + 9 * dayMs).toISOString();
    expect((await at(plant, 10, [...args, '--expires', yesterday])).code).toBe(2);
  });

  it('of a machine that starts years ago lets no revoked key in, and the audit chain holds', async () => {
    const { key, secret } = await plant.createKey('Gone', 'operational-core');
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect(await meBy(plant, -3000, { key, secret })).toBe('key_revoked');
    expect((await at(plant, -3000, ['keys', 'verify'], secret)).code).toBe(5);
    expect(
      (
        await at(
          plant,
          -3000,
          'keys create --name Old --entity BER --preset sensor-gateway'.split(' '),
        )
      ).code,
    ).toBe(0);
    await plant.ok(['audit', 'verify']);
  });
});

describe('a clock that jumps', () => {
  let plant: Plant;
  let key: CreatedKey;

  beforeEach(async () => {
    plant = await Plant.open();
    key = await plant.createKey('One hour', 'operational-core', '--expires', '1h');
  });
  afterEach(() => plant.close());

  const result = async (days: number) =>
    (await at(plant, days, ['keys', 'verify'], key.secret)).code;
  const clockCheck = async (days: number) => {
    const { code, stdout } = await at(plant, days, ['doctor', '--json']);
    const { checks } = JSON.parse(stdout);
    return { code, ...checks.find(({ name }: { name: string }) => name === 'clock') };
  };

  it('back revives no expired key, in commands and in a daemon that starts then, until it is accepted', async () => {
    const soon = await plant.createKey('Soon over', 'operational-core', '--expires', '1s');
    key = soon;
    const first = await plant.serve();
    await until('the key expires', async () => (await entry(first, soon)) === 'key_expired');
    expect((await first.stop()).code).toBe(0);
    expect(await result(-hour)).toBe(5);
    const daemon = await plant.serve(clock(-hour));
    expect(await entry(daemon, key)).toBe('key_expired');
    expect(await clockCheck(-hour)).toMatchObject({ code: 5, status: 'problem' });

    const refused = await at(plant, -hour, ['doctor', '--accept-clock']);
    expect(refused.code).toBe(2);
    expect(await result(-hour)).toBe(5);
    const accepted = await at(plant, -hour, ['doctor', '--accept-clock', '--yes', '--json']);
    expect(accepted.code, accepted.stdout + accepted.stderr).toBe(0);
    expect(await result(-hour)).toBe(0);
    await until('the daemon follows', async () => (await entry(daemon, key)) === 'let in');
    expect((await daemon.stop()).code).toBe(0);
    expect(await clockCheck(-hour)).toMatchObject({ code: 0, status: 'ok' });
    const [last] = JSON.parse(
      (await at(plant, -hour, ['audit', 'list', '--limit', '1', '--json'])).stdout,
    );
    expect(last).toMatchObject({
      action: 'store.accept_clock',
      outcome: 'done',
      actor: { login: 'admin' },
    });
    await plant.ok(['audit', 'verify']);
  });

  it('ahead for seconds under a daemon poisons nothing', async () => {
    const daemon = await plant.serve(clock(2 * hour));
    const since = process.uptime();
    expect(await entry(daemon, key)).toBe('key_expired');
    await until(
      'the daemon has sampled it more than once',
      async () => process.uptime() - since > 3,
    );
    expect((await daemon.stop()).code).toBe(0);
    expect(await result(0)).toBe(0);
    expect(await clockCheck(0)).toMatchObject({ code: 0, status: 'ok' });
  });

  it('ahead under a daemon drops no reading, rejects none of now, and dates no record', async () => {
    await plant.importSensors([{ id: 'S', code: 'OVEN', name: 'Oven', unit: null }]);
    await plant.ok(['tenants', 'set', '--retain-readings', '400d']);
    const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
    const reader = await plant.createKey('Reader', 'operational-core');
    const days = Array.from({ length: 300 }, (_, n) => Date.now() - (n + 1) * dayMs);
    const send = async (daemon: Daemon, instants: number[]) => {
      const readings = instants.map((at) => ({ sensor: 'OVEN', at, value: 1 }));
      return (await daemon.api(secret).POST('/api/v1/sensors/readings', { body: { readings } }))
        .data;
    };
    const count = async (daemon: Daemon) => {
      const params = { path: { id: 'OVEN' }, query: { limit: 1000 } };
      return (await daemon.api(reader.secret).GET('/api/v1/sensors/{id}/readings', { params })).data
        ?.data.length;
    };
    const first = await plant.serve();
    expect(await send(first, days)).toMatchObject({ accepted: 300 });
    expect((await first.stop()).code).toBe(0);

    const daemon = await plant.serve(clock(800));
    const since = process.uptime();
    await until(
      'it has checked the retention more than once',
      async () => process.uptime() - since > 12,
    );
    expect(await count(daemon)).toBe(300);
    expect(await send(daemon, [Date.now()])).toMatchObject({ accepted: 1, rejected: [] });
    expect(await clockCheck(800)).toMatchObject({ code: 0, status: 'warning' });
    const file = plant.write('parts.csv', 'id,name,part_number,is_active\nP-1,Part,PN-1,true\n');
    expect((await at(plant, 800, ['import', 'parts', file, '--entity', 'BER'])).code).toBe(0);
    expect((await daemon.stop()).code).toBe(0);

    const right = await plant.serve();
    expect(await count(right)).toBe(301);
    const { data } = await right.api(reader.secret).GET('/api/v1/parts', {});
    expect(Math.abs(Date.parse(String(data?.data[0]?.updated_at)) - Date.now())).toBeLessThan(
      300_000,
    );
    expect((await right.stop()).code).toBe(0);
  });

  it.each([1, 2, 3])('a year ahead, seen %i times, poisons nothing', async (times) => {
    expect(await result(0)).toBe(0);
    for (let n = 0; n < times; n++) expect(await result(365)).toBe(5);
    expect(await result(0)).toBe(0);
    expect(await entry(await plant.serve(), key)).toBe('let in');
    expect(await clockCheck(0)).toMatchObject({ code: 0, status: 'ok' });
  });
});
