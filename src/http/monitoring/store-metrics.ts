import type { Domain } from '../../core/domain/domain.ts';
import { isHkctlError } from '../../core/errors.ts';
import type { StoreFacts } from '../../core/port/metrics.ts';
import type { Log } from './log.ts';
import { type Metrics, type Sample, samplesOf } from './metrics.ts';

/** Facts are read at most once in this time, however many clients read the metrics. */
const maxAgeMs = 30_000;

/** Adds the metrics of a daemon's build and of its store. An engine without facts for monitoring has only the first. */
export function addStoreMetrics(metrics: Metrics, domain: Domain, log: Log, version: string): void {
  const labels = { version, node: process.versions.node };
  metrics.add('gauge', 'hkctl_build_info', 'Version of hkctl and of Node.js.', () => [{ labels, value: 1 }]);
  if (domain.store.metrics === undefined) return;
  const facts = createFactsCache(domain, log);
  const add = (name: string, help: string, samples: (facts: StoreFacts) => Sample[]) =>
    metrics.add('gauge', name, help, async () => {
      const known = await facts();
      return known ? samples(known) : [];
    });
  add('hkctl_keys', 'Keys by status; at most 100,000 are counted.', ({ keys }) =>
    samplesOf('status', Object.entries(keys)),
  );
  add(
    'hkctl_key_expiry_timestamp_seconds',
    'When an active key expires; the ten keys that expire next.',
    ({ nextExpiries }) =>
      nextExpiries.map(({ prefix, entity, atMs }) => ({ labels: { prefix, entity }, value: atMs / 1000 })),
  );
  add('hkctl_last_backup_timestamp_seconds', 'When the last backup was written; 0 for never.', ({ lastBackupMs }) => [
    { value: (lastBackupMs ?? 0) / 1000 },
  ]);
  add('hkctl_store_bytes', 'Size of a database of the store.', ({ databases }) =>
    samplesOf('database', namesWith(databases, 'bytes')),
  );
  add('hkctl_store_log_bytes', 'Size of the write-ahead log of a database.', ({ databases }) =>
    samplesOf('database', namesWith(databases, 'logBytes')),
  );
  add('hkctl_store_free_bytes', 'Free space of the file system of the store.', ({ freeBytes }) =>
    freeBytes === undefined ? [] : [{ value: freeBytes }],
  );
}

function namesWith(databases: StoreFacts['databases'], size: 'bytes' | 'logBytes'): [string, number][] {
  return databases.flatMap(({ name, [size]: bytes }) => (bytes === undefined ? [] : [[name, bytes]]));
}

/** Facts that are at most {@link maxAgeMs} old; while the store cannot be read, the last ones. */
function createFactsCache({ store, clock }: Domain, log: Log): () => Promise<StoreFacts | undefined> {
  let facts: StoreFacts | undefined;
  let reading: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async () => {
    try {
      facts = await store.metrics?.read(clock());
    } catch (thrown) {
      if (!isHkctlError(thrown)) throw thrown;
      log.warn({ err: thrown }, 'the store was not read for the metrics; they are older ones');
    }
  };
  return async () => {
    if (performance.now() - readAtMs >= maxAgeMs) {
      readAtMs = performance.now();
      reading = read();
    }
    await reading;
    return facts;
  };
}
