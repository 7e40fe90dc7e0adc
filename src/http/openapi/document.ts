import { permissionGroups } from '../../core/access/permissions.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { type IngestOperation, ingestOperations } from '../ingest/operations.ts';
import type { Schema } from './field-schemas.ts';
import { keyPaths, publicPaths } from './fixed-paths.ts';
import { operation } from './operation.ts';
import { idParameter } from './parameters.ts';
import { resourcePaths } from './resources.ts';
import { answerHeaders, problemResponses } from './responses.ts';
import { schemas } from './schemas.ts';

function ingestPaths(): Schema {
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

/** Builds the OpenAPI 3.1 document from the declarations; `hkctl openapi` prints it. */
export function openapiDocument(
  resources: readonly ResourceDefinition[],
  { version, baseUrl }: { version: string; baseUrl?: string | undefined },
): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'hkctl client API',
      version,
      summary: 'Read the records of one site of a plant, and send the readings of its sensors.',
      description: about,
      contact: { name: 'The operator of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl ?? '/', description: 'This deployment' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Key', description: 'The entity, the permissions and the paths of the key.' },
      ...permissionGroups.map(({ name, permissions }) => ({
        name,
        description: `Opened by ${permissions.map(({ key }) => `\`${key}\``).join(', ')}.`,
      })),
      { name: 'Documents', description: 'The documentation of this API; open to everybody.' },
    ],
    paths: {
      ...publicPaths,
      ...keyPaths,
      ...Object.assign({}, ...resources.map(resourcePaths)),
      ...ingestPaths(),
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'hk_…',
          description:
            'An API key: `hk_` and 49 letters and digits. Send it in this header only, never in a URL or a body. ' +
            'The other names on an operation are permissions; any one of them is enough.',
        },
      },
      parameters: { Id: idParameter },
      headers: answerHeaders,
      responses: problemResponses(),
      schemas: schemas(resources),
    },
  };
}

const about = `Approved systems read the records of exactly one entity (site) with an API key, and sensor gateways send readings.

- **Time**: instants are RFC 3339 in UTC; dates are the stored \`YYYY-MM-DD\` in the plant's local calendar.
- **Pages**: follow \`next_cursor\` (or the \`Link\` header) until it is null, repeating all other parameters. A page may hold fewer records than
  \`limit\`, even none, before the last: if few records match several filters, it ends after 10,000 records were scanned.
- **Mirrors**: the last page of a list without filters has a \`sync_token\`; send it to the same path to get what has changed since.
  hkctl-api(7) has a complete client in Python and in JavaScript.
- **Caching**: send \`If-None-Match\` with the \`ETag\` of an answer; 304 means that nothing changed. \`HEAD\` works wherever \`GET\` does.
- **Paths**: a slash at the end of a path is ignored.
- **Errors**: \`application/problem+json\`; a method that a path does not support is 405 with \`Allow\` (\`method_not_allowed\`).
- **Versions**: within v1, paths, parameters, fields and codes may be added and are never removed or given another meaning;
  programs ignore unknown ones. \`x-extensible-enum\` lists the values of today.`;
