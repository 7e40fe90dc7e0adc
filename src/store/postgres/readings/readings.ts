import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import {
  type Heartbeat,
  mostDroppableCounted,
  type RangeCount,
  type ReadingBatch,
  type ReadingStore,
  type RetentionState,
  type Sensor,
  type SensorDirectory,
  type SensorState,
  type SeriesRange,
  toDirectory,
} from '../../../core/port/readings.ts';
import { countDropped, lastDropped } from '../../../core/readings/reads/day-sums.ts';
import type { BackwardRequest } from '../../../core/readings/reads/newest.ts';
import { Reads } from '../../../core/readings/reads/reads.ts';
import { boundedRange, type SliceRequest } from '../../../core/readings/reads/slices.ts';
import { toReadings } from '../../../core/readings/series-readings.ts';
import type { Database, Lane } from '../connection/database.ts';
import { isShownUs } from '../connection/shown-instants.ts';
import { createEntityNumbers, type EntityNumbers } from '../records/entity-numbers.ts';
import { subscribeToReadings } from './feed.ts';
import {
  daysAsJson,
  type EncodedDay,
  firstDayOf,
  readBackward,
  readRange,
  readSlice,
  readSlices,
  toDays,
} from './reading-rows.ts';
import { drop, eraseDropped } from './retention.ts';
import { createHeartbeatWriter, createReadingWriter, readValuesAt } from './writer/batches.ts';
import { createIngestQueue } from './writer/ingest-queue.ts';
import { entityOfSeries, numberOfSeries, toSeries } from './writer/series-numbers.ts';

/** The main thread writes and sums up the rows of the server: other requests wait for one or two milliseconds of it. */
const sliceSizes = { written: 1000, summedUp: 4000 };

/**
 * Sensors as ingest knows them, and their readings. Two connections write at a time (decision 17). Large reads have one of their own,
 * on which slice follows slice, so that small ones never wait for them. `recordsCounter` changes with the sensors.
 */
export function createReadingStore(
  database: Database,
  recordsCounter: () => MaybePromise<number>,
): ReadingStore & { close(): Promise<void> } {
  const smallLane = database.lane('reads');
  const largeLane = database.lane('largeReads');
  const entityNumbers = createEntityNumbers(database);
  const ingestLane = database.lane('ingest');
  const readingQueue = createIngestQueue<ReadingBatch>(
    [1, 2].map(() => createReadingWriter(ingestLane, database.location.schema)),
    ({ count }) => count,
  );
  const heartbeatQueue = createIngestQueue<readonly Heartbeat[]>(
    [createHeartbeatWriter(smallLane)],
    ({ length }) => length,
  );
  const engine = {
    slice: (request: SliceRequest) => readSlice(largeLane, request),
    smallSlice: (request: SliceRequest) => readSlice(smallLane, request),
    slices: (requests: readonly SliceRequest[]) => readSlices(largeLane, requests),
    backward: (request: BackwardRequest) => readBackward(largeLane, request),
  };
  const reads = new Reads(engine, sliceSizes);
  const directories = new Map<string, CachedDirectory>();

  return {
    async directory(entityId) {
      const version = `${database.serverNumber} ${await recordsCounter()}`;
      const cachedEntry = directories.get(entityId);
      if (cachedEntry?.version === version) return cachedEntry.directory;
      const newEntry = { version, directory: readDirectory(database, smallLane, entityId) };
      directories.set(entityId, newEntry);
      newEntry.directory.catch(() => {
        // The next request tries again; this one gets the error itself.
        if (directories.get(entityId) === newEntry) directories.delete(entityId);
      });
      return newEntry.directory;
    },
    append: (batch) => readingQueue.write(batch),
    valuesAt: (batch) => readValuesAt(largeLane, batch),
    appendHeartbeats: (batch) => heartbeatQueue.write(batch),
    async range(range) {
      return toReadings(await readRange(largeLane, boundedRange(range)));
    },
    follow: (series) => subscribeToReadings(database, new Set(series)),
    text: (request, client) => reads.text(request, client),
    texts: (requests, client) => reads.texts(requests, client),
    newest: (request, client) => reads.newest(request, client),
    drop: (request) => drop(database, entityNumbers, request),
    retention: (entityId) => readRetention(smallLane, entityNumbers, entityId),
    countDroppable: (entityId, untilUs) =>
      countDroppable(largeLane, entityNumbers, entityId, untilUs),
    countRange: (range) => countRange(largeLane, range),
    async erase(range) {
      await eraseReadings(largeLane, range);
      // Last: a reading that is dropped meanwhile is in the sums by now.
      await eraseDropped(database, range);
    },
    states: (series) => readStates(smallLane, series),
    async close() {
      reads.close();
      await Promise.all([readingQueue.drained(), heartbeatQueue.drained()]);
    },
  };
}

interface CachedDirectory {
  version: string;
  directory: Promise<SensorDirectory>;
}

const droppableSql = `select count(*) as readings from (
    select 1 from series as s cross join lateral (select 1 from readings
      where entity = $1 and series = s.series and at_us < $2 limit ${mostDroppableCounted + 1}) as r
    where s.entity = $1 limit ${mostDroppableCounted + 1}) as found`;

async function countDroppable(
  lane: Lane,
  numbers: EntityNumbers,
  entityId: string,
  untilUs: number,
): Promise<number> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return 0;
  const counted = await readOne<{ readings: number }>(lane, droppableSql, [entity, untilUs]);
  return counted.readings;
}

const stateSql = `select
  (select min(r.at_us) from series as s cross join lateral (
      select at_us from readings
        where entity = $1 and series = s.series and ${isShownUs('at_us')}
        order by at_us limit 1) as r
    where s.entity = $1) as "oldestUs",
  (select until_us from drops where entity = $1 and ${isShownUs('until_us')}) as "untilUs",
  (select max(d.dropped_us) from series as s cross join lateral (
      select dropped_us from day_sums
        where entity = $1 and series = s.series and ${isShownUs('day_us')} and ${isShownUs('dropped_us')}
        order by day_us desc limit 1) as d
    where s.entity = $1) as "summarisedUs"`;

const noReadings: RetentionState = { oldestUs: null, untilUs: null, summarisedUs: null };

async function readRetention(
  lane: Lane,
  numbers: EntityNumbers,
  entityId: string,
): Promise<RetentionState> {
  const entity = await numbers.find(entityId);
  if (entity === undefined) return noReadings;
  return readOne<RetentionState>(lane, stateSql, [entity]);
}

/** Readings deleted in one statement: none may take so long that the connection seems dead. */
const readingsAtOnce = 20_000;

const readingsInRange = 'entity = $1 and series = $2 and at_us >= $3 and at_us < $4';

const countSql = `select r.*, ${daysAsJson(`select * from day_sums
    where entity = $1 and series = $2 and day_us >= $5 and day_us < $4
    order by day_us`)}
  from (select count(*) as readings from readings where ${readingsInRange}) as r`;

async function countRange(lane: Lane, range: SeriesRange): Promise<RangeCount> {
  const values = [...valuesOf(range), firstDayOf(range.fromUs)];
  const counted = await readOne<{ readings: number; days: EncodedDay[] | null }>(
    lane,
    countSql,
    values,
  );
  return { readings: counted.readings, ...countDropped(toDays(counted.days), range) };
}

/** The row of a statement that always has one. */
async function readOne<Row>(
  lane: Lane,
  statement: string,
  values: readonly unknown[],
): Promise<Row> {
  const [row] = await lane.query<Row>(statement, values);
  if (!row) throw new Error('the database returned no row');
  return row;
}

async function eraseReadings(lane: Lane, range: SeriesRange): Promise<void> {
  const deleteSome = `with gone as (delete from readings
      where ${readingsInRange} and at_us <= coalesce((
        select at_us from readings
          where ${readingsInRange}
          order by at_us limit 1 offset ${readingsAtOnce - 1}), $4)
      returning 1)
    select count(*) as n from gone`;
  for (let isMore = true; isMore; ) {
    const [deletion] = await lane.query<{ n: number }>(deleteSome, valuesOf(range));
    isMore = (deletion?.n ?? 0) >= readingsAtOnce;
  }
}

function valuesOf({ series, fromUs, toUs }: SeriesRange): number[] {
  return [entityOfSeries(series), numberOfSeries(series), fromUs, toUs];
}

interface StateRow extends Omit<Heartbeat, 'atUs'> {
  readingAtUs: number | null;
  value: number | null;
  days: EncodedDay[] | null;
  heartbeatAtUs: number | null;
}

/** The sums of the last day with dropped readings are sent where no reading is newer. */
const statesSql = `select n::int4 as series, r.at_us as "readingAtUs", r.value,
    h.at_us as "heartbeatAtUs", h.status, h.battery, h.signal, h.firmware,
    ${daysAsJson(`select * from (select * from day_sums
        where entity = $1 and series = n and ${isShownUs('day_us')} and ${isShownUs('dropped_us')}
        order by day_us desc limit 1) as last
      where dropped_us >= coalesce(r.at_us, dropped_us)`)}
  from unnest($2::int4[]) as n
  left join lateral (select at_us, value from readings
    where entity = $1 and series = n and ${isShownUs('at_us')} order by at_us desc limit 1) r on true
  left join lateral (select at_us, status, battery, signal, firmware from heartbeats
    where entity = $1 and series = n and ${isShownUs('at_us')} order by at_us desc limit 1) h on true`;

async function readStates(
  lane: Lane,
  series: readonly number[],
): Promise<Map<number, SensorState>> {
  const entity = entityOfSeries(series[0] ?? 0);
  const seriesNumbers = series.map(numberOfSeries);
  const stateRows = await lane.query<StateRow>(statesSql, [entity, seriesNumbers]);

  const states = new Map<number, SensorState>();
  for (const { series: number, readingAtUs, value, days, heartbeatAtUs, ...facts } of stateRows) {
    const [lastDay] = toDays(days);
    const dropped = lastDay && lastDropped(lastDay, Number.POSITIVE_INFINITY);
    const isThere = readingAtUs !== null && value !== null;
    states.set(toSeries(entity, number), {
      reading: dropped ?? (isThere ? { atUs: readingAtUs, value } : undefined),
      heartbeat: heartbeatAtUs === null ? undefined : { atUs: heartbeatAtUs, ...facts },
    });
  }
  return states;
}

/** `series` is null if the sensor has no number yet. */
type SensorRow = Omit<Sensor, 'series'> & { entity: number; series: number | null };

const sensorsSql = `select d.entity, s.series, d.id, d.code, d.unit, d.is_active as "isActive",
    d.silent_after as "silentAfter"
  from record_entities e join sensors d on d.entity = e.number
  left join series s on s.entity = d.entity and s.sensor_id = d.id
  where e.entity_id = $1 order by d.id`;

/** Reads the sensors of an entity, and gives those that are new a number each. */
async function readDirectory(
  database: Database,
  lane: Lane,
  entityId: string,
): Promise<SensorDirectory> {
  const readSensors = () => lane.query<SensorRow>(sensorsSql, [entityId]);
  let sensorRows = await readSensors();
  const unnumbered = sensorRows.find(({ series }) => series === null);
  if (unnumbered) {
    await addSeries(database, unnumbered.entity);
    sensorRows = await readSensors();
  }
  // A sensor that was imported after that appears with the next version.
  const sensors = sensorRows.flatMap(({ entity, series, ...sensor }): Sensor[] => {
    if (series === null) return [];
    return [{ series: toSeries(entity, series), ...sensor }];
  });
  return toDirectory(sensors);
}

/** Numbers are given under the lock of the entity's row: sequences of Citus' workers would give huge ones. */
async function addSeries(database: Database, entity: number): Promise<void> {
  await database.transaction(async (session) => {
    const [entityRow] = await session.query<{ last: number }>(
      'select last_series as last from record_entities where number = $1 for update',
      [entity],
    );
    // Removed meanwhile.
    if (!entityRow) return;
    await session.query(
      `insert into series (entity, series, sensor_id)
        select d.entity, $2 + row_number() over (order by d.id), d.id from sensors d
        where d.entity = $1 and not exists (select 1 from series s where s.entity = $1 and s.sensor_id = d.id)`,
      [entity, entityRow.last],
    );
    await session.query(
      `update record_entities
        set last_series = greatest(last_series, (select max(series) from series where entity = $1)) where number = $1`,
      [entity],
    );
  });
}
