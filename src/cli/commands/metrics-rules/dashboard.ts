interface Panel {
  title: string;
  unit: string;
  type?: 'timeseries' | 'stat' | 'table';
  queries: readonly (readonly [expression: string, legend: string])[];
}

const selector = 'job=~"$job", instance=~"$instance"';

const panels: readonly Panel[] = [
  {
    title: 'Keys by status',
    unit: 'short',
    type: 'stat',
    queries: [[`sum by (status) (hkctl_keys{${selector}})`, '{{status}}']],
  },
  {
    title: 'Next expiry in',
    unit: 's',
    type: 'stat',
    queries: [[`sort(hkctl_key_expiry_timestamp_seconds{${selector}} - time())`, '{{prefix}} {{entity}}']],
  },
  {
    title: 'Age of the last backup',
    unit: 's',
    type: 'stat',
    queries: [[`time() - hkctl_last_backup_timestamp_seconds{${selector}}`, '{{instance}}']],
  },
  {
    title: 'Version',
    unit: 'short',
    type: 'table',
    queries: [[`hkctl_build_info{${selector}}`, '{{version}}']],
  },
  {
    title: 'Requests a second by status',
    unit: 'reqps',
    queries: [[`sum by (status) (rate(hkctl_http_requests_total{${selector}}[$__rate_interval]))`, '{{status}}']],
  },
  {
    title: 'Time to an answer, 99 % by route',
    unit: 's',
    queries: [
      [
        `histogram_quantile(0.99, sum by (le, route) (rate(hkctl_http_request_duration_seconds_bucket{${selector}}[$__rate_interval])))`,
        '{{route}}',
      ],
    ],
  },
  {
    title: 'Readings a second by result',
    unit: 'short',
    queries: [[`sum by (result) (rate(hkctl_ingest_readings_total{${selector}}[$__rate_interval]))`, '{{result}}']],
  },
  {
    title: 'Refusals a second by code',
    unit: 'short',
    queries: [[`sum by (code) (rate(hkctl_refusals_total{${selector}}[$__rate_interval]))`, '{{code}}']],
  },
  {
    title: 'Connections',
    unit: 'short',
    queries: [
      [`hkctl_connections{${selector}}`, 'open'],
      [
        `sum by (reason) (increase(hkctl_connections_dropped_total{${selector}}[$__rate_interval]))`,
        'closed: {{reason}}',
      ],
    ],
  },
  {
    title: 'Store',
    unit: 'bytes',
    queries: [
      [`hkctl_store_bytes{${selector}}`, '{{database}}'],
      [`hkctl_store_log_bytes{${selector}}`, '{{database}} (log)'],
      [`hkctl_store_free_bytes{${selector}}`, 'free'],
    ],
  },
  {
    title: 'Memory',
    unit: 'bytes',
    queries: [
      [`process_resident_memory_bytes{${selector}}`, 'process'],
      [`hkctl_held_bytes{${selector}}`, '{{what}}'],
    ],
  },
  {
    title: 'Event loop, 99 % lag',
    unit: 's',
    queries: [[`nodejs_eventloop_lag_p99_seconds{${selector}}`, '{{instance}}']],
  },
];

const datasource = { type: 'prometheus', uid: `\${datasource}` };
const [width, height, columns] = [12, 8, 2];

/** A dashboard for Grafana; it asks for the data source when it is imported. */
export function dashboard(job: string): object {
  return {
    uid: 'hkctl',
    title: 'hkctl',
    tags: ['hkctl'],
    schemaVersion: 38,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        variable('job', 'label_values(hkctl_build_info, job)', job),
        variable('instance', 'label_values(hkctl_build_info{job=~"$job"}, instance)', 'All'),
      ],
    },
    panels: panels.map(toPanel),
  };
}

function variable(name: string, query: string, current: string): object {
  return {
    name,
    type: 'query',
    datasource,
    query: { query, refId: name },
    refresh: 2,
    includeAll: true,
    multi: true,
    current: current === 'All' ? { text: 'All', value: '$__all' } : { text: current, value: current },
  };
}

function toPanel({ title, unit, type = 'timeseries', queries }: Panel, index: number): object {
  return {
    id: index + 1,
    title,
    type,
    datasource,
    gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource,
      expr,
      legendFormat,
      ...(type !== 'timeseries' && { instant: true }),
      ...(type === 'table' && { format: 'table' }),
    })),
  };
}
