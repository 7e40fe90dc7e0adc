import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { Memory } from '../fairness/memory.ts';
import type { IngestCounts } from '../ingest/ingest.ts';
import type { Connections } from '../net/connections.ts';

/** Upper bounds of the classes of duration, in seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** What is counted on the way of every request: plain numbers, made into metrics only when somebody reads them. */
export class Metrics {
  readonly ingest: IngestCounts = { accepted: 0, duplicates: 0, rejected: 0, heartbeats: 0 };
  readonly #routes = new Map<string, RouteCounts>();
  readonly #codes = new Map<string, number>();
  readonly #registry = new Registry();
  #hasDefaults = false;

  constructor(
    limiters: Readonly<Record<string, { size(): number } | undefined>>,
    { answers, bodies }: Memory,
    connections: Connections | undefined,
  ) {
    this.#add('hkctl_http_requests_total', 'Requests by route and status.', 'counter', () => this.#requests());
    this.#add('hkctl_http_request_duration_seconds', 'Time until the answer was handed over.', 'histogram', () =>
      this.#durations(),
    );
    this.#add('hkctl_refusals_total', 'Refused requests by code.', 'counter', () =>
      [...this.#codes].map(([code, value]) => ({ labels: { code }, value })),
    );
    this.#add('hkctl_ingest_readings_total', 'Readings and heartbeats by verdict.', 'counter', () =>
      Object.entries(this.ingest).map(([result, value]) => ({ labels: { result }, value })),
    );
    this.#add('hkctl_limited_clients', 'Clients that the limits hold in memory.', 'gauge', () =>
      Object.entries(limiters).map(([limit, limiter]) => ({ labels: { limit }, value: limiter?.size() ?? 0 })),
    );
    this.#add('hkctl_held_bytes', 'Bytes that bodies and large answers hold in memory.', 'gauge', () => [
      { labels: { what: 'answers' }, value: answers.held },
      { labels: { what: 'bodies' }, value: bodies.held },
    ]);
    this.#add('hkctl_connections', 'Open connections.', 'gauge', () => [
      { labels: {}, value: connections?.table.size ?? 0 },
    ]);
    this.#add('hkctl_connections_dropped_total', 'Connections that the daemon closed by itself.', 'counter', () =>
      Object.entries(connections?.drops.counts ?? {}).map(([reason, value]) => ({ labels: { reason }, value })),
    );
  }

  /** What is counted of a route, named by its template and never by a path as it was asked for. */
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

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    if (!this.#hasDefaults) this.#addDefaults();
    return this.#registry.metrics();
  }

  /** What is known of every process of Node. Measuring its event loop wakes it 100 times a second: only for who asks. */
  #addDefaults(): void {
    this.#hasDefaults = true;
    collectDefaultMetrics({ register: this.#registry });
    // Their names end in _total and they are gauges, which promtool refuses.
    for (const name of ['nodejs_active_handles', 'nodejs_active_requests', 'nodejs_active_resources']) {
      this.#registry.removeSingleMetric(`${name}_total`);
    }
  }

  #requests(): Sample[] {
    return [...this.#routes].flatMap(([route, { statuses }]) =>
      [...statuses].map(([status, value]) => ({ labels: { route, status: String(status) }, value })),
    );
  }

  #durations(): Sample[] {
    const name = 'hkctl_http_request_duration_seconds';
    return [...this.#routes].flatMap(([route, { classes, sum, count }]) => {
      if (count === 0) return [];
      let below = 0;
      const buckets = [...bounds, '+Inf'].map((le, index) => {
        below += classes[index] ?? 0;
        return { labels: { route, le: String(le) }, value: below, metricName: `${name}_bucket` };
      });
      const rest = [
        { labels: { route }, value: sum, metricName: `${name}_sum` },
        { labels: { route }, value: count, metricName: `${name}_count` },
      ];
      return [...buckets, ...rest];
    });
  }

  #add(name: string, help: string, type: 'counter' | 'gauge' | 'histogram', values: () => Sample[]): void {
    const metric = {
      name,
      help,
      get: async () => ({ name, help, type, values: values(), aggregator: 'sum' }),
      reset() {},
    };
    // The library's own classes count one by one; it reads any object of this shape.
    this.#registry.registerMetric(metric as unknown as Metric);
  }
}

interface Sample {
  labels: Record<string, string>;
  value: number;
  metricName?: string;
}

export class RouteCounts {
  readonly statuses = new Map<number, number>();
  readonly classes = new Uint32Array(bounds.length + 1);
  sum = 0;
  count = 0;

  /** Counts an answer. */
  note(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    let index = 0;
    while (index < bounds.length && seconds > (bounds[index] ?? 0)) index++;
    this.classes[index] = (this.classes[index] ?? 0) + 1;
    this.sum += seconds;
    this.count++;
  }
}
