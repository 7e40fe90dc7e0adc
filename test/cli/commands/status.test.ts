import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { outputFailed } from '../../../src/cli/terminal/io.ts';
import type { ReadingBatch } from '../../../src/core/port/readings.ts';
import type { UsageCount } from '../../../src/core/port/usage.ts';
import { Cli, type KeyJson, startMs } from '../harness.ts';

const dayMs = 86_400_000;

/** What `hkctl status --json` prints. */
interface StatusJson {
  ok: boolean;
  attention: string[];
  store: { path: string; size_bytes: number; free_bytes: number };
  daemon: { address: string; version: string | null; since: string } | null;
  keys: {
    active: number;
    refused: number;
    expiring_within_14_days: number;
    unused_for_90_days: number;
  };
  sensors: { active: number; silent: number; never_heard: number };
  inactive_keys: object[];
  certificates: { fault: string | null }[];
  last_backup_at: string | null;
}

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

async function statusOf(): Promise<StatusJson & { code: number }> {
  const result = await cli.run('status --json');
  return { ...result.json<StatusJson>(), code: result.code };
}

/** Sensors of BER as imported, and one reading of the first. */
async function importSensors(readAtMs: number, silentAfter = ''): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'hkctl-status-')), 'sensors.csv');
  const rows = ['s-1,OVEN-1,true', 's-2,OVEN-2,true', 's-3,OVEN-3,false'];
  writeFileSync(
    file,
    `id,code,is_active,name,quantity,unit,silent_after\n${rows.map((row) => `${row},Oven,temperature,Cel,${silentAfter}`).join('\n')}\n`,
  );
  await cli.ok(['import', 'sensors', file, '--entity', 'BER']);
  await importReading('OVEN-1', readAtMs);
}

async function importReading(code: string, readAtMs: number): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const [tenant] = await store.tenants.list();
  const entity = await store.entities.find(tenant?.id ?? '', 'BER');
  const series = (await store.readings.directory(entity?.id ?? '')).get(code)?.series ?? 0;
  const batch: ReadingBatch = {
    count: 1,
    rows: new Float64Array([series, readAtMs * 1000, 182.4, 0]),
  };
  await store.readings.append(batch);
  await store.close();
}

describe('hkctl status', () => {
  it('marks a disk that is almost full', async () => {
    cli.space = { freeBytes: 2 ** 29, totalBytes: 2 ** 33, hasReserve: true };
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['disk_low'],
      store: { free_bytes: 2 ** 29 },
    });
    expect((await cli.run('status --quiet')).stdout).toMatch(
      /^! +0\.5 GiB \(6 %\) free on its disk\n +hkctl doctor\n$/,
    );
  });

  it('of a new store is all zeros, with exit code 0', async () => {
    expect(await statusOf()).toEqual({
      code: 0,
      ok: true,
      attention: [],
      store: { path: cli.store, size_bytes: expect.any(Number), free_bytes: cli.space.freeBytes },
      daemon: null,
      daemons_ended: [],
      certificates: [],
      keys: {
        active: 0,
        refused: 0,
        expiring_within_14_days: 0,
        expired_in_30_days: 0,
        used_after_end: 0,
        unused_for_90_days: 0,
        beyond_longest_lifetime: null,
      },
      inactive_keys: [],
      pending_commands: [],
      sensors: { active: 0, silent: 0, never_heard: 0 },
      rejected_in_a_day: [],
      last_backup_at: null,
    });
  });

  it('names the keys of which readings were rejected in the last day, with codes and sensors', async () => {
    const today = Math.floor(startMs / dayMs);
    const keys: KeyJson[] = [];
    for (let n = 0; n < 7; n++) keys.push((await cli.key(`gateway ${n}`)).key);
    const [first] = keys;
    const rejected = (n: number, count: number, change: Partial<UsageCount> = {}): UsageCount => ({
      ...{ keyId: keys[n]?.id ?? '', day: today, kind: 'rejected', code: 'unknown_sensor', count },
      ...{ lastAtMs: startMs, lastSensor: 'OVEN-9', lastAddress: null },
      ...change,
    });
    const store = await (await cli.services.engine(cli.store)).open();
    const record = (...counts: UsageCount[]) =>
      store.keys.recordUse(new Map(), { counts, kept: undefined });
    await record(
      rejected(0, 12),
      rejected(0, 300, { day: today - 1, lastAtMs: startMs - dayMs + 1, lastSensor: 'OVEN-7' }),
      rejected(0, 9, { day: today - 1, code: 'invalid_at', lastAtMs: startMs - dayMs }),
      rejected(0, 3, { code: 'invalid_reading', lastSensor: null, lastAtMs: startMs - 5 }),
      { ...rejected(1, 50), kind: 'refused', code: 'not_found' },
    );
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['readings_rejected'],
      rejected_in_a_day: [
        {
          prefix: first?.prefix,
          readings: 315,
          codes: {
            unknown_sensor: { readings: 312, sensor: 'OVEN-9' },
            invalid_reading: { readings: 3, sensor: null },
          },
          last_at: new Date(startMs).toISOString(),
        },
      ],
    });
    const text = `315 readings of ${first?.prefix} rejected in the last day: unknown_sensor OVEN-9, invalid_reading`;
    expect((await cli.run('status --quiet')).stdout).toBe(
      `! Readings  ${text}\n            hkctl keys show ${first?.prefix}\n`,
    );
    for (const columns of [60, 80, 120]) {
      const { stdout } = await cli.run('status', {
        terminal: { columns, rows: 40 },
        env: { NO_COLOR: '1' },
      });
      expect(stdout.replace(/\n {12}/g, ' ')).toContain(text);
      expect(
        Math.max(
          ...stdout
            .split('\n')
            .slice(2)
            .map((line) => line.length),
        ),
      ).toBeLessThanOrEqual(columns);
    }
    await record(...[1, 2, 3, 4, 5, 6].map((n) => rejected(n, n)));
    const { stdout } = await cli.run('status --quiet');
    expect(stdout.match(/readings? of/g)).toHaveLength(6);
    expect(stdout).toContain(
      '3 readings of 2 other keys rejected in the last day\n            hkctl keys list\n',
    );
    await store.close();
    cli.nowMs = startMs + dayMs;
    expect(await statusOf()).toMatchObject({ code: 0, rejected_in_a_day: [] });
    expect((await cli.ok('status')).stdout).toContain(
      '  Readings  none rejected in the last day\n',
    );
  });

  it('counts what expires within 14 days and what was not used for 90, and exits with 5', async () => {
    await cli.key('Soon', ['--expires', '14d']);
    await cli.key('Later', ['--expires', '15d']);
    const { key } = await cli.key('Revoked', ['--expires', '2d']);
    await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['keys_expiring'],
      keys: { active: 2, expiring_within_14_days: 1, unused_for_90_days: 0 },
    });
    await cli.key('Spare');
    cli.nowMs = startMs + 91 * dayMs;
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['keys_unused', 'backup_old'],
      keys: { active: 1, expiring_within_14_days: 0, unused_for_90_days: 1 },
    });
  });

  it('counts active sensors that are silent, and those never heard', async () => {
    await importSensors(startMs - dayMs);
    expect(await statusOf()).toMatchObject({
      code: 0,
      sensors: { active: 2, silent: 0, never_heard: 1 },
    });
    cli.nowMs = startMs + 1;
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['sensors_silent'],
      sensors: { active: 2, silent: 1, never_heard: 1 },
    });
    expect((await cli.run('status')).stdout).toContain(
      'hkctl sensors list --silent --entity BER\n',
    );
    expect(
      (await cli.ok('sensors list --entity BER', { terminal: { columns: 80, rows: 24 } })).stdout,
    ).toContain('3 sensors, 1 silent · hkctl sensors show CODE --entity BER');
  });

  it('marks a store that no daemon serves, with --expect-daemon', async () => {
    expect(await statusOf()).toMatchObject({ code: 0 });
    const { code, stdout } = await cli.run('status --expect-daemon --quiet');
    expect(code).toBe(5);
    expect(stdout).toMatch(
      /^! Daemon +none is running\n +systemctl start hkctl, or hkctl serve\n$/,
    );
  });

  it('marks a certificate that ends within 14 days, has expired or is not valid yet', async () => {
    const store = await (await cli.services.engine(cli.store)).open();
    const address = 'https://api.example.invalid';
    await store.daemon.recordAddress(address, process.pid, '1.2.3');
    const faultAt = async (fromMs: number, untilMs: number) => {
      await store.daemon.recordCertificate(process.pid, { fromMs, untilMs });
      const { attention, certificates } = await statusOf();
      const [certificate] = certificates;
      const expires_at = new Date(untilMs).toISOString();
      expect(certificate).toMatchObject({ address, expires_at });
      return [attention, certificate?.fault?.replace(expires_at, 'UNTIL') ?? null];
    };
    const from = startMs - dayMs;
    expect(await faultAt(from, startMs + 14 * dayMs + 1)).toEqual([[], null]);
    const ends = [['certificate'], 'expires at UNTIL, within 14 days'];
    expect(await faultAt(from, startMs + 14 * dayMs)).toEqual(ends);
    expect(await faultAt(from, startMs)).toEqual([['certificate'], 'expired at UNTIL']);
    const early = `is not valid before ${new Date(startMs + 1).toISOString()}`;
    expect(await faultAt(startMs + 1, startMs + 90 * dayMs)).toEqual([['certificate'], early]);
    expect((await cli.run('doctor')).stdout).toContain(
      `The certificate of the daemon at ${address} ${early}.`,
    );
    await store.daemon.clearAddress(process.pid);
    await store.close();
  });

  it('marks a key that expired until a key of its name replaces it, or for 30 days', async () => {
    const { key } = await cli.key('Gateway', ['--expires', '2d', '--allow-ip', '10.0.0.0/8']);
    await cli.key('Revoked', ['--expires', '2d']);
    await cli.ok('keys revoke Revoked --yes');
    await cli.ok(['backup', join(mkdtempSync(join(tmpdir(), 'hkctl-status-')), 'plant.backup')]);
    for (const days of [2, 3, 7]) {
      cli.nowMs = startMs + days * dayMs;
      expect(await statusOf()).toMatchObject({
        code: 5,
        attention: ['keys_expired'],
        keys: { active: 0, expired_in_30_days: 1, used_after_end: 0 },
        inactive_keys: [
          {
            prefix: key.prefix,
            entity: { code: 'BER', name: 'Berlin plant' },
            status: 'Expired',
            since: new Date(startMs + 2 * dayMs).toISOString(),
            refused_requests: 0,
            last_refused_at: null,
            last_refused_ip: null,
            command: `hkctl keys create --name Gateway --entity BER --preset sensor-gateway --allow-ip 10.0.0.0/8 --expires 2d`,
          },
        ],
      });
    }
    const named = await cli.run(['--store', cli.store, 'status', '--json']);
    const command = expect.stringContaining(
      `hkctl --store ${cli.store} keys create --name Gateway`,
    );
    expect(named.json<StatusJson>().inactive_keys).toMatchObject([{ command }]);
    cli.nowMs = startMs + 31 * dayMs;
    expect((await statusOf()).attention).toContain('keys_expired');
    cli.nowMs = startMs + 32 * dayMs;
    expect((await statusOf()).attention).not.toContain('keys_expired');

    const { key: short } = await cli.key('Short', ['--expires', '1h']);
    cli.nowMs += dayMs;
    expect((await cli.run('status')).stdout).toContain(
      `! ${' '.repeat(10)}${short.prefix} (Short) expired`,
    );
    await cli.key('Short');
    expect((await statusOf()).attention).not.toContain('keys_expired');
  });

  it('marks keys that are used after their end, with requests, address and a command', async () => {
    const { key: old } = await cli.key('Gateway');
    const rotated = await cli.ok('keys rotate Gateway --yes --json');
    const { key: next } = rotated.json<{ key: KeyJson }>();
    const { key: revoked } = await cli.key('Gone');
    await cli.ok('keys revoke Gone --yes');
    const store = await (await cli.services.engine(cli.store)).open();
    const refused = (keyId: string, count: number, atMs: number): UsageCount => ({
      ...{ keyId, day: Math.floor(atMs / dayMs), kind: 'refused', code: 'key_revoked', count },
      ...{ lastAtMs: atMs, lastSensor: null, lastAddress: '192.0.2.7' },
    });
    const record = (...counts: UsageCount[]) =>
      store.keys.recordUse(new Map(), { counts, kept: undefined });
    expect(await statusOf()).toMatchObject({ code: 0, inactive_keys: [] });

    for (const days of [0, 1, 7]) {
      cli.nowMs = startMs + days * dayMs;
      await record(refused(old.id, 3, cli.nowMs), refused(revoked.id, 1, cli.nowMs));
      const { attention, inactive_keys } = await statusOf();
      expect(attention).toContain('keys_used_after_end');
      expect(inactive_keys).toMatchObject([
        {
          prefix: old.prefix,
          refused_requests: days === 7 ? 9 : 3 * (days + 1),
          last_refused_ip: '192.0.2.7',
          command: `hkctl keys rotate ${next.prefix}`,
        },
        {
          prefix: revoked.prefix,
          command: expect.stringMatching(/^hkctl keys create --name Gone /),
        },
      ]);
    }
    const { key: newGone } = await cli.key('Gone');
    expect((await statusOf()).inactive_keys).toMatchObject([
      { prefix: old.prefix },
      { prefix: revoked.prefix, command: `hkctl keys rotate ${newGone.prefix}` },
    ]);
    const use = { atMs: cli.nowMs, ip: '192.0.2.8' };
    const used = [newGone.id, next.id].map((id) => [id, use] as const);
    await store.keys.recordUse(new Map(used));
    expect((await statusOf()).inactive_keys).toMatchObject([
      {
        prefix: old.prefix,
        command: expect.stringMatching(/^hkctl keys create --name Gateway /),
      },
      { prefix: revoked.prefix, command: expect.stringMatching(/^hkctl keys create --name Gone /) },
    ]);
    await store.close();
    cli.nowMs += dayMs;
    expect((await statusOf()).attention).not.toContain('keys_used_after_end');
  });

  it('goes by the silent_after of a sensor, and lists the silent ones, the longest silent first', async () => {
    const codesOf = async (line: string) =>
      (await cli.ok(`${line} --entity BER --json`))
        .json<{ code: string }[]>()
        .map(({ code }) => code);
    await importSensors(startMs - 10 * 60_000, '10m');
    expect(await codesOf('sensors list --silent')).toEqual([]);
    expect(await statusOf()).toMatchObject({ code: 0, sensors: { silent: 0 } });
    cli.nowMs = startMs + 1;
    expect(await statusOf()).toMatchObject({
      attention: ['sensors_silent'],
      sensors: { silent: 1 },
    });
    await importReading('OVEN-2', startMs - 20 * 60_000);
    await importReading('OVEN-3', startMs - 30 * 60_000);
    expect(await codesOf('sensors list')).toEqual(['OVEN-1', 'OVEN-2', 'OVEN-3']);
    expect(await codesOf('sensors list --silent')).toEqual(['OVEN-2', 'OVEN-1']);
  });

  it('needs attention while the clock is behind, and for what a clock ahead had dated', async () => {
    await importSensors(startMs);
    const backupFile = join(mkdtempSync(join(tmpdir(), 'hkctl-status-')), 'plant.backup');
    const nowMs = startMs + 3 * dayMs;
    await cli.ok(['backup', backupFile], { nowMs, upMs: dayMs });
    await importReading('OVEN-1', nowMs);
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['sensors_silent', 'backup_old'],
      sensors: { silent: 1 },
    });
    cli.nowMs = startMs - 2 * dayMs;
    expect((await statusOf()).attention).toContain('clock_behind');
    const { stdout } = await cli.run('status');
    expect(stdout).toContain("! Clock     The machine's clock shows 2026-11-18T");
    expect((await cli.run('doctor')).stdout).toContain("The machine's clock shows 2026-11-18T");
  });

  it('knows the last backup, of whichever organization, and asks for one after a week', async () => {
    await cli.ok('tenants add Foundry --admin bob');
    cli.nowMs = startMs + 8 * dayMs;
    expect(await statusOf()).toMatchObject({
      code: 5,
      attention: ['backup_old'],
      last_backup_at: null,
    });
    await cli.ok(['backup', join(mkdtempSync(join(tmpdir(), 'hkctl-status-')), 'plant.backup')]);
    expect(await statusOf()).toMatchObject({ code: 0, last_backup_at: '2026-11-28T08:00:00.000Z' });
    const asBob = await cli.run('status --json', { osAccount: 'bob' });
    expect(asBob.json<StatusJson>().last_backup_at).toBe('2026-11-28T08:00:00.000Z');
  });

  it('shows the daemon with address, version and start, whether or not its address is reached', async () => {
    const address = 'https://api.example.invalid/plant';
    const store = await (await cli.services.engine(cli.store)).open();
    afterAll(() => store.close());
    await store.daemon.recordAddress(address, process.pid, '9.8.7');
    cli.nowMs = startMs + 3 * dayMs;
    const daemon = { address, version: '9.8.7', since: '2026-11-20T08:00:00.000Z' };
    expect(await statusOf()).toMatchObject({ code: 0, attention: [], daemon });
    const { stdout } = await cli.ok('status', { terminal: { columns: 80, rows: 24 } });
    expect(stdout).toContain(`${address}\n`);
    expect(stdout).toContain('version 9.8.7, since 3 d ago\n');
    await store.daemon.clearAddress(process.pid);
    expect(await statusOf()).toMatchObject({ code: 0, daemon: null });
  });

  it('marks what needs attention, with the command for it; --quiet shows nothing else', async () => {
    await cli.key('Soon', ['--expires', '2d']);
    const terminal = { columns: 60, rows: 24 };
    const { stdout } = await cli.run('status', { terminal });
    const lines = stripVTControlCharacters(stdout).split('\n');
    expect(lines.filter((line) => line.startsWith('!'))).toEqual([
      '!           1 key expires within 14 days',
    ]);
    expect(lines).toContain('            hkctl keys list --expiring-within 14d');
    expect(lines.length).toBeLessThan(24);
    const quiet = await cli.run('status --quiet', { terminal });
    expect([quiet.code, stripVTControlCharacters(quiet.stdout)]).toEqual([
      5,
      '!           1 key expires within 14 days\n            hkctl keys list --expiring-within 14d\n',
    ]);
  });

  it('is refused and audited without api_keys.view', async () => {
    expect((await cli.run('status', { osAccount: 'operator' })).code).toBe(4);
    expect((await cli.ok('audit list --limit 1 --json')).json()).toMatchObject([
      { action: 'store.status', outcome: 'denied' },
    ]);
  });
});

it('status exits with 5 also if the reader closes the pipe early', async () => {
  cli.nowMs += 8 * dayMs;
  const onWrite = () => {
    throw outputFailed(Object.assign(new Error('closed'), { code: 'EPIPE' }));
  };
  for (const line of ['status', 'status --json'])
    expect(await cli.run(line, { onWrite })).toMatchObject({ code: 5, stderr: '' });
});
