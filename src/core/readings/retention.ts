import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { SteadyTime } from '../port/clock.ts';
import type { Entity } from '../port/entities.ts';
import { dayMs, hourMs } from '../time/spans.ts';

const dayUs = dayMs * 1000;
const hourUs = hourMs * 1000;

/** The instant (epoch µs, a whole hour) before which readings are no longer retained. */
function retentionBorderUs(days: number, nowMs: number): number {
  return hourOf(nowMs * 1000 - days * dayUs);
}

/** The instant (epoch µs) before which readings are too old for a retention (days; null = forever); none by an unsteady clock. */
export function retainedFromUs(days: number | null, steady: () => SteadyTime): number {
  if (days === null) return Number.NEGATIVE_INFINITY;
  const { ms, isSteady } = steady();
  return isSteady ? retentionBorderUs(days, ms) : Number.NEGATIVE_INFINITY;
}

/** The readings that a retention would drop: their number, and the instant of the oldest; null if there is none. */
interface Expiring {
  readings: number;
  oldestUs: number | null;
}

/** Counts the readings that a retention (days; null = forever) would drop, beyond those that the present one drops. */
export async function countExpiring(
  { store, steady }: Pick<Domain, 'store' | 'steady'>,
  { user }: Actor,
  days: number | null,
): Promise<Expiring> {
  const tenant = await store.tenants.find(user.tenantId);
  const currentDays = tenant?.retainReadingsDays ?? Number.POSITIVE_INFINITY;
  const expiring: Expiring = { readings: 0, oldestUs: null };
  if (days === null || days >= currentDays) return expiring;

  const borderUs = retentionBorderUs(days, steady().ms);
  for (const { id } of await store.entities.list(user.tenantId)) {
    const { oldestUs } = await store.readings.retention(id);
    if (oldestUs === null || oldestUs >= borderUs) continue;
    expiring.readings += await store.readings.countDroppable(id, borderUs);
    expiring.oldestUs = Math.min(oldestUs, expiring.oldestUs ?? oldestUs);
  }
  return expiring;
}

/** An entity that does not keep readings forever, and the instant (epoch µs) before which its readings expire. */
interface ExpiringEntity {
  entity: Entity;
  borderUs: number;
}

/** The entities that do not keep readings forever. */
export async function* expiringEntities({
  store,
  steady,
}: Pick<Domain, 'store' | 'steady'>): AsyncGenerator<ExpiringEntity> {
  for (const { id, retainReadingsDays } of await store.tenants.list()) {
    const borderUs = retainedFromUs(retainReadingsDays, steady);
    if (borderUs === Number.NEGATIVE_INFINITY) continue;
    for (const entity of await store.entities.list(id)) {
      yield { entity, borderUs };
    }
  }
}

/** From one drop of a store's readings to the next; less than an hour, since borders move with the hours. */
const dropGapMs = 50 * 60_000;

export async function mayBeginDrop({
  store,
  steady,
}: Pick<Domain, 'store' | 'steady'>): Promise<boolean> {
  return store.daemon.beginTask('retention', steady().ms, dropGapMs);
}

/**
 * The instant (epoch µs) up to which readings of an entity are dropped now; undefined if none are. At most a day is dropped at
 * once. A clock that has been wrong for hours then costs few readings, and so does a retention that was not meant. An
 * interrupted drop is completed; anything else needs `mayBegin`.
 */
export async function nextDropUs(
  { readings }: Pick<Domain['store'], 'readings'>,
  { entity, borderUs }: ExpiringEntity,
  mayBegin: () => Promise<boolean>,
): Promise<number | undefined> {
  const { oldestUs, untilUs } = await readings.retention(entity.id);
  if (oldestUs === null || oldestUs >= borderUs) return undefined;

  const isInterrupted = untilUs !== null && oldestUs < untilUs && oldestUs >= untilUs - dayUs;
  if (isInterrupted) return Math.min(untilUs, borderUs);
  if (!(await mayBegin())) return undefined;
  return Math.min(hourOf(oldestUs) + dayUs, borderUs);
}

function hourOf(us: number): number {
  return Math.floor(us / hourUs) * hourUs;
}
