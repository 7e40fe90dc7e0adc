import type { Domain } from '../domain/domain.ts';
import { endedKeys, everyKey } from '../keys/lapsed.ts';
import type { CertificateValidity, DaemonTask } from '../port/daemons.ts';
import type { Entity } from '../port/entities.ts';
import type { Key } from '../port/keys.ts';
import type { Sensor } from '../port/readings.ts';
import type { Tenant } from '../port/tenants.ts';
import { isSilent } from '../readings/last-state.ts';
import { activeSensors } from '../readings/silence.ts';
import { formatInstantMs, formatOptionalMs } from '../time/instants.ts';
import { dayMs, hourMs } from '../time/spans.ts';
import { lastBackup } from './backups.ts';
import { certificateDaysLeft } from './certificates.ts';

/** Input for the command of `--notify`. */
export type Notice = { at: string } & (
  | {
      event: 'key_expires' | 'key_expired' | 'readings_rejected';
      key: NoticeKey;
      entity?: NoticeEntity;
    }
  | { event: 'sensor_silent'; sensor: { id: string; code: string }; entity: NoticeEntity }
  | { event: 'certificate_expires'; certificate: { expires_at: string } }
  | { event: 'backup_old'; backup: { at: string | null } }
);

/** The entity that a notice is about; missing for a key whose entity was removed. */
type NoticeEntity = Pick<Entity, 'code' | 'name'>;

interface NoticeKey {
  id: string;
  prefix: string;
  name: string;
  expires_at: string | null;
}

/** A task that is due unless a daemon of the store has begun it within the last `gapMs`. */
interface Claim {
  task: DaemonTask;
  gapMs: number;
}

/**
 * Whether all of some tasks are due; they then count as begun. A task that was begun by a clock that was ahead counts as begun
 * now. A clock that jumps thus repeats nothing, and silences nothing for longer than a day.
 */
export async function claimAll(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  claims: readonly Claim[],
): Promise<boolean> {
  for (const { task, gapMs } of claims) {
    const nowMs = clock();
    const begunMs = (await store.daemon.taskBegunMs(task)) ?? 0;
    const isAhead = begunMs > nowMs;

    const isDue = await store.daemon.beginTask(task, nowMs, isAhead ? 0 : gapMs);
    if (!isDue || isAhead) return false;
  }
  return true;
}

/** A notice that is due if each of its claims is, in their order. */
export interface DueNotice {
  notice: Notice;
  claims: Claim[];
  /** The claim of a notice that is sent once, and not each day. */
  once?: DaemonTask;
}

/** Has a notice that is due once, and could not be sent, sent the next day. */
export async function tellAgain({ store }: Pick<Domain, 'store'>, { once }: DueNotice) {
  if (once !== undefined) await store.daemon.beginTask(once, 0, 0);
}

/** A key that expires soon, or has expired. */
interface ExpiringKey {
  key: Key;
  expiresAtMs: number;
  /** The least number of days in {@link expiryWarningDays} that is left; 0 for a key that has expired. */
  days: number;
}

/** The days before its expiry at which a key is warned of, and its expiry. */
export const expiryWarningDays = [0, 1, 7, 14, 30] as const;

const longestWarningMs = Math.max(...expiryWarningDays) * dayMs;

/** The keys of all organizations that expire within 30 days, did in the last 30 and were not replaced, or did and are in use. */
export async function* expiringKeys(
  domain: Pick<Domain, 'store' | 'clock'>,
): AsyncGenerator<ExpiringKey> {
  const nowMs = domain.clock();
  const expiringFilter = {
    nowMs,
    statuses: ['Active'],
    expiringByMs: nowMs + longestWarningMs,
  } as const;
  for (const { id: tenantId } of await domain.store.tenants.list()) {
    for await (const key of everyKey(domain, tenantId, expiringFilter)) {
      const expiringKey = expiringKeyOf(key, nowMs);
      if (expiringKey) yield expiringKey;
    }
    for await (const { key, status } of endedKeys(domain, tenantId)) {
      const expiringKey = status === 'Expired' ? expiringKeyOf(key, nowMs) : undefined;
      if (expiringKey) yield expiringKey;
    }
  }
}

function expiringKeyOf(key: Key, nowMs: number): ExpiringKey | undefined {
  const { expiresAtMs } = key;
  if (expiresAtMs === null) return undefined;
  const days = expiryWarningDays.find((maxDays) => expiresAtMs - nowMs <= maxDays * dayMs);
  return days === undefined ? undefined : { key, expiresAtMs, days };
}

/** The claim of the warning that a key expires in so many days: once for ever, since a clock may jump back over that day. */
export function warningClaim({ key, days }: ExpiringKey, nowMs: number): Claim {
  return { task: `warned ${key.id} ${days}`, gapMs: nowMs };
}

/** Every notice of the store for `--notify`, each at most once a day; `certificate` is the daemon's own. */
export async function* dueNotices(
  domain: Pick<Domain, 'store' | 'clock'>,
  certificate?: CertificateValidity,
): AsyncGenerator<DueNotice> {
  const { store, clock } = domain;
  const nowMs = clock();
  const at = formatInstantMs(nowMs);

  for await (const { key, days } of expiringKeys(domain)) {
    if (days === 0) {
      const notice: Notice = { event: 'key_expired', at, ...factsOf(key) };
      yield dailyNotice(notice, `notified key_expired ${key.id}`);
      continue;
    }
    const notice: Notice = { event: 'key_expires', at, ...factsOf(key) };
    yield onceNotice(notice, `notified key_expires ${key.id}`, days, nowMs);
  }

  for (const tenant of await store.tenants.list()) {
    for await (const key of rejectedKeys(domain, tenant)) {
      const notice: Notice = { event: 'readings_rejected', at, ...factsOf(key) };
      yield dailyNotice(notice, `notified readings_rejected ${key.id}`);
    }
    for await (const { entity, sensor } of silentSensors(domain, tenant)) {
      const { id, code } = sensor;
      const notice: Notice = {
        event: 'sensor_silent',
        at,
        sensor: { id, code },
        entity: toNoticeEntity(entity),
      };
      yield dailyNotice(notice, `notified sensor_silent ${entity.id} ${id}`);
    }
  }

  if (certificate) yield* certificateNotices(certificate, nowMs);

  const { atMs, isOld } = await lastBackup(domain);
  if (!isOld) return;
  const backup = { at: formatOptionalMs(atMs) };
  yield dailyNotice({ event: 'backup_old', at, backup }, 'notified backup_old');
}

/** Before its end, each number of days once; then each day, since the clients of the daemon are cut off. */
function* certificateNotices(
  { untilMs }: CertificateValidity,
  nowMs: number,
): Generator<DueNotice> {
  const days = certificateDaysLeft(untilMs, nowMs);
  if (days === undefined) return;

  const notice: Notice = {
    event: 'certificate_expires',
    at: formatInstantMs(nowMs),
    certificate: { expires_at: formatInstantMs(untilMs) },
  };
  const task = `notified certificate_expires ${untilMs}` as const;
  yield days === 0 ? dailyNotice(notice, task) : onceNotice(notice, task, days, nowMs);
}

/** A notice that is sent once for a number of days. */
function onceNotice(
  notice: Notice,
  task: `notified ${string}`,
  days: number,
  nowMs: number,
): DueNotice {
  const once: DaemonTask = `${task} ${days}`;
  const claims = [
    { task, gapMs: dayMs },
    { task: once, gapMs: nowMs },
  ];
  return { notice, claims, once };
}

function dailyNotice(notice: Notice, task: DaemonTask): DueNotice {
  return { notice, claims: [{ task, gapMs: dayMs }] };
}

function factsOf({ id, prefix, name, expiresAtMs, entity }: Key): {
  key: NoticeKey;
  entity?: NoticeEntity;
} {
  const key = { id, prefix, name, expires_at: formatOptionalMs(expiresAtMs) };
  return entity ? { key, entity: toNoticeEntity(entity) } : { key };
}

function toNoticeEntity({ code, name }: NoticeEntity): NoticeEntity {
  return { code, name };
}

/** The keys with readings rejected in the last hour. */
async function* rejectedKeys(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  { id: tenantId }: Tenant,
): AsyncGenerator<Key> {
  const nowMs = clock();
  const today = Math.floor(nowMs / dayMs);
  // In some zones it is still the day before, in others already the next one.
  const days = { first: today - 1, last: today + 1 };
  const counts = await store.usage.rejected(tenantId, days);

  const hourAgoMs = nowMs - hourMs;
  const recentCounts = counts.filter(({ lastAtMs }) => lastAtMs !== null && lastAtMs > hourAgoMs);
  const prefixes = new Set(recentCounts.map((count) => count.prefix));
  for (const prefix of prefixes) {
    const key = await store.keys.find(tenantId, prefix);
    if (key) yield key;
  }
}

/** The active sensors at active entities that sent something before, but nothing for their span. */
async function* silentSensors(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  { id: tenantId }: Tenant,
): AsyncGenerator<{ entity: Entity; sensor: Sensor }> {
  for (const entity of await store.entities.list(tenantId)) {
    if (entity.status !== 'active') continue;

    for await (const { sensor, seenMs } of activeSensors(store.readings, entity.id)) {
      if (isSilent(sensor.silentAfter, seenMs, clock())) yield { entity, sensor };
    }
  }
}
