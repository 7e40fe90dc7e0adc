import { type Actor, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { longestLifetimeOf } from '../keys/expiry.ts';
import { expiresSoonMs, unusedLongMs } from '../keys/keys.ts';
import { lapsedKeys, missedFilter } from '../keys/lapsed.ts';
import { pendingCommands } from '../keys/pending-steps.ts';
import { rejectionsOf } from '../keys/usage.ts';
import type { Daemon } from '../port/daemons.ts';
import { isSilent } from '../readings/last-state.ts';
import { activeSensors } from '../readings/silence.ts';
import { dayMs } from '../time/spans.ts';
import { lastBackup } from './backups.ts';
import { certificateFault } from './certificates.ts';
import { findingOfClock, isSpaceLow } from './doctor-store.ts';
import type { StoreInspection } from './inspection.ts';

export type StoreStatus = Awaited<ReturnType<typeof readStatus>>;
/** Reasons for action; stable names, for programs. */
export type Attention = StoreStatus['attention'][number];

export interface InspectionOptions {
  inspection: StoreInspection;
  /** What the clock of the machine shows, or that of the database server. */
  machineMs: number;
  /** Whether an HTTP server answers at an address. */
  answers(address: string): Promise<boolean>;
}

/**
 * Reads the state of a store and the reasons for attention; with `expectsDaemon` the absence of a daemon is one. Needs
 * `api_keys.view`.
 */
export async function readStatus(
  domain: Domain,
  actor: Actor,
  {
    inspection,
    machineMs,
    answers,
    expectsDaemon = false,
  }: InspectionOptions & { expectsDaemon?: boolean },
) {
  await requirePermissions(domain, actor, 'store.status', 'store');
  const { store, clock } = domain;
  const { tenantId } = actor.user;
  const { newest: daemon = null, serving, ended } = await daemonsOf(domain, answers);
  const certificates = serving.flatMap((each) => certificateOf(each, clock()));
  const keys = await keyCounts(domain, tenantId);
  const lapsed = await lapsedKeys(domain, actor);
  const pending = await pendingCommands(domain, actor);
  const sensors = await sensorCounts(domain, tenantId);
  const rejections = await rejectionsOf(domain, tenantId);

  const backup = await lastBackup(domain);
  const space = inspection.space?.() ?? null;
  const { seenMs } = await store.clock.read();
  const clockFinding = findingOfClock(seenMs, machineMs, domain.steady());

  const warnings = {
    clock_behind: clockFinding.status === 'problem',
    disk_low: space !== null && isSpaceLow(space),
    daemon_ended: ended.length > 0,
    daemon_missing: expectsDaemon && serving.length === 0,
    certificate: certificates.some(({ fault }) => fault !== undefined),
    keys_refused: keys.refused > 0,
    keys_expiring: keys.expiring > 0,
    keys_expired: keys.missed > 0,
    keys_used_after_end: lapsed.some(({ isInUse }) => isInUse),
    keys_unused: keys.unused > 0,
    commands_pending: pending.length > 0,
    sensors_silent: sensors.silent > 0,
    readings_rejected: rejections.length > 0,
    backup_old: backup.isOld,
  };
  // Object.keys loses the type of the names.
  const warningNames = Object.keys(warnings) as (keyof typeof warnings)[];

  return {
    sizeBytes: await inspection.sizeBytes(),
    /** The disk of the store; null if it is one of a database server. */
    space,
    clockFinding,
    /** The newest daemon that serves the store; null if none does. */
    daemon,
    /** The daemons that ended without a clean stop, and after which none has begun. */
    ended,
    /** The certificates of the daemons that serve. */
    certificates,
    keys,
    /** Keys that ended although a client may still need one, with the most refused requests first. */
    lapsed,
    /** The commands of `--exec` that have yet to succeed. */
    pending,
    sensors,
    /** The keys with readings rejected in the last day, the most affected first. */
    rejections,
    /** Null if the audit trail names no backup. */
    lastBackupMs: backup.atMs,
    attention: warningNames.filter((name) => warnings[name]),
  };
}

/**
 * The newest daemon that serves, and the daemons that ended without a clean stop. The lock of the store decides; an address is asked
 * only if the lock cannot tell one daemon from another, since it may be a public one that nothing reaches from here.
 */
export async function daemonsOf(
  { store }: Pick<Domain, 'store'>,
  answers: (address: string) => Promise<boolean>,
): Promise<{ newest: Daemon | undefined; serving: Daemon[]; ended: Daemon[] }> {
  const recordedDaemons = await store.daemon.recorded();
  const daemons = await Promise.all(
    recordedDaemons.map(async (daemon) => ({
      ...daemon,
      serves: daemon.serves ?? (await answers(daemon.baseUrl)),
      isCertain: daemon.serves !== undefined,
    })),
  );

  // Behind a proxy no daemon may be reachable from here.
  const isUnreachable = daemons.every(({ serves, isCertain }) => !serves && !isCertain);
  if (isUnreachable) {
    return { newest: daemons[0], serving: daemons, ended: [] };
  }
  const serving = daemons.filter(({ serves }) => serves);
  return {
    newest: serving[0],
    serving,
    ended: daemons.filter(({ serves }) => !serves),
  };
}

export interface DaemonCertificate {
  /** The address of the daemon. */
  baseUrl: string;
  untilMs: number;
  fault: string | undefined;
}

/** The certificate of a daemon; none without TLS. */
export function certificateOf(
  { baseUrl, certificateFromMs: fromMs, certificateUntilMs: untilMs }: Daemon,
  nowMs: number,
): DaemonCertificate[] {
  if (fromMs === null || untilMs === null) return [];
  return [{ baseUrl, untilMs, fault: certificateFault({ fromMs, untilMs }, nowMs) }];
}

/**
 * Counts active keys, and among them the keys refused for their entity or creator, expiring within 14 days, and unused for 90.
 * `missed` counts keys that have expired lately and were not replaced.
 */
export async function keyCounts(domain: Domain, tenantId: string) {
  const { store, clock } = domain;
  const longestDays = await longestLifetimeOf(domain, tenantId);
  const nowMs = clock();
  const activeFilter = { nowMs, statuses: ['Active'] } as const;
  const expiringFilter = { ...activeFilter, expiringByMs: nowMs + expiresSoonMs };
  const unusedFilter = { ...activeFilter, unusedSinceMs: nowMs - unusedLongMs };
  return {
    active: await store.keys.count(tenantId, activeFilter),
    refused: await store.keys.count(tenantId, { ...activeFilter, refused: true }),
    expiring: await store.keys.count(tenantId, expiringFilter),
    missed: await store.keys.count(tenantId, missedFilter(nowMs)),
    unused: await store.keys.count(tenantId, unusedFilter),
    /** How many live longer than new ones may; null without a longest lifetime. */
    beyondLifetime:
      longestDays === null
        ? null
        : await store.keys.count(tenantId, {
            ...activeFilter,
            livesLongerThanMs: longestDays * dayMs,
          }),
  };
}

/** Counts active sensors; `silentAt` holds the codes of the entities with silent ones, the most silent first. */
async function sensorCounts({ store, clock }: Domain, tenantId: string) {
  const nowMs = clock();
  const counts = { active: 0, silent: 0, neverHeard: 0 };
  const silentByEntity = new Map<string, number>();
  for (const entity of await store.entities.list(tenantId)) {
    if (entity.status !== 'active') continue;

    let silentCount = 0;
    for await (const { sensor, seenMs } of activeSensors(store.readings, entity.id)) {
      counts.active++;
      if (seenMs === null) counts.neverHeard++;
      if (isSilent(sensor.silentAfter, seenMs, nowMs)) silentCount++;
    }
    counts.silent += silentCount;
    if (silentCount > 0) silentByEntity.set(entity.code, silentCount);
  }
  const silentAt = [...silentByEntity].sort(([, first], [, second]) => second - first);
  return { ...counts, silentAt: silentAt.map(([code]) => code) };
}
