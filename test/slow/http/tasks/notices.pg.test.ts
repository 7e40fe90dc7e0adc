import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CertificateValidity } from '../../../../src/core/port/daemons.ts';
import type { UsageCount } from '../../../../src/core/port/usage.ts';
import { createLog } from '../../../../src/http/monitoring/log.ts';
import { createNotices } from '../../../../src/http/tasks/notices.ts';
import { createDeliveries } from '../../../../src/http/tasks/notify-command.ts';
import { bareApp, type Face } from '../../../http/faces.ts';
import { HttpPlant } from '../../../http/plant.ts';

const dayMs = 86_400_000;

/** A daemon that looks once: what its log and its command were told. */
async function look(
  plant: HttpPlant,
  command?: string,
  times: { timeoutMs?: number; patienceMs?: number } = {},
  certificate?: CertificateValidity,
) {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const told = join(folder, 'told');
  writeFileSync(told, '');
  const lines: string[] = [];
  const env = { PATH: process.env.PATH, TOLD: told };
  const notices = createNotices(plant.domain, {
    log: createLog('info', { write: (line) => lines.push(line) }),
    notify: command === undefined ? undefined : { command, env, ...times },
    certificate: () => certificate,
  });
  await notices.run();
  await notices.stop();
  const parsed = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { log: parsed(lines.join('')), told: parsed(readFileSync(told, 'utf8')), notices };
}

/** Calls the API with a key; a body makes it a POST. */
function send(api: Face, secret: string, path: string, body?: object): Promise<Response> {
  const authorization = `Bearer ${secret}`;
  return api.fetch(`/api/v1${path}`, {
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

const append = 'cat >> "$TOLD"';

it('warns of a key 30, 14, 7 and 1 days before it expires, once each, whichever daemon looks', async () => {
  const plant = await HttpPlant.open();
  const expiresAtMs = plant.nowMs + 40 * dayMs;
  const { id, prefix } = await plant.key({ name: 'Gateway', expiresAtMs });
  await plant.key({ name: 'Forever' });
  expect((await look(plant, append)).log).toEqual([]);
  for (const [left, days] of [
    [29, 30],
    [13, 14],
    [6.5, 7],
    [0.5, 1],
  ] as const) {
    plant.nowMs = expiresAtMs - left * dayMs;
    const first = await look(plant, append);
    expect(first.log).toMatchObject([{ level: 'warn', key: prefix, name: 'Gateway', days }]);
    expect(first.notices.warnings.get(`${days}`)).toBe(1);
    const expires_at = new Date(expiresAtMs).toISOString();
    expect(first.told.filter(({ event }) => event !== 'backup_old')).toEqual([
      {
        event: 'key_expires',
        at: new Date(plant.nowMs).toISOString(),
        key: { id, prefix, name: 'Gateway', expires_at },
        entity: { code: 'BER', name: 'Berlin' },
      },
    ]);
    const second = await look(plant, append);
    expect([second.log, second.told]).toEqual([[], []]);
  }
});

it('tells of a key that has expired once a day for 30 days, or while it is used, until a key of its name replaces it', async () => {
  const plant = await HttpPlant.open();
  const expiresAtMs = plant.nowMs + 1;
  const { id } = await plant.key({ name: 'Gateway', expiresAtMs });
  const told = async (days: number) => {
    plant.nowMs = expiresAtMs + days * dayMs;
    const { log, told } = await look(plant, append);
    const notices = told.filter(({ event }) => event === 'key_expired');
    return [log.map((line) => line.days), notices.map(({ key }) => key.id)];
  };

  expect(await told(0)).toEqual([[0], [id]]);
  expect(await told(0.9)).toEqual([[], []]);
  expect(await told(1)).toEqual([[], [id]]);
  expect(await told(29)).toEqual([[], [id]]);
  expect(await told(30)).toEqual([[], []]);

  const { id: secondId } = await plant.key({ name: 'Short', expiresAtMs: plant.nowMs + 1 });
  expect(await told(31)).toEqual([[0], [secondId]]);
  await plant.key({ name: 'Short' });
  expect(await told(32)).toEqual([[], []]);

  plant.nowMs = expiresAtMs + 40 * dayMs;
  const refused: UsageCount = {
    ...{ keyId: id, day: Math.floor(plant.nowMs / dayMs), kind: 'refused', code: 'key_expired' },
    ...{ count: 1, lastAtMs: plant.nowMs, lastSensor: null, lastAddress: null },
  };
  const { keys } = plant.domain.store;
  await keys.recordUse(new Map(), { counts: [refused], kept: undefined });
  expect(await told(40)).toEqual([[], [id]]);
  expect(await told(41.1)).toEqual([[], []]);
});

it('tells of a certificate 14, 7 and 1 days before its end, and then once a day', async () => {
  const plant = await HttpPlant.open();
  const untilMs = plant.nowMs + 40 * dayMs;
  const certificate = { fromMs: plant.nowMs, untilMs };
  const expiries = async (left: number) => {
    plant.nowMs = untilMs - left * dayMs;
    const { told } = await look(plant, append, {}, certificate);
    const notices = told.filter(({ event }) => event === 'certificate_expires');
    return notices.map((notice) => notice.certificate.expires_at);
  };

  const expiry = [new Date(untilMs).toISOString()];
  expect(await expiries(15)).toEqual([]);
  for (const left of [14, 7, 1, 0, -1, -7]) expect(await expiries(left)).toEqual(expiry);
  expect(await expiries(-7.5)).toEqual([]);
});

it('repeats no warning if the clock jumps, and gives each that is left afterwards', async () => {
  const plant = await HttpPlant.open();
  const expiresAtMs = plant.nowMs + 30 * dayMs;
  await plant.key({ name: 'Gateway', expiresAtMs });
  const warned = async (left: number) => {
    plant.nowMs = expiresAtMs - left * dayMs;
    const { log, told } = await look(plant, append);
    const notices = told.filter(({ event }) => event === 'key_expires');
    return [log.map(({ days }) => days), notices.length];
  };

  expect(await warned(30)).toEqual([[30], 1]);
  expect(await warned(0.5)).toEqual([[1], 1]);
  // Back by a month, and on again over each of the days.
  for (const left of [30, 29, 20]) expect(await warned(left)).toEqual([[], 0]);
  expect(await warned(13)).toEqual([[14], 1]);
  expect(await warned(29)).toEqual([[], 0]);
  expect(await warned(6)).toEqual([[7], 1]);
  for (const left of [13, 6, 0.9, 0.1]) expect(await warned(left)).toEqual([[], 0]);
});

it('tells of a key once a day, even if another number of days is reached within it', async () => {
  const plant = await HttpPlant.open();
  const expiresAtMs = plant.nowMs + 1.5 * dayMs;
  await plant.key({ name: 'Short', expiresAtMs });
  const told = async (left: number) => {
    plant.nowMs = expiresAtMs - left * dayMs;
    return (await look(plant, append)).told.length;
  };

  expect(await told(1.5)).toBe(1);
  expect(await told(0.9)).toBe(0);
  expect(await told(0.5)).toBe(1);
  expect(await told(0.1)).toBe(0);
});

it('tells of a silent sensor and an old backup once a day', async () => {
  const plant = await HttpPlant.open();
  const { secret } = await plant.key();
  const api = bareApp(plant);
  const list = await send(api, secret, '/sensors');
  const [sensor] = JSON.parse(await list.text()).data;
  const post = async (...readings: object[]) =>
    (await send(api, secret, '/sensors/readings', { readings })).json();
  expect(await post({ sensor: sensor.code, at: plant.nowMs, value: 1 })).toMatchObject({
    accepted: 1,
  });
  plant.nowMs += 8 * dayMs;
  const events = async () => (await look(plant, append)).told.map(({ event }) => event).sort();
  const { told } = await look(plant, append);
  const { id, code } = sensor;
  expect(told.find(({ event }) => event === 'sensor_silent')).toEqual({
    event: 'sensor_silent',
    at: new Date(plant.nowMs).toISOString(),
    sensor: { id, code },
    entity: { code: 'BER', name: 'Berlin' },
  });
  expect(told.map(({ event }) => event).sort()).toEqual(['backup_old', 'sensor_silent']);
  plant.nowMs += dayMs - 1;
  expect(await events()).toEqual([]);
  plant.nowMs += 1;
  expect(await events()).toEqual(['backup_old', 'sensor_silent']);
});

it('tells of a key of which readings were rejected in the last hour', async () => {
  const plant = await HttpPlant.open();
  const { secret, id, prefix } = await plant.key({ name: 'Gateway' });
  const api = bareApp(plant);
  await send(api, secret, '/sensors/readings', {
    readings: [{ sensor: 'nowhere', at: plant.nowMs, value: 1 }],
  });
  await api.usage.run();
  const key = { id, prefix, name: 'Gateway', expires_at: null };
  expect((await look(plant, append)).told).toMatchObject([{ event: 'readings_rejected', key }]);
  plant.nowMs += dayMs;
  expect((await look(plant, append)).told).toEqual([]);
});

it('logs a command that fails, and ends one that hangs with all that it has started', async () => {
  const plant = await HttpPlant.open();
  await plant.key({ name: 'One', expiresAtMs: plant.nowMs + 2 * dayMs });
  const failed = await look(plant, 'echo no route >&2; exit 3');
  expect(failed.log).toMatchObject([
    { name: 'One' },
    { reason: 'it ended with exit code 3', stderr: 'no route\n', notice: { event: 'key_expires' } },
  ]);

  await plant.key({ name: 'Two', expiresAtMs: plant.nowMs + 2 * dayMs });
  await plant.key({ name: 'Three', expiresAtMs: plant.nowMs + 2 * dayMs });
  const began = performance.now();
  const hung = await look(plant, 'sleep 100 & sleep 100', { timeoutMs: 200 });
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(hung.log.filter(({ reason }) => reason === 'it took longer than 0.2 s')).toHaveLength(2);
  expect((await look(plant, append)).told).toEqual([]);
});

it('tells a notice a day later if its command failed, as it tells any other once', async () => {
  const plant = await HttpPlant.open();
  await plant.key({ name: 'One', expiresAtMs: plant.nowMs + 6.5 * dayMs });
  const certificate = { fromMs: plant.nowMs, untilMs: plant.nowMs + 6.5 * dayMs };
  const told = async (command: string) =>
    (await look(plant, command, {}, certificate)).told.map(({ event }) => event);
  expect(await told('exit 3')).toEqual([]);
  plant.nowMs += 0.9 * dayMs;
  expect(await told(append)).toEqual([]);
  plant.nowMs += 0.1 * dayMs;
  expect(await told(append)).toEqual(['key_expires', 'certificate_expires']);
  plant.nowMs += dayMs;
  expect(await told(append)).toEqual([]);
});

it('tells the rest while a command hangs, each once a day', async () => {
  const plant = await HttpPlant.open();
  for (let n = 0; n < 12; n++) {
    await plant.key({ name: `Key ${n}`, expiresAtMs: plant.nowMs + 2 * dayMs });
  }
  const began = performance.now();
  const times = { timeoutMs: 2000, patienceMs: 50 };
  const { told, log } = await look(plant, `${append}; sleep 100`, times);
  // Twelve in two rounds of at most eight, and not one after the other.
  expect(performance.now() - began).toBeLessThan(12_000);
  expect(new Set(told.map(({ key }) => key.name)).size).toBe(12);
  expect(told).toHaveLength(12);
  expect(log.filter(({ reason }) => reason !== undefined)).toHaveLength(12);
  expect((await look(plant, append)).told).toEqual([]);
  plant.nowMs += 1.5 * dayMs;
  expect((await look(plant, append)).told).toHaveLength(12);
});

it('tells one notice after the other while its command ends soon', async () => {
  const plant = await HttpPlant.open();
  for (let n = 0; n < 4; n++) {
    await plant.key({ name: `Key ${n}`, expiresAtMs: plant.nowMs + 2 * dayMs });
  }
  const step = (event: string) => `echo '{"event":"${event}"}' >> "$TOLD"`;
  const { told } = await look(plant, `${step('begin')}; ${append}; ${step('end')}`);
  const events = told.map(({ event }) => event);
  expect(events).toEqual(Array(4).fill(['begin', 'key_expires', 'end']).flat());
});

it('repeats no daily notice if the clock jumps back, and tells it a day later', async () => {
  const plant = await HttpPlant.open();
  const createdMs = plant.nowMs;
  const told = async (days: number) => {
    plant.nowMs = createdMs + days * dayMs;
    return (await look(plant, append)).told.map(({ event }) => event);
  };
  expect(await told(40)).toEqual(['backup_old']);
  for (const days of [8, 8.5, 8.9]) expect(await told(days)).toEqual([]);
  expect(await told(9)).toEqual(['backup_old']);
  expect(await told(9.5)).toEqual([]);
  expect(await told(10)).toEqual(['backup_old']);
});

it('starts no command once the daemon stops, which would not hear of that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-notices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const command = { command: `touch ${join(folder, 'started')}`, env: { PATH: process.env.PATH } };
  const at = '2026-11-20T08:00:00.000Z';
  const deliveries = createDeliveries(command, AbortSignal.abort());
  const faults: string[] = [];
  const failed = async ({ reason }: { reason: string }) => void faults.push(reason);
  await deliveries.begin({ at, event: 'backup_old', backup: { at } }, failed);
  await deliveries.finished();
  expect([readdirSync(folder), faults]).toEqual([[], ['the daemon ends']]);
});
