import type { Domain } from '../../core/domain/domain.ts';
import { isHkctlError } from '../../core/errors.ts';
import type { StoreFacts } from '../../core/port/metrics.ts';
import type { Log } from './log.ts';
import type { Metrics, Sample } from './metrics.ts';

/** Facts are read at most once in this time, however many clients read the metrics. */
const maxAgeMs = 30_000;

/** Adds the metrics of a daemon's build and of its store. An engine without facts for monitoring has only the first. */
export function addStoreMetrics(metrics: Metrics, domain: Domain, log: Log, version: string): void {
  metrics.addGauge('hkctl_build_info', 'Version of hkctl and of Node.js.', ['version', 'node'], () => [
    { labels: { version, node: process.versions.node }, value: 1 },
  ]);
  if (domain.store.metrics === undefined) return;
  const facts = createFactsCache(domain, log);
  const add = (name: string, help: string, labels: readonly string[], samples: (facts: StoreFacts) => Sample[]) =>
    metrics.addGauge(name, help, labels, async () => {
      const known = await facts();
      return known === undefined ? [] : samples(known);
    });
  add('hkctl_keys', 'Keys by status; at most 100,000 are counted.', ['status'], ({ keys }) =>
    Object.entries(keys).map(([status, value]) => ({ labels: { status }, value })),
  );
  add(
    'hkctl_key_expiry_timestamp_seconds',
    'When an active key expires; the ten keys that expire next.',
    ['prefix', 'entity'],
    ({ nextExpiries }) =>
      nextExpiries.map(({ prefix, entity, atMs }) => ({ labels: { prefix, entity }, value: atMs / 1000 })),
  );
  add('hkctl_last_backup_timestamp_seconds', 'When the last backup was written; 0 for never.', [], (known) => [
    { labels: {}, value: (known.lastBackupMs ?? 0) / 1000 },
  ]);
  add('hkctl_store_bytes', 'Size of a database of the store.', ['database'], ({ databases }) =>
    databases.map(({ name, bytes }) => ({ labels: { database: name }, value: bytes })),
  );
  add('hkctl_store_log_bytes', 'Size of the write-ahead log of a database.', ['database'], ({ databases }) =>
    databases.flatMap(({ name, logBytes }) =>
      logBytes === undefined ? [] : [{ labels: { database: name }, value: logBytes }],
    ),
  );
  add('hkctl_store_free_bytes', 'Free space of the file system of the store.', [], ({ freeBytes }) =>
    freeBytes === undefined ? [] : [{ labels: {}, value: freeBytes }],
  );
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
