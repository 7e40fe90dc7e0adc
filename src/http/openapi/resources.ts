import { type ClientPermission, permissionGroups } from '../../core/access/permissions.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { pageParameters } from '../../core/records/queries.ts';
import { finish } from '../fairness/slices.ts';
import { recordsToCsv } from '../routes/records-csv.ts';
import type { Schema } from './field-schemas.ts';
import { operation } from './operation.ts';
import { queryParameter, sensorParameter } from './parameters.ts';
import { readReadings } from './readings.ts';
import { listExamples, listSchema, recordExample, schemaNames } from './schemas.ts';

export function resourcePaths(resource: ResourceDefinition): Schema {
  const { name, title, singular, summary, permissions } = resource;
  const { single, item } = schemaNames(resource);
  const tag = groupOf(permissions);
  const plural = title.replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());
  const list = operation({
    id: `list${plural}`,
    tag,
    kind: 'list',
    // An abbreviation such as OEE keeps its letters.
    summary: `List ${title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`,
    description: `${summary} Ordered by the first range parameter of the request, else by \`id\`. As CSV with the columns of an import if \`Accept\` asks for it; the next page is then in \`Link\` only.`,
    permissions,
    parameters: pageParameters(resource).map(queryParameter),
    okHeaders: ['ETag', 'Link'],
    content: {
      'application/json': { schema: listSchema(single, item), examples: listExamples(resource) },
      'text/csv': { schema: { type: 'string' }, example: csvExample(resource) },
    },
  });
  const get = operation({
    id: `get${single}`,
    tag,
    kind: 'single',
    summary: `Read one ${singular}`,
    description: `One ${singular} of the key's entity, with all of its fields.`,
    permissions,
    parameters: [name === 'sensors' ? sensorParameter : { $ref: '#/components/parameters/Id' }],
    okHeaders: ['ETag'],
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${single}` },
        example: recordExample(resource, 'single'),
      },
    },
  });
  const paths = { [`/api/v1/${name}`]: { get: list }, [`/api/v1/${name}/{id}`]: { get } };
  return name === 'sensors' ? { ...paths, '/api/v1/sensors/{id}/readings': { get: readReadings(permissions) } } : paths;
}

function csvExample(resource: ResourceDefinition): string {
  return finish(recordsToCsv(resource, { json: JSON.stringify(recordExample(resource, 'item')) })).toString();
}

function groupOf(permissions: readonly ClientPermission[]): string {
  const [first] = permissions;
  return permissionGroups.find((group) => group.permissions.some(({ key }) => key === first))?.name ?? 'Key';
}
