import type { Actor, Domain } from '../access/actors.ts';
import { HkctlError } from '../errors.ts';
import type { Entity } from '../port/entities.ts';
import { type DroppableCount, type DropResult, summaryWidthUs } from '../port/readings.ts';
import { dayMs } from '../time/spans.ts';

/** The longest retention; `forever` is more. */
const mostDays = 36_500;
const dayUs = dayMs * 1000;

/** Reads a retention such as `400d` to days, `forever` to null. Throws `usage`. */
export function parseRetention(given: string): number | null {
  if (given === 'forever') return null;
  const days = /^[1-9]\d{0,4}d$/.test(given) ? Number(given.slice(0, -1)) : Number.POSITIVE_INFINITY;
  if (days <= mostDays) return days;
  throw new HkctlError(
    'usage',
    `"${given}" is not a retention: give days such as 400d, at most ${mostDays}d, or forever.`,
  );
}

/** A retention as people type it. */
export function shownRetention(days: number | null): string {
  return days === null ? 'forever' : `${days}d`;
}

/** The instant (epoch µs, a whole hour) before which readings are no longer retained. */
export function retentionBorderUs(days: number, nowMs: number): number {
  const border = nowMs * 1000 - days * dayUs;
  return Math.floor(border / summaryWidthUs) * summaryWidthUs;
}

/**
 * Counts the readings of the actor's organization that a retention (days; null = forever) would drop. None where it is not
 * shorter than the present one: those readings are dropped already, or about to be.
 */
export async function countExpiring(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  { user }: Actor,
  days: number | null,
): Promise<DroppableCount> {
  const present = (await store.tenants.find(user.tenantId))?.retainReadingsDays ?? Number.POSITIVE_INFINITY;
  if (days === null || days >= present) return { readings: 0, oldestUs: null };
  const untilUs = retentionBorderUs(days, clock());
  const entities = await store.entities.list(user.tenantId);
  const counts = await Promise.all(entities.map(({ id }) => store.readings.countDroppable(id, untilUs)));
  const oldest = counts.flatMap(({ oldestUs }) => oldestUs ?? []);
  return {
    readings: counts.reduce((sum, { readings }) => sum + readings, 0),
    oldestUs: oldest.length === 0 ? null : Math.min(...oldest),
  };
}

/** One step of dropping readings. */
export interface DropStep extends DropResult {
  entity: Entity;
  untilUs: number;
}

/**
 * Drops the readings that their organizations no longer retain, step by step, so that the caller can wait in between.
 * `isDone` says of an entity and a border whether nothing is left to drop there.
 */
export async function* dropExpiredReadings(
  { store, clock }: Pick<Domain, 'store' | 'clock'>,
  isDone: (entityId: string, untilUs: number) => boolean,
): AsyncGenerator<DropStep> {
  for (const { id, retainReadingsDays } of await store.tenants.list()) {
    if (retainReadingsDays === null) continue;
    for (const entity of await store.entities.list(id)) {
      const untilUs = retentionBorderUs(retainReadingsDays, clock());
      if (isDone(entity.id, untilUs)) continue;
      for (let position: number | null | undefined; position !== null; ) {
        const step: DropResult = await store.readings.drop({ entityId: entity.id, untilUs, position });
        yield { ...step, entity, untilUs };
        position = step.next;
      }
    }
  }
}
