import { lazily } from '../../../core/lazily.ts';
import type {
  Heartbeat,
  ReadingBatch,
  ReadingClient,
  ReadingStore,
  ReadingText,
  ReadingTextRequest,
  Sensor,
  SensorDirectory,
  SensorState,
} from '../../../core/port/readings.ts';
import { toDirectory } from '../../../core/readings/directory.ts';
import { isSmall, Reads, textOf } from '../../../core/readings/reads/reads.ts';
import { boundedRange, toReading } from '../../../core/readings/reads/slice-request.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { entityNumber } from '../records/tables.ts';
import { createDroppable } from './droppable.ts';
import { createErasure } from './erasure.ts';
import type { ReaderClient } from './reader/client.ts';
import { createRowReader, createSliceReader } from './reader/slices.ts';
import type { WriterClient } from './writer/client.ts';

/** The threads of a store. */
export interface ReadingThreads {
  writer: WriterClient;
  reader: ReaderClient;
}

interface SensorRow {
  id: string;
  code: string;
  unit: string | null;
  is_active: number;
}

/** Sensors as ingest knows them, and their readings. */
export function createReadingStore(options: {
  records: () => Connection;
  readings: () => Connection;
  recordsVersion: () => number;
  path: string;
  /** The threads, of a store that has them. */
  threads: () => ReadingThreads;
}): ReadingStore & { close(): void } {
  const { records, readings, recordsVersion, path, threads } = options;
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
  const rows = lazily(() => createRowReader(readings()));
  const readSlice = lazily(() => createSliceReader(readings()));
  const reads = new Reads((request) => threads().reader.readSlice(request));
  const lastReading = lazily(() =>
    readings().prepare<[number], { atUs: number; value: number }>(
      'select at_us as atUs, value from readings where series = ? order by at_us desc limit 1',
    ),
  );
  const lastSummary = lazily(() =>
    readings().prepare<[number], { atUs: number; value: number }>(
      'select last_at_us as atUs, last as value from summaries where series = ? order by hour_us desc limit 1',
    ),
  );
  const droppable = lazily(() => createDroppable(readings()));
  const erasure = lazily(() => createErasure(readings()));
  const lastHeartbeat = lazily(() =>
    readings().prepare<[number], { atUs: number; status: string | null }>(
      'select at_us as atUs, status from heartbeats where series = ? order by at_us desc limit 1',
    ),
  );

  const readDirectory = (entityId: string): SensorDirectory => {
    const sensors = sensorsOf().all(entityId);
    const numbersOf = () =>
      new Map(
        seriesOf()
          .all(entityId)
          .map(({ sensorId, series }) => [sensorId, series]),
      );
    let numbers = numbersOf();
    const unknown = sensors.filter(({ id }) => !numbers.has(id));
    if (unknown.length > 0) {
      const register = () => {
        for (const { id } of unknown) addSeries().run(entityId, id);
      };
      readings().transaction(register).immediate();
      numbers = numbersOf();
    }
    return toDirectory(sensors.map((sensor) => toSensor(sensor, numbers.get(sensor.id))));
  };

  /** Reads a small page in this thread: a message to another would cost more than it saves. */
  const readAtOnce = (request: ReadingTextRequest, client: ReadingClient): ReadingText =>
    translating(path, () => textOf(readSlice()({ ...request, most: request.limit }), client));

  return {
    directory(entityId) {
      const version = recordsVersion();
      const kept = directories.get(entityId);
      if (kept?.version === version) return kept.directory;
      const directory = translating(path, () => readDirectory(entityId));
      directories.set(entityId, { version, directory });
      return directory;
    },
    append: (batch: ReadingBatch) => threads().writer.write({ kind: 'readings', batch }),
    appendHeartbeats: (heartbeats: readonly Heartbeat[]) => threads().writer.write({ kind: 'heartbeats', heartbeats }),
    range: (range) => translating(path, () => rows()(boundedRange(range)).map(toReading)),
    text: (request, client) => (isSmall(request) ? readAtOnce(request, client) : reads.read(request, client)),
    drop: (request) => threads().writer.drop(request),
    retention: (entityId) => translating(path, () => droppable().state(entityId)),
    countDroppable: (entityId, untilUs) => translating(path, () => droppable().count(entityId, untilUs)),
    countRange: (range) => translating(path, () => erasure().count(range)),
    erase: (range) => translating(path, () => erasure().erase(range)),
    close: () => reads.close(),
    states: (numbers) =>
      translating(path, () => {
        const states = new Map<number, SensorState>();
        for (const series of numbers) {
          const summary = lastSummary().get(series);
          const newest = lastReading().get(series);
          const reading = newest && newest.atUs > (summary?.atUs ?? Number.NEGATIVE_INFINITY) ? newest : summary;
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

function toSensor({ id, code, unit, is_active }: SensorRow, series: number | undefined): Sensor {
  if (series === undefined) throw new Error(`sensor ${id} has no series`);
  return { series, id, code, unit, isActive: is_active === 1 };
}
