import type { SensorState } from '../../../core/port/readings.ts';
import { isShownUs } from '../connection/column-types.ts';
import type { Lane } from '../connection/lane.ts';
import { entityOfSeries, numberOfSeries, toSeries } from './series-numbers.ts';

interface StateRow extends SensorState {
  series: number;
}

const statesSql = `select n::int4 as series, coalesce(m.at_us, r.at_us) as "lastReadingAtUs", coalesce(m.value, r.value) as "lastValue",
    h.at_us as "lastHeartbeatAtUs", h.status as "lastStatus"
  from unnest($2::int4[]) as n
  left join lateral (select at_us, value from readings
    where entity = $1 and series = n and ${isShownUs('at_us')} order by at_us desc limit 1) r on true
  left join lateral (select last_at_us as at_us, last as value from summaries
    where entity = $1 and series = n and ${isShownUs('hour_us')} and ${isShownUs('last_at_us')}
    order by hour_us desc limit 1) m on m.at_us >= coalesce(r.at_us, m.at_us)
  left join lateral (select at_us, status from heartbeats
    where entity = $1 and series = n and ${isShownUs('at_us')} order by at_us desc limit 1) h on true`;

/** The last states of series, with one statement for each entity. */
export async function readStates(lane: Lane, series: readonly number[]): Promise<Map<number, SensorState>> {
  const ofEntities = new Map<number, number[]>();
  for (const one of series) {
    const numbers = ofEntities.get(entityOfSeries(one)) ?? [];
    numbers.push(numberOfSeries(one));
    ofEntities.set(entityOfSeries(one), numbers);
  }
  const states = new Map<number, SensorState>();
  await Promise.all(
    [...ofEntities].map(async ([entity, numbers]) => {
      const rows = await lane.query<StateRow>(statesSql, [entity, numbers]);
      for (const { series: number, ...state } of rows) states.set(toSeries(entity, number), state);
    }),
  );
  return states;
}
