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
import { boundedRange, toReadings } from '../../../core/readings/reads/slice-request.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { entityNumber } from '../records/tables.ts';
import { createDroppable } from './droppable.ts';
import { createErasure } from './erasure.ts';
import type { ReaderClient } from './reader/client.ts';
import { createSliceReader } from './reader/slices.ts';
import type { StoredReadings } from './stored.ts';
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
  stored: () => StoredReadings;
  recordsVersion: () => number;
  path: string;
  /** The threads, of a store that has them. */
  threads: () => ReadingThreads;
}): ReadingStore & { close(): void } {
  const { records, readings, stored, recordsVersion, path, threads } = options;
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
  const readSlice = lazily(() => createSliceReader(readings(), stored()));
  const reads = new Reads((request) => threads().reader.readSlice(request));
  const lastSummary = lazily(() =>
    readings().prepare<[number], { atUs: number; value: number }>(
      'select last_at_us as atUs, last as value from summaries where series = ? order by hour_us desc limit 1',
    ),
  );
  const droppable = lazily(() => createDroppable(readings(), stored()));
  const erasure = lazily(() => createErasure(readings(), stored()));
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

  const stateOf = (series: number): SensorState => {
    const summary = lastSummary().get(series);
    const [atUs = Number.NEGATIVE_INFINITY, value = 0] = stored().last(series) ?? [];
    const reading = atUs > (summary?.atUs ?? Number.NEGATIVE_INFINITY) ? { atUs, value } : summary;
    const heartbeat = lastHeartbeat().get(series);
    return {
      lastReadingAtUs: reading?.atUs ?? null,
      lastValue: reading?.value ?? null,
      lastHeartbeatAtUs: heartbeat?.atUs ?? null,
      lastStatus: heartbeat?.status ?? null,
    };
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
    append: (batch: ReadingBatch) => threads().writer.write({ kind: 'readings', batch }),
    appendHeartbeats: (heartbeats: readonly Heartbeat[]) => threads().writer.write({ kind: 'heartbeats', heartbeats }),
    range: (range) =>
      translating(path, () => stored().reading(() => toReadings(stored().columns(boundedRange(range))))),
    text: (request, client) => (isSmall(request) ? readAtOnce(request, client) : reads.read(request, client)),
    drop: (request) => threads().writer.drop(request),
    retention: (entityId) => translating(path, () => droppable().state(entityId)),
    countDroppable: (entityId, untilUs) => translating(path, () => droppable().count(entityId, untilUs)),
    countRange: (range) => translating(path, () => erasure().count(range)),
    erase: (range) => translating(path, () => erasure().erase(range)),
    close: () => reads.close(),
    states: (numbers) =>
      translating(path, () => stored().reading(() => new Map(numbers.map((series) => [series, stateOf(series)])))),
  };
}

function toSensor({ id, code, unit, is_active }: SensorRow, series: number | undefined): Sensor {
  if (series === undefined) throw new Error(`sensor ${id} has no series`);
  return { series, id, code, unit, isActive: is_active === 1 };
}
