import { permissionGroups } from '../../core/access/permissions.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { fixedSchemas } from './fixed-schemas.ts';
import { idParameter } from './parameters.ts';
import { paths } from './paths.ts';
import { answerHeaders, sharedResponses } from './responses.ts';
import { recordSchemas, type Schema } from './schemas.ts';

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
      summary: 'Read the records of one entity, and send the readings of its sensors.',
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
    paths: paths(resources),
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
      responses: sharedResponses(),
      schemas: Object.assign({ ...fixedSchemas }, ...resources.map(recordSchemas)),
    },
  };
}

const about = `Approved systems read the records of exactly one entity (site) with an API key, and sensor gateways send readings.

- **Time**: instants are RFC 3339 in UTC; dates are the stored \`YYYY-MM-DD\` in the plant's local calendar.
- **Pages**: follow \`next_cursor\` (or the \`Link\` header) until it is null, repeating all other parameters. A page may hold fewer records than
  \`limit\`, even none, before the last: if few records match several filters, it ends after 10,000 records were scanned.
- **Mirrors**: the last page of a list without filters has a \`sync_token\`; send it to the same path to get what has changed since.
  hkctl-api(7) has a complete client in Python and in JavaScript.
- **Caching**: send \`If-None-Match\` with the \`ETag\` of an answer; 304 means that nothing changed.
  \`If-Match\` with another tag is 412. \`HEAD\` works wherever \`GET\` does.
- **Paths**: a slash at the end of a path is ignored.
- **Errors**: \`application/problem+json\`; a method that a path does not support is 405 with \`Allow\` (\`method_not_allowed\`).
- **Versions**: within v1, paths, parameters, fields and codes may be added and are never removed or given another meaning;
  programs ignore unknown ones. \`x-extensible-enum\` lists the values of today.`;
