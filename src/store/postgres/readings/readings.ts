import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type {
  Heartbeat,
  ReadingBatch,
  ReadingClient,
  ReadingStore,
  ReadingText,
  ReadingTextRequest,
  SensorDirectory,
} from '../../../core/port/readings.ts';
import { isSmall, Reads, textOf } from '../../../core/readings/reads/reads.ts';
import { boundedRange, toReadings } from '../../../core/readings/reads/slice-request.ts';
import type { Database } from '../connection/database.ts';
import { EntityNumbers } from '../records/entity-numbers.ts';
import { readDirectory } from './directory.ts';
import { countDroppable, readRetention } from './droppable.ts';
import { countRange, erase } from './erasure.ts';
import { readColumns, readSlice } from './reading-rows.ts';
import { drop } from './retention.ts';
import { readStates } from './states.ts';
import { createHeartbeatWriter } from './writer/heartbeats.ts';
import { IngestQueue } from './writer/ingest-queue.ts';
import { createReadingWriter } from './writer/readings.ts';

/** Rows are found by their key, however many there are and whatever is known of them: nobody analyzes a table that grows. */
const byKey = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;

/** The main thread writes and sums up what the server returns: other requests wait for one or two milliseconds of it. */
const sliceSizes = { written: 1000, summedUp: 2000 };

/**
 * Sensors as ingest knows them, and their readings. Two connections write at a time: four gain nothing. Large reads have one of
 * their own, on which slice follows slice, so that small ones never wait for them. `recordsVersion` changes with the sensors.
 */
export function createReadingStore(
  database: Database,
  recordsVersion: () => MaybePromise<number>,
): ReadingStore & { close(): Promise<void> } {
  const small = database.lane(byKey);
  const large = database.lane(byKey);
  const numbers = new EntityNumbers(database, small);
  const writers = [database.lane(byKey), database.lane(byKey)];
  const readings = new IngestQueue<ReadingBatch>(writers.map(createReadingWriter), ({ count }) => count);
  const heartbeats = new IngestQueue<readonly Heartbeat[]>([createHeartbeatWriter(small)], ({ length }) => length);
  const reads = new Reads((request) => readSlice(large, request), sliceSizes);
  const directories = new Map<string, { version: string; directory: Promise<SensorDirectory> }>();

  /** Small pages do not wait for large ones. */
  const readAtOnce = async (request: ReadingTextRequest, client: ReadingClient): Promise<ReadingText> => {
    client.signal?.throwIfAborted();
    return textOf(await readSlice(small, { ...request, most: request.limit }), client);
  };

  return {
    async directory(entityId) {
      const version = `${database.epoch} ${await recordsVersion()}`;
      const kept = directories.get(entityId);
      if (kept?.version === version) return kept.directory;
      const entry = { version, directory: readDirectory(database, small, entityId) };
      directories.set(entityId, entry);
      entry.directory.catch(() => {
        // The next request tries again; this one gets the error itself.
        if (directories.get(entityId) === entry) directories.delete(entityId);
      });
      return entry.directory;
    },
    append: (batch) => readings.write(batch),
    appendHeartbeats: (batch) => heartbeats.write(batch),
    range: async (range) => toReadings(await readColumns(large, boundedRange(range))),
    text: (request, client) => (isSmall(request) ? readAtOnce(request, client) : reads.read(request, client)),
    drop: (request) => drop(database, numbers, request),
    retention: (entityId) => readRetention(small, numbers, entityId),
    countDroppable: (entityId, untilUs) => countDroppable(large, numbers, entityId, untilUs),
    countRange: (range) => countRange(large, range),
    erase: (range) => erase(large, range),
    states: (series) => readStates(small, series),
    async close() {
      reads.close();
      await Promise.all([readings.drained(), heartbeats.drained()]);
    },
  };
}
