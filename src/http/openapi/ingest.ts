import { type IngestOperation, ingestOperations } from '../ingest/operations.ts';
import type { Schema } from './field-schemas.ts';
import { operation } from './operation.ts';

/** How gateways send readings and heartbeats. */
export function ingestPaths(): Schema {
  return Object.fromEntries(ingestOperations.map((declared) => [declared.path, { post: toOperation(declared) }]));
}

function toOperation({ id, summary, description, permissions, schema, examples }: IngestOperation): Schema {
  const schemas: Record<string, Schema> = {
    'application/json': { $ref: `#/components/schemas/${schema}` },
    'application/x-ndjson': { type: 'string' },
    'application/senml+json': { $ref: '#/components/schemas/SenmlPack' },
  };
  const bodies = Object.entries(examples).map(([type, example]) => [type, { schema: schemas[type], example }]);
  return operation({
    id,
    tag: 'Sensor gateway',
    kind: 'ingest',
    summary,
    description,
    permissions,
    requestBody: { required: true, content: Object.fromEntries(bodies) },
    content: ingestResult,
  });
}

const ingestResult = {
  'application/json': {
    schema: { $ref: '#/components/schemas/IngestResult' },
    example: {
      accepted: 998,
      duplicates: 1,
      rejected: [{ index: 7, code: 'unknown_sensor', detail: 'No sensor of this entity has the code or id "OVEN-9".' }],
    },
  },
};
