import { type Actor, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { expiresSoonMs, unusedLongMs } from '../keys/keys.ts';
import { type KeyRejections, rejectionsOf } from '../keys/usage.ts';
import type { Daemon } from '../port/daemons.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import { isSilent } from '../readings/sensors.ts';
import { dayMs } from '../time/spans.ts';
import { isSpaceLow } from './doctor-store.ts';
import type { SpaceFacts } from './inspection.ts';

/** What needs action; stable names, for programs. */
export type Attention =
  | 'disk_low'
  | 'daemon_silent'
  | 'daemon_ended'
  | 'keys_expiring'
  | 'keys_unused'
  | 'sensors_silent'
  | 'readings_rejected'
  | 'backup_old';

interface KeyCounts {
  active: number;
  /** Expire within 14 days. */
  expiring: number;
  /** Not used for 90 days. */
  unused: number;
}

interface SensorCounts {
  active: number;
  /** Sent something before, and nothing for a day. */
  silent: number;
  /** The codes of the entities where those are. */
  silentAt: string[];
  /** Never sent anything. */
  neverHeard: number;
}

export interface StoreStatus {
  sizeBytes: number;
  /** The disk of the store; null if it is one of a database server. */
  space: SpaceFacts | null;
  /** The newest daemon that serves the store; null if none does. */
  daemon: { address: string; version: string | null; sinceMs: number; answers: boolean } | null;
  /** The daemons that ended without a clean stop, and after which none has begun. */
  ended: readonly Daemon[];
  keys: KeyCounts;
  sensors: SensorCounts;
  /** The keys of which readings were rejected in the last day, the most affected first. */
  rejections: readonly KeyRejections[];
  /** Null if the audit trail names no backup. */
  lastBackupMs: number | null;
  attention: readonly Attention[];
}

interface StatusOptions {
  sizeBytes(): MaybePromise<number>;
  /** The disk of the store, if it is one of this machine. */
  space: (() => SpaceFacts) | undefined;
  /** Whether an HTTP server answers at an address. */
  answers(address: string): Promise<boolean>;
}

/** A backup older than this needs attention; also a store of this age that was never backed up. */
const backupOldMs = 7 * dayMs;

/** Reads the state of a store and what needs attention. Needs `api_keys.view`. */
export async function readStatus(domain: Domain, actor: Actor, options: StatusOptions): Promise<StoreStatus> {
  await requirePermissions(domain, actor, 'store.status', 'store');
  const { store, clock } = domain;
  const { newest, ended } = await daemonsOf(domain, options.answers);
  const daemon = newest
    ? {
        address: newest.baseUrl,
        version: newest.version,
        sinceMs: newest.sinceMs,
        answers: await options.answers(newest.baseUrl),
      }
    : null;
  const keys = await keyCounts(domain, actor.user.tenantId);
  const sensors = await sensorCounts(domain, actor.user.tenantId);
  const rejections = await rejectionsOf(domain, actor.user.tenantId);
  const lastBackupMs = (await store.audit.lastDoneMs('store.backup')) ?? null;
  const [first] = await store.tenants.list();
  const backedUpMs = lastBackupMs ?? first?.createdAtMs ?? 0;
  const space = options.space?.() ?? null;
  const found: Record<Attention, boolean> = {
    disk_low: space !== null && isSpaceLow(space),
    daemon_silent: daemon !== null && !daemon.answers,
    daemon_ended: ended.length > 0,
    keys_expiring: keys.expiring > 0,
    keys_unused: keys.unused > 0,
    sensors_silent: sensors.silent > 0,
    readings_rejected: rejections.length > 0,
    backup_old: clock() - backedUpMs > backupOldMs,
  };
  // The keys of that very object.
  const attention = (Object.keys(found) as Attention[]).filter((name) => found[name]);
  const sizeBytes = await options.sizeBytes();
  return { sizeBytes, space, daemon, ended, keys, sensors, rejections, lastBackupMs, attention };
}

/**
 * The newest daemon that serves or may serve a store, and those that ended without a clean stop. If only their addresses can
 * show whether daemons serve, those that do not answer have ended.
 */
export async function daemonsOf(
  { store }: Pick<Domain, 'store'>,
  answers: (address: string) => Promise<boolean>,
): Promise<{ newest: Daemon | undefined; ended: Daemon[] }> {
  const recorded = await Promise.all(
    (await store.daemon.recorded()).map(async (daemon) => ({
      ...daemon,
      serves: daemon.serves ?? (await answers(daemon.baseUrl)),
    })),
  );
  return { newest: recorded.find(({ serves }) => serves), ended: recorded.filter(({ serves }) => !serves) };
}

export async function keyCounts({ store, clock }: Domain, tenantId: string): Promise<KeyCounts> {
  const nowMs = clock();
  const active = { nowMs, statuses: ['Active'] } as const;
  return {
    active: await store.keys.count(tenantId, active),
    expiring: await store.keys.count(tenantId, { ...active, expiringByMs: nowMs + expiresSoonMs }),
    unused: await store.keys.count(tenantId, { ...active, unusedSinceMs: nowMs - unusedLongMs }),
  };
}

async function sensorCounts({ store, clock }: Domain, tenantId: string): Promise<SensorCounts> {
  const nowMs = clock();
  const counts: SensorCounts = { active: 0, silent: 0, silentAt: [], neverHeard: 0 };
  for (const entity of await store.entities.list(tenantId)) {
    if (entity.status !== 'active') continue;
    const directory = await store.readings.directory(entity.id);
    // The directory names each sensor by its code and by its id.
    const series = new Set([...directory.values()].filter(({ isActive }) => isActive).map((sensor) => sensor.series));
    const silentBefore = counts.silent;
    const states = await store.readings.states([...series]);
    for (const one of series) {
      const state = states.get(one);
      const seenUs = Math.max(state?.lastReadingAtUs ?? -1, state?.lastHeartbeatAtUs ?? -1);
      counts.active++;
      if (seenUs < 0) counts.neverHeard++;
      else if (isSilent(seenUs / 1000, nowMs)) counts.silent++;
    }
    if (counts.silent > silentBefore) counts.silentAt.push(entity.code);
  }
  return counts;
}
