import {
  type BatchVerdict,
  type Heartbeat,
  qualities,
  type Reading,
  type ReadingBatch,
  type ReadingBucket,
  type ReadingRange,
  type ReadingStore,
  type Sensor,
  type SensorDirectory,
  type SensorState,
} from '../../core/store.ts';
import type { Connection } from './driver.ts';
import { translating } from './errors.ts';
import { lazily } from './lazily.ts';
import { entityNumber } from './records-tables.ts';
import type { IngestTask } from './writer/client.ts';

/** Brings tasks to disk: in the writer thread of a daemon, or at once where there is none. */
export type WriteIngest = (task: IngestTask) => Promise<BatchVerdict>;

interface SensorRow {
  id: string;
  code: string;
  unit: string | null;
  is_active: number;
}

/** Before and after every instant that can be kept. */
const endOfTimeUs = Number.MAX_SAFE_INTEGER;

/** Sensors as ingest knows them, and their readings. */
export function createReadingStore(options: {
  records: () => Connection;
  readings: () => Connection;
  recordsVersion: () => number;
  path: string;
  write: WriteIngest;
}): ReadingStore {
  const { records, readings, recordsVersion, path, write } = options;
  const directories = new Map<string, { version: number; directory: SensorDirectory }>();
  const sensorsOf = lazily(() =>
    records().prepare<[string], SensorRow>(
      `select id, code, unit, is_active from sensors where entity = ${entityNumber}`,
    ),
  );
  const seriesOf = lazily(() =>
    readings().prepare<[string], { sensorId: string; series: number }>(
      'select sensor_id as sensorId, series from series where entity_id = ?',
    ),
  );
  const addSeries = lazily(() =>
    readings().prepare<[string, string]>('insert or ignore into series (entity_id, sensor_id) values (?, ?)'),
  );
  const range = lazily(() =>
    readings().prepare<[number, number, number, number], { atUs: number; value: number; quality: number }>(
      'select at_us as atUs, value, quality from readings where series = ? and at_us >= ? and at_us < ? order by at_us limit ?',
    ),
  );
  const buckets = lazily(() => readings().prepare<unknown[], BucketRow>(bucketSql));
  const scaledMean = lazily(() =>
    readings()
      .prepare<[number, number, number, number], number>(
        'select avg(value * ?) from readings where series = ? and at_us >= ? and at_us < ?',
      )
      .pluck(),
  );
  const lastReading = lazily(() =>
    readings().prepare<[number], { atUs: number; value: number }>(
      'select at_us as atUs, value from readings where series = ? order by at_us desc limit 1',
    ),
  );
  const lastHeartbeat = lazily(() =>
    readings().prepare<[number], { atUs: number; status: string | null }>(
      'select at_us as atUs, status from heartbeats where series = ? order by at_us desc limit 1',
    ),
  );

  /** The sum of huge values is none that a double holds, but their mean is. */
  const meanOfHuge = (series: number, row: BucketRow, from: number, to: number, bucketUs: number): number => {
    const start = Math.max(row.atUs, from);
    const mean = (scaledMean().get(scale, series, start, Math.min(row.atUs + bucketUs, to)) ?? 0) / scale;
    return Math.min(Math.max(mean, row.min), row.max);
  };

  const readDirectory = (entityId: string): SensorDirectory => {
    const sensors = sensorsOf().all(entityId);
    let numbers = new Map(
      seriesOf()
        .all(entityId)
        .map(({ sensorId, series }) => [sensorId, series]),
    );
    const unknown = sensors.filter(({ id }) => !numbers.has(id));
    if (unknown.length > 0) {
      const register = () => {
        for (const { id } of unknown) addSeries().run(entityId, id);
      };
      readings().transaction(register).immediate();
      numbers = new Map(
        seriesOf()
          .all(entityId)
          .map(({ sensorId, series }) => [sensorId, series]),
      );
    }
    const known = sensors.map((sensor) => toSensor(sensor, numbers.get(sensor.id)));
    // Codes last: where one sensor's code is another's id, the code wins.
    return new Map([
      ...known.map((sensor): [string, Sensor] => [sensor.id, sensor]),
      ...known.map((sensor): [string, Sensor] => [sensor.code, sensor]),
    ]);
  };

  return {
    directory(entityId) {
      const version = recordsVersion();
      const kept = directories.get(entityId);
      if (kept?.version === version) return kept.directory;
      const directory = translating(path, () => readDirectory(entityId));
      directories.set(entityId, { version, directory });
      return directory;
    },
    append: (batch: ReadingBatch) => write({ kind: 'readings', batch }),
    appendHeartbeats: (heartbeats: readonly Heartbeat[]) => write({ kind: 'heartbeats', heartbeats }),
    range: ({ series, fromUs, toUs, limit }: ReadingRange) =>
      translating(path, () =>
        range()
          .all(series, within(fromUs ?? -endOfTimeUs), within(toUs ?? endOfTimeUs), limit)
          .map(({ atUs, value, quality }): Reading => ({ atUs, value, quality: qualities[quality - 1] ?? null })),
      ),
    buckets: ({ series, fromUs, toUs, limit, bucketUs, aggregates }) =>
      translating(path, () => {
        const from = within(fromUs ?? -endOfTimeUs);
        const to = within(toUs ?? endOfTimeUs);
        return buckets()
          .all({ series, from, to, limit, bucket: bucketUs })
          .map((row): ReadingBucket => {
            const told: ReadingBucket = { atUs: row.atUs };
            for (const name of aggregates) told[name] = row[name];
            if ('avg' in told && !Number.isFinite(told.avg)) told.avg = meanOfHuge(series, row, from, to, bucketUs);
            return told;
          });
      }),
    states: (numbers) =>
      translating(path, () => {
        const states = new Map<number, SensorState>();
        for (const series of numbers) {
          const reading = lastReading().get(series);
          const heartbeat = lastHeartbeat().get(series);
          states.set(series, {
            lastReadingAtUs: reading?.atUs ?? null,
            lastValue: reading?.value ?? null,
            lastHeartbeatAtUs: heartbeat?.atUs ?? null,
            lastStatus: heartbeat?.status ?? null,
          });
        }
        return states;
      }),
  };
}

/** Takes nothing from the digits of a double that is not very small, and from its size as many times as readings can be. */
const scale = 2 ** -64;

type BucketRow = Required<ReadingBucket>;

/** Buckets start at multiples of their width; the remainder is made positive, for instants before 1970. */
const bucketSql = `
  select b.start as atUs, b.avg, b.min, b.max, b.count,
    (select value from readings where series = :series and at_us = b.last_at) as last
  from (
    select at_us - ((at_us % cast(:bucket as integer)) + cast(:bucket as integer)) % cast(:bucket as integer) as start,
      avg(value) as avg, min(value) as min, max(value) as max, count(*) as count, max(at_us) as last_at
    from readings where series = :series and at_us >= :from and at_us < :to
    group by start order by start limit :limit
  ) b order by b.start`;

function within(us: number): number {
  return Math.min(Math.max(us, -endOfTimeUs), endOfTimeUs);
}

function toSensor({ id, code, unit, is_active }: SensorRow, series: number | undefined): Sensor {
  if (series === undefined) throw new Error(`sensor ${id} has no series`);
  return { series, id, code, unit, isActive: is_active === 1 };
}
