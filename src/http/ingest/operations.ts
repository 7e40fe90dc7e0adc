const permissions = ['asset_sensors.ingest'] as const;
const reading = { sensor: 'OVEN-3-T1', at: '2026-11-20T08:15:00.123456Z', value: 182.4 };
const heartbeat = {
  sensor: 'OVEN-3-T1',
  status: 'ok',
  battery: 87,
  signal: -61,
  firmware: '2.4.1',
};

/**
 * Every ingest operation, in the order of hkctl-api(7). Routes, `GET /resources` (name, title) and the OpenAPI
 * document (id, texts, schema) are made from it; the examples name the media types that are supported.
 */
export const ingestOperations = [
  {
    kind: 'readings',
    path: '/api/v1/sensors/readings',
    permissions,
    name: 'sensor-readings',
    title: 'Ingest of sensor readings',
    id: 'postReadings',
    reading:
      'To read: GET /api/v1/sensors/{id}/readings for one sensor, GET /api/v1/readings?sensor=A,B for several.',
    summary: 'Send readings',
    description:
      'Each reading is validated by itself. The answer comes once the accepted ones are committed and synced to disk; ' +
      'sending a batch again is safe if its readings have instants. Those without one, in SenML and line protocol, take the ' +
      'time of receipt and are stored again. A line of NDJSON that is no JSON is rejected as `bad_json`. In line protocol the tag ' +
      '`sensor` names the sensor, the field `value` is the value and the text field `quality` perhaps its quality; others are ' +
      'ignored. An instant before 1990 is rejected: the clock is not set, or the digits are no epoch milliseconds. At most 10,000 readings or 8 MiB; `Content-Encoding: gzip` is supported. Readings from ' +
      'before the time for which the organization keeps them are rejected as `past_retention`.',
    schema: 'NewReadings',
    examples: {
      'application/json': { readings: [reading] },
      'application/x-ndjson': `${JSON.stringify(reading)}\n`,
      'application/vnd.influx.line-protocol':
        'oven,sensor=OVEN-3-T1 value=182.4 1795162500123456000\n',
      'application/senml+json': [{ bn: 'OVEN-3-', bt: 1795162500, n: 'T1', u: 'Cel', v: 182.4 }],
    },
  },
  {
    kind: 'heartbeats',
    path: '/api/v1/sensors/heartbeats',
    permissions,
    name: 'sensor-heartbeats',
    title: 'Ingest of sensor heartbeats',
    id: 'postHeartbeats',
    reading: 'To read: GET /api/v1/sensors has the last heartbeat of each sensor.',
    summary: 'Send heartbeats',
    description:
      'Reports that sensors are alive, and their state; answered in the same way as readings.',
    schema: 'NewHeartbeats',
    examples: {
      'application/json': { heartbeats: [heartbeat] },
      'application/x-ndjson': `${JSON.stringify(heartbeat)}\n`,
    },
  },
  {
    kind: 'readings',
    path: '/api/v1/influx/api/v2/write',
    permissions,
    name: 'influx-write',
    title: 'Ingest by clients of InfluxDB',
    id: 'writeLineProtocol',
    reading: 'To read: GET /api/v1/readings?sensor=A,B.',
    summary: 'Send readings with a client of InfluxDB 2 or 3',
    description:
      'Takes line protocol, whatever the Content-Type says, from a client whose address is `…/api/v1/influx` and that sends ' +
      '`Authorization: Bearer`; `org` and `bucket` are ignored. If lines are rejected, the others are stored all the same: such ' +
      'a client drops the batch then, and would send it for ever otherwise.',
    schema: undefined,
    examples: { 'text/plain': 'oven,sensor=OVEN-3-T1 value=182.4 1795162500123456000\n' },
  },
] as const;

export type IngestOperation = (typeof ingestOperations)[number];
