import { permissionGroups } from '../../core/access/permissions.ts';
import type { ResourceDefinition } from '../../core/records/fields.ts';
import type { Schema } from './field-schemas.ts';
import { keyPaths, publicPaths } from './fixed.ts';
import { ingestPaths } from './ingest.ts';
import { idParameter } from './parameters.ts';
import { resourcePaths } from './resources.ts';
import { answerHeaders, problemResponses } from './responses.ts';
import { schemas } from './schemas.ts';

/** The OpenAPI 3.1 document of this version, made from the declarations; also what `hkctl openapi` prints. */
export function openapiDocument(
  resources: readonly ResourceDefinition[],
  { version, baseUrl }: { version: string; baseUrl?: string | undefined },
): Schema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'hkctl client API',
      version,
      summary: 'Read one site of a plant, and send in the readings of its sensors.',
      description: about,
      contact: { name: 'The operator of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl ?? '/', description: 'This deployment' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Documents', description: 'What this is; open to everybody.' },
      { name: 'Key', description: 'What the key is for, and what it opens.' },
      ...permissionGroups.map(({ name, permissions }) => ({
        name,
        description: `Opened by ${permissions.map(({ key }) => `\`${key}\``).join(', ')}.`,
      })),
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
            'An API key: `hk_` and 49 letters and digits. It belongs in this header only, never in a URL or a body. ' +
            'The names beside it on an operation are permissions, any one of which opens it.',
        },
      },
      parameters: { Id: idParameter },
      headers: answerHeaders,
      responses: problemResponses(),
      schemas: schemas(resources),
    },
  };
}

const about = `Approved systems read the records of exactly one entity (site) with an API key, and sensor gateways post readings.

- **Time**: instants are RFC 3339 in UTC; dates are the literal \`YYYY-MM-DD\` that was stored and belong to the plant.
- **Pages**: follow \`next_cursor\` (or the \`Link\` header) until it is null, repeating all other parameters. A page may hold fewer records than
  \`limit\`, even none, before the last: where values of several filters hardly meet, it ends once 10,000 records were looked through.
- **Caching**: send \`If-None-Match\` with the \`ETag\` of an answer; 304 means nothing changed. \`HEAD\` works wherever \`GET\` does.
- **Paths**: a slash at the end of one counts for nothing.
- **Errors**: \`application/problem+json\`; any method that a path does not take is 405 with \`Allow\` (\`method_not_allowed\`).
- **Versions**: within v1, paths, parameters, fields and codes may be added and are never removed or given another meaning;
  programs ignore what they do not know.`;
