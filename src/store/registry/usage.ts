import { usageKinds } from '../../core/port/usage.ts';
import { latestDateMs } from '../../core/time/instants.ts';
import { dayMs } from '../../core/time/spans.ts';

/** The most characters of a code and of the name of a sensor; a daemon cuts longer names. */
const longestCode = 64;
const longestSensor = 256;

/** Counts of days that are no longer kept, removed with one merge at most: each takes microseconds. */
export const removedAtOnce = 5000;

/** SQL for what holds for every row of usage, in both engines. No count exceeds what a double represents exactly. */
export const usageChecks = [
  `day between ${-latestDateMs / dayMs} and ${latestDateMs / dayMs}`,
  `kind in (${usageKinds.map((kind) => `'${kind}'`).join(', ')})`,
  `length(code) <= ${longestCode}`,
  `count between 0 and ${Number.MAX_SAFE_INTEGER}`,
  `coalesce(last_at_ms, 0) between ${-latestDateMs} and ${latestDateMs}`,
  `length(coalesce(last_sensor, '')) <= ${longestSensor}`,
].join(' and ');
