import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { Domain } from '../../core/domain/domain.ts';
import { isHkctlError } from '../../core/errors.ts';
import { recentExpiries } from '../../core/keys/lapsed.ts';
import type { CertificateValidity } from '../../core/port/daemons.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { KeyExpiry, StoreFacts } from '../../core/port/metrics.ts';
import type { Answer } from '../answers/answer.ts';
import type { Memory } from '../request/memory.ts';
import type { Log } from './log.ts';

export interface IngestCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
  heartbeats: number;
  rejections: Map<string, number>;
}

/** Upper bounds of the buckets of the duration histogram, in seconds. */
const bucketBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
] as const;

/**
 * The metrics of a daemon. Requests only add to plain numbers; the library collects them when a client reads `/metrics`.
 */
export class Metrics {
  readonly ingest: IngestCounts = {
    accepted: 0,
    duplicates: 0,
    rejected: 0,
    heartbeats: 0,
    rejections: new Map(),
  };
  readonly #routes = new Map<string, RouteCounts>();
  readonly #codes = new Map<string, number>();
  readonly #registry = new Registry();
  #hasDefaults = false;

  constructor(
    limiters: Readonly<Record<string, { size(): number } | undefined>>,
    { answers, bodies }: Memory,
    {
      table,
      drops,
    }: {
      table: { readonly size: number };
      drops: { readonly counts: Readonly<Record<string, number>> };
    },
  ) {
    this.#addRequestMetrics();
    this.#addIngestMetrics();

    this.add('gauge', 'hkctl_limited_clients', 'Clients that the limits hold in memory.', () =>
      Object.entries(limiters).map(([limit, limiter]) => ({
        labels: { limit: toSnakeCase(limit) },
        value: limiter?.size() ?? 0,
      })),
    );
    this.add(
      'gauge',
      'hkctl_held_bytes',
      'Bytes that bodies and large answers hold in memory.',
      () => samplesOf('what', Object.entries({ answers: answers.held, bodies: bodies.held })),
    );

    this.add('gauge', 'hkctl_connections', 'Open connections.', () => [{ value: table.size }]);
    this.add(
      'counter',
      'hkctl_connections_dropped_total',
      'Connections that the daemon closed by itself.',
      () => samplesOf('reason', Object.entries(drops.counts)),
    );
  }

  #addRequestMetrics(): void {
    this.add('counter', 'hkctl_http_requests_total', 'Requests by route and status.', () =>
      [...this.#routes].flatMap(([route, { statuses }]) =>
        [...statuses].map(([status, value]) => ({
          labels: { route, status: String(status) },
          value,
        })),
      ),
    );

    const durationMetric = 'hkctl_http_request_duration_seconds';
    this.add('histogram', durationMetric, 'Time until the answer was sent.', () =>
      [...this.#routes].flatMap(([route, counts]) => durationsOf(durationMetric, route, counts)),
    );

    this.add('counter', 'hkctl_refusals_total', 'Refused requests by code.', () =>
      samplesOf('code', this.#codes),
    );
  }

  #addIngestMetrics(): void {
    const { ingest } = this;
    this.add('counter', 'hkctl_ingest_readings_total', 'Readings and heartbeats by result.', () => {
      const { rejections: _, ...results } = ingest;
      return samplesOf('result', Object.entries(results));
    });
    this.add(
      'counter',
      'hkctl_ingest_rejections_total',
      'Rejected readings and heartbeats by code.',
      () => samplesOf('code', ingest.rejections),
    );
  }

  /**
   * Adds a metric whose samples are taken when a client reads the metrics. The library's own metrics cannot take over counts
   * from elsewhere; its registry reads any object of this shape.
   */
  add(
    type: MetricType,
    name: string,
    helpText: string,
    takeSamples: () => MaybePromise<Sample[]>,
  ): void {
    const collect = async () => ({
      name,
      help: helpText,
      type,
      values: await takeSamples(),
      aggregator: 'sum',
    });
    this.#registry.registerMetric({ name, get: collect } as unknown as Metric); // the registry asks for nothing else
  }

  /** The counts of a route, named by its template and never by the path of a request. */
  route(template: string): RouteCounts {
    let counts = this.#routes.get(template);
    if (counts === undefined) {
      counts = new RouteCounts();
      this.#routes.set(template, counts);
    }
    return counts;
  }

  countRefusal(code: string): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
  }

  /** All metrics in the format of Prometheus. */
  async answer(): Promise<Answer> {
    if (!this.#hasDefaults) this.#addDefaults();
    const headers = ['Content-Type', this.#registry.contentType, 'Cache-Control', 'no-store'];
    return { status: 200, headers, body: await this.#registry.metrics() };
  }

  /** Adds the metrics of every Node process, at the first read: measuring the event loop wakes it 100 times a second. */
  #addDefaults(): void {
    this.#hasDefaults = true;
    collectDefaultMetrics({ register: this.#registry });
    // Gauges whose names end in _total are rejected by promtool.
    for (const name of [
      'nodejs_active_handles',
      'nodejs_active_requests',
      'nodejs_active_resources',
    ]) {
      this.#registry.removeSingleMetric(`${name}_total`);
    }
  }
}

type MetricType = 'counter' | 'gauge' | 'histogram';

interface Sample {
  labels?: Record<string, string>;
  value: number;
  metricName?: string;
}

function toSnakeCase(camelCase: string): string {
  return camelCase.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function samplesOf(labelName: string, counts: Iterable<[string, number]>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [labelName]: name }, value }));
}

function durationsOf(
  metricName: string,
  route: string,
  { buckets, sum, count }: RouteCounts,
): Sample[] {
  if (count === 0) return [];
  let cumulativeCount = 0;
  const cumulative = [...bucketBounds, '+Inf'].map((le, index) => {
    cumulativeCount += buckets[index] ?? 0;
    return {
      labels: { route, le: String(le) },
      value: cumulativeCount,
      metricName: `${metricName}_bucket`,
    };
  });
  return [
    ...cumulative,
    { labels: { route }, value: sum, metricName: `${metricName}_sum` },
    { labels: { route }, value: count, metricName: `${metricName}_count` },
  ];
}

export class RouteCounts {
  readonly statuses = new Map<number, number>();
  readonly buckets = new Uint32Array(bucketBounds.length + 1);
  sum = 0;
  count = 0;

  observe(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    let index = 0;
    while (index < bucketBounds.length && seconds > (bucketBounds[index] ?? 0)) index++;
    this.buckets[index] = (this.buckets[index] ?? 0) + 1;
    this.sum += seconds;
    this.count++;
  }
}

// --- metrics of the store

type Facts = StoreFacts & { recentExpiries: readonly KeyExpiry[] };

/** Facts are read at most once in this time, however many clients read the metrics. */
const maxAgeMs = 30_000;

/** Adds the metrics of a daemon's build and of its store; the latter only if the engine has facts for monitoring. */
export function addStoreMetrics(metrics: Metrics, domain: Domain, log: Log, version: string): void {
  const labels = { version, node: process.versions.node };
  metrics.add('gauge', 'hkctl_build_info', 'Version of hkctl and of Node.js.', () => [
    { labels, value: 1 },
  ]);
  if (domain.store.metrics === undefined) return;

  const currentFacts = createFactsCache(domain, log);
  const add = (name: string, helpText: string, toSamples: (facts: Facts) => Sample[]) =>
    metrics.add('gauge', name, helpText, async () => {
      const storeFacts = await currentFacts();
      return storeFacts ? toSamples(storeFacts) : [];
    });
  add('hkctl_keys', 'Keys by status.', ({ keys }) => samplesOf('status', Object.entries(keys)));
  add(
    'hkctl_key_expiry_timestamp_seconds',
    'When a key expires or has expired: the ten that expire next, and all of the last 30 days that no key replaces.',
    ({ nextExpiries, recentExpiries }) =>
      [...recentExpiries, ...nextExpiries].map(({ prefix, entity, atMs }) => ({
        labels: { prefix, entity },
        value: atMs / 1000,
      })),
  );
  add(
    'hkctl_last_backup_timestamp_seconds',
    'When the last backup was written; 0 for never.',
    ({ lastBackupMs }) => [{ value: (lastBackupMs ?? 0) / 1000 }],
  );
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

/** Adds the number of keys that this daemon has warned of before their expiry. */
export function addExpiryWarnings(metrics: Metrics, warnings: ReadonlyMap<string, number>): void {
  metrics.add(
    'counter',
    'hkctl_key_expiry_warnings_total',
    'Warnings of keys that expire, by the days that were left.',
    () => samplesOf('days', warnings),
  );
}

export function addCertificateValidity(
  metrics: Metrics,
  validity: () => CertificateValidity | undefined,
): void {
  const add = (name: string, helpText: string, bound: keyof CertificateValidity) =>
    metrics.add('gauge', name, helpText, () => {
      const { [bound]: boundMs } = validity() ?? {};
      return boundMs === undefined ? [] : [{ value: boundMs / 1000 }];
    });
  const expiry = 'hkctl_certificate_expiry_timestamp_seconds';
  add(expiry, 'When the certificate of the daemon expires.', 'untilMs');
  const start = 'hkctl_certificate_start_timestamp_seconds';
  add(start, 'From when on the certificate of the daemon is valid.', 'fromMs');
}

function namesWith(
  databases: StoreFacts['databases'],
  sizeField: 'bytes' | 'logBytes',
): [string, number][] {
  return databases.flatMap(({ name, [sizeField]: sizeBytes }) =>
    sizeBytes === undefined ? [] : [[name, sizeBytes]],
  );
}

/** Builds the reader of facts that are at most {@link maxAgeMs} old; while the store cannot be read, it returns the last ones. */
function createFactsCache(domain: Domain, log: Log): () => Promise<Facts | undefined> {
  let latestFacts: Promise<Facts | undefined> = Promise.resolve(undefined);
  let readAtMs = Number.NEGATIVE_INFINITY;
  const readFacts = async (previousFacts: typeof latestFacts) => {
    try {
      const storeFacts = await domain.store.metrics?.read(domain.clock());
      return storeFacts && { ...storeFacts, recentExpiries: await recentExpiries(domain) };
    } catch (thrown) {
      if (!isHkctlError(thrown)) throw thrown;
      log.warn({ err: thrown }, 'the store was not read for the metrics; they are older ones');
      return previousFacts;
    }
  };
  return () => {
    if (performance.now() - readAtMs >= maxAgeMs) {
      readAtMs = performance.now();
      latestFacts = readFacts(latestFacts);
    }
    return latestFacts;
  };
}
