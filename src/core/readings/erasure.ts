import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Entity } from '../port/entities.ts';
import type { RangeCount, Sensor } from '../port/readings.ts';
import { formatInstantUs } from '../time/instants.ts';

/** Readings to take out for good: those of one sensor from `fromUs` (inclusive) to `toUs` (exclusive). */
interface Erasure {
  entity: Entity;
  sensor: Sensor;
  fromUs: number;
  toUs: number;
}

/** Counts what an erasure would take out. `state_forbids` for a part of a quarter of an hour of which only the sums are left. */
export async function countErasable(
  { store }: Pick<Domain, 'store'>,
  erasure: Erasure,
): Promise<RangeCount> {
  const { sensor, fromUs, toUs } = erasure;
  const rangeCount = await store.readings.countRange({
    series: sensor.series,
    fromUs,
    toUs,
  });
  if (rangeCount.splitQuarterUs === null) return rangeCount;
  const quarterText = formatInstantUs(rangeCount.splitQuarterUs);
  throw new HkctlError(
    'state_forbids',
    `Of the quarter of an hour from ${quarterText} only a summary is kept, which cannot be divided.`,
    { hint: 'Erase from and to whole quarters of an hour, such as 08:15.' },
  );
}

/**
 * Takes readings, and the sums of dropped ones, out for good; returns how many. Needs `entities.manage`. The trail names them first; after
 * a crash the same command completes it.
 */
export async function eraseReadings(
  domain: Domain,
  actor: Actor,
  erasure: Erasure,
): Promise<RangeCount> {
  const { entity, sensor, fromUs, toUs } = erasure;
  const target = `${entity.code}/${sensor.code}`;
  await requirePermissions(domain, actor, 'sensors.erase', target);

  const rangeCount = await countErasable(domain, erasure);
  const { readings, summarised } = rangeCount;
  const detail = {
    from: formatInstantUs(fromUs),
    to: formatInstantUs(toUs),
    readings,
    summarised,
  };
  const audit = auditDraft(domain, actor, 'sensors.erase', target, detail);
  await domain.store.audit.append(audit);

  try {
    await domain.store.readings.erase({
      series: sensor.series,
      fromUs,
      toUs,
    });
  } catch (thrown) {
    await domain.store.audit.append({
      ...audit,
      atMs: domain.clock(),
      outcome: 'failed',
    });
    throw thrown;
  }
  // A quarter may have been dropped since it was counted, and lie only partly in the range.
  await countErasable(domain, erasure);
  return rangeCount;
}
