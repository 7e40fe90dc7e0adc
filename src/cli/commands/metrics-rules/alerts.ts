/** An alert for Prometheus. */
interface Alert {
  name: string;
  expression: string;
  /** How long it must hold. */
  lasts: string;
  severity: 'warning' | 'critical';
  summary: string;
  /** What to do. */
  action: string;
}

const day = 86_400;

/** The codes of refusals that an attack or a forgotten client causes. */
const badKeys = 'unknown_key|incomplete_secret|malformed_authorization|key_revoked|key_expired';
/** The reasons for which connections are closed because there are too many. */
const tooMany = 'unauthenticated|idle|unfinished_body|key_share|refused';

function alertsFor(job: string): Alert[] {
  return [
    {
      name: 'HkctlDown',
      expression: `up{job="${job}"} == 0`,
      lasts: '2m',
      severity: 'critical',
      summary: 'hkctl does not answer on {{ $labels.instance }}',
      action: 'See: journalctl -u hkctl -p warning',
    },
    {
      name: 'HkctlKeyExpires',
      expression: `hkctl_key_expiry_timestamp_seconds - time() < ${14 * day}`,
      lasts: '10m',
      severity: 'warning',
      summary: 'Key {{ $labels.prefix }} of {{ $labels.entity }} expires in {{ $value | humanizeDuration }}',
      action: 'Create another key and give it to the client: hkctl keys show {{ $labels.prefix }}',
    },
    {
      name: 'HkctlKeyExpiresSoon',
      expression: `hkctl_key_expiry_timestamp_seconds - time() < ${2 * day}`,
      lasts: '10m',
      severity: 'critical',
      summary: 'Key {{ $labels.prefix }} of {{ $labels.entity }} expires in {{ $value | humanizeDuration }}',
      action: 'Create another key and give it to the client: hkctl keys show {{ $labels.prefix }}',
    },
    {
      name: 'HkctlBackupMissing',
      expression: `time() - hkctl_last_backup_timestamp_seconds > ${2 * day}`,
      lasts: '1h',
      severity: 'warning',
      summary: 'No backup of the store on {{ $labels.instance }} for two days',
      action: 'See: systemctl status hkctl-backup.timer hkctl-backup.service',
    },
    {
      name: 'HkctlDiskLow',
      expression: `hkctl_store_free_bytes < ${2 ** 30} or predict_linear(hkctl_store_free_bytes[6h], ${day}) < 0`,
      lasts: '15m',
      severity: 'critical',
      summary: 'The disk of the store on {{ $labels.instance }} is full soon',
      action: 'Free some space: on a full disk nothing is ingested, and no key is created or revoked.',
    },
    {
      name: 'HkctlErrors',
      expression:
        'sum by (job, instance) (rate(hkctl_http_requests_total{status=~"5.."}[5m])) > 0.01 * sum by (job, instance) (rate(hkctl_http_requests_total[5m]))',
      lasts: '10m',
      severity: 'critical',
      summary: 'More than 1 % of the requests on {{ $labels.instance }} fail',
      action: 'See: journalctl -u hkctl -p warning',
    },
    {
      name: 'HkctlSlow',
      expression:
        'histogram_quantile(0.99, sum by (job, instance, le) (rate(hkctl_http_request_duration_seconds_bucket[5m]))) > 1',
      lasts: '15m',
      severity: 'warning',
      summary: 'One request in a hundred on {{ $labels.instance }} takes longer than a second',
      action: 'Compare the routes in the dashboard: hkctl metrics-rules --grafana',
    },
    {
      name: 'HkctlBadKeys',
      expression: `sum by (job, instance, code) (rate(hkctl_refusals_total{code=~"${badKeys}"}[15m])) > 0.2`,
      lasts: '15m',
      severity: 'warning',
      summary: 'Requests on {{ $labels.instance }} are refused all the time: {{ $labels.code }}',
      action: 'The log names the addresses: a client with an old key, or somebody who tries.',
    },
    {
      name: 'HkctlReadingsRejected',
      expression:
        'sum by (job, instance) (rate(hkctl_ingest_readings_total{result="rejected"}[15m])) > 0.05 * sum by (job, instance) (rate(hkctl_ingest_readings_total[15m]))',
      lasts: '15m',
      severity: 'warning',
      summary: 'More than 5 % of the readings on {{ $labels.instance }} are rejected',
      action: 'hkctl status names the keys, the reasons and the sensors; the log warns of each key.',
    },
    {
      name: 'HkctlReadingsMissing',
      expression:
        'sum by (job, instance) (rate(hkctl_ingest_readings_total{result="accepted"}[30m])) == 0 and sum by (job, instance) (rate(hkctl_ingest_readings_total{result="accepted"}[30m] offset 1d)) > 0',
      lasts: '30m',
      severity: 'warning',
      summary: 'No readings arrive on {{ $labels.instance }}; at this time yesterday they did',
      action: 'See: hkctl sensors list',
    },
    {
      name: 'HkctlConnectionsDropped',
      expression: `sum by (job, instance) (increase(hkctl_connections_dropped_total{reason=~"${tooMany}"}[10m])) > 10`,
      lasts: '10m',
      severity: 'warning',
      summary: 'Too many connections on {{ $labels.instance }}; some are closed',
      action: 'The log names the reasons, and the address of each request.',
    },
    {
      name: 'HkctlLogGrows',
      expression: `hkctl_store_log_bytes > ${2 ** 30}`,
      lasts: '30m',
      severity: 'warning',
      summary: 'The write-ahead log of {{ $labels.database }} on {{ $labels.instance }} grows',
      action: 'A process holds a snapshot open, such as a long export or an SQLite tool: end it.',
    },
  ];
}

/** A file of alert rules for Prometheus, in YAML. */
export function alertRules(job: string): string {
  const rules = alertsFor(job).map(
    ({ name, expression, lasts, severity, summary, action }) => `      - alert: ${name}
        expr: ${quoted(expression)}
        for: ${lasts}
        labels:
          severity: ${severity}
        annotations:
          summary: ${quoted(summary)}
          description: ${quoted(action)}`,
  );
  return `groups:\n  - name: hkctl\n    rules:\n${rules.join('\n')}`;
}

/** A string of JSON is one of YAML, too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
