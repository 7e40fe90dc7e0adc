import { lazy } from '../../core/memoize.ts';
import {
  type ReadingStore,
  type Sensor,
  type SensorDirectory,
  toDirectory,
} from '../../core/port/readings.ts';
import type { BackwardRequest } from '../../core/readings/reads/newest.ts';
import { Reads } from '../../core/readings/reads/reads.ts';
import { boundedRange, type Slice, type SliceRequest } from '../../core/readings/reads/slices.ts';
import { toReadings } from '../../core/readings/series-readings.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { translating } from '../sqlite-file/errors.ts';
import { createErasure } from './readings/erasure.ts';
import { createFeed } from './readings/feed.ts';
import { createReader, type Reader } from './readings/reader/reader.ts';
import { createDroppable } from './readings/retention.ts';
import type { StoredReadings } from './readings/stored.ts';
import type { ThreadClient } from './readings/thread-client.ts';
import type { WriterClient } from './readings/writer/client.ts';
import { entityNumber } from './records/pages.ts';

export interface ReadingThreads {
  writer: WriterClient;
  reader: ThreadClient<Reader>;
}

type SensorRow = Omit<Sensor, 'series' | 'isActive'> & { isActive: number };

interface ReadingStoreOptions {
  records: () => Connection;
  readings: () => Connection;
  stored: () => StoredReadings;
  recordsCounter: () => number;
  path: string;
  threads: ReadingThreads | undefined;
}

interface CachedDirectory {
  counter: number;
  directory: SensorDirectory;
}

export function createReadingStore(options: ReadingStoreOptions): ReadingStore & { close(): void } {
  const { records, readings, stored, recordsCounter, path, threads } = options;
  const directories = new Map<string, CachedDirectory>();
  const directoryReader = lazy(() => createDirectoryReader(records(), readings()));
  const reader = lazy(() => createReader(readings(), stored()));
  const droppableReadings = lazy(() => createDroppable(readings(), stored()));
  const erasure = lazy(() => createErasure(stored()));
  const translated = <T>(operation: () => T): T => translating(path, operation);

  const requireWriter = () => {
    if (!threads) throw new Error('this store was opened without the thread that writes readings');
    return threads.writer;
  };

  /** A command that reads alone needs no thread. */
  const findStartedThreads = () => (threads?.reader.isStarted ? threads : undefined);

  const readSlice = async (request: SliceRequest, memory?: ArrayBuffer): Promise<Slice> => {
    const startedThreads = findStartedThreads();
    if (!startedThreads) return translated(() => reader().slice(request));

    const buffered = await startedThreads.writer.buffered('slice', request);
    const transferred = memory && [memory];
    return startedThreads.reader.call('slice', [request, buffered, memory], transferred);
  };

  const readSlices = async (requests: readonly SliceRequest[]): Promise<Slice[]> => {
    const startedThreads = findStartedThreads();
    if (!startedThreads) return translated(() => reader().slices(requests));

    const buffered = await startedThreads.writer.buffered('slices', requests);
    return startedThreads.reader.call('slices', [requests, buffered]);
  };

  const lookBackward = async (request: BackwardRequest): Promise<Float64Array> => {
    const startedThreads = findStartedThreads();
    if (!startedThreads) return translated(() => reader().newest(request));

    const buffered = await startedThreads.writer.buffered('newest', request);
    return startedThreads.reader.call('newest', [request, buffered]);
  };

  const reads = new Reads({
    slice: readSlice,
    slices: readSlices,
    backward: lookBackward,
  });

  return {
    directory(entityId) {
      const counter = recordsCounter();
      const cachedDirectory = directories.get(entityId);
      if (cachedDirectory?.counter === counter) return cachedDirectory.directory;

      const directory = translated(() => directoryReader()(entityId));
      directories.set(entityId, { counter, directory });
      return directory;
    },
    append: (batch) => requireWriter().write(batch),
    valuesAt: (batch) => translated(() => stored().valuesAt(batch)),
    appendHeartbeats: (heartbeats) => requireWriter().writeHeartbeats(heartbeats),
    range(range) {
      const readRange = () => toReadings(stored().range(boundedRange(range)));
      return translated(() => stored().reading(readRange));
    },
    follow(series) {
      const feed = translated(() => createFeed(readings(), stored(), new Set(series)));
      return {
        ...feed,
        next: () => translated(() => feed.next()),
      };
    },
    text: (request, client) => reads.text(request, client),
    texts: (requests, client) => reads.texts(requests, client),
    newest: (request, client) => reads.newest(request, client),
    drop: (request) => requireWriter().call('drop', [request]),
    retention(entityId) {
      const startedThreads = findStartedThreads();
      if (startedThreads) return startedThreads.writer.call('retention', [entityId]);
      return translated(() => droppableReadings().state(entityId));
    },
    countDroppable: (entityId, untilUs) =>
      translated(() => droppableReadings().count(entityId, untilUs)),
    countRange: (range) => translated(() => erasure().count(range)),
    erase: (range) => translated(() => erasure().erase(range)),
    close: () => reads.close(),
    states(seriesNumbers) {
      const startedThreads = findStartedThreads();
      if (!startedThreads) return translated(() => reader().states(seriesNumbers));
      return startedThreads.writer
        .buffered('states', seriesNumbers)
        .then((buffered) => startedThreads.reader.call('states', [seriesNumbers, buffered]));
    },
  };
}

/** Creates the reader of an entity's sensors, which gives each new sensor the number of its series. */
function createDirectoryReader(
  records: Connection,
  readings: Connection,
): (entityId: string) => SensorDirectory {
  const sensorsOf = records.prepare<[string], SensorRow>(
    `select id, code, unit, is_active as isActive, silent_after as silentAfter from sensors
      where entity = ${entityNumber}`,
  );
  const seriesOf = readings
    .prepare<[string], [id: string, series: number]>(
      'select sensor_id, series from series where entity_id = ?',
    )
    .raw();
  const addSeries = readings.prepare<[string, string]>(
    'insert or ignore into series (entity_id, sensor_id) values (?, ?)',
  );
  const register = (entityId: string, sensors: readonly SensorRow[]) => {
    for (const { id } of sensors) addSeries.run(entityId, id);
  };

  return (entityId) => {
    const sensors = sensorsOf.all(entityId);
    let seriesBySensor = new Map(seriesOf.all(entityId));
    const newSensors = sensors.filter(({ id }) => !seriesBySensor.has(id));
    if (newSensors.length > 0) {
      readings.transaction(register).immediate(entityId, newSensors);
      seriesBySensor = new Map(seriesOf.all(entityId));
    }

    const storedSensors = sensors.map(({ isActive, ...sensor }): Sensor => {
      const series = seriesBySensor.get(sensor.id);
      if (series === undefined) throw new Error(`sensor ${sensor.id} has no series`);
      return { ...sensor, series, isActive: isActive === 1 };
    });
    return toDirectory(storedSensors);
  };
}
