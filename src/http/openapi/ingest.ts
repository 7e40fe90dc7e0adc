import { operation } from './operation.ts';
import { instant } from './schemas.ts';

const result = {
  'application/json': {
    schema: { $ref: '#/components/schemas/IngestVerdict' },
    example: {
      accepted: 998,
      duplicates: 1,
      rejected: [{ index: 7, code: 'unknown_sensor', detail: 'No sensor of this entity has the code or id "OVEN-9".' }],
    },
  },
};

const newReading = { sensor: 'OVEN-3-T1', at: instant, value: 182.4 };
const newHeartbeat = { sensor: 'OVEN-3-T1', status: 'ok', battery: 87, signal: -61, firmware: '2.4.1' };

/** How gateways send readings and heartbeats. */
export const ingestPaths = {
  '/api/v1/sensors/readings': {
    post: operation({
      id: 'postReadings',
      tag: 'Sensor gateway',
      kind: 'ingest',
      summary: 'Send readings',
      description:
        'Each reading is judged by itself. Answered once the accepted ones are committed and synced to disk; sending a batch ' +
        'again is safe. At most 10,000 readings or 8 MiB; `Content-Encoding: gzip` is taken.',
      permissions: ['asset_sensors.ingest'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/NewReadings' },
            example: { readings: [newReading] },
          },
          'application/x-ndjson': { schema: { type: 'string' }, example: `${JSON.stringify(newReading)}\n` },
          'application/senml+json': {
            schema: { $ref: '#/components/schemas/SenmlPack' },
            example: [{ bn: 'OVEN-3-', bt: 1795508100, n: 'T1', u: 'Cel', v: 182.4 }],
          },
        },
      },
      content: result,
    }),
  },
  '/api/v1/sensors/heartbeats': {
    post: operation({
      id: 'postHeartbeats',
      tag: 'Sensor gateway',
      kind: 'ingest',
      summary: 'Send heartbeats',
      description: 'Tells that sensors live, and how they are; answered as readings are.',
      permissions: ['asset_sensors.ingest'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/NewHeartbeats' },
            example: { heartbeats: [newHeartbeat] },
          },
          'application/x-ndjson': { schema: { type: 'string' }, example: `${JSON.stringify(newHeartbeat)}\n` },
        },
      },
      content: result,
    }),
  },
};
