import { indexedFields, type ResourceDefinition } from '../../src/core/fields/fields.ts';
import type { RecordPageRequest } from '../../src/core/port/records.ts';
import { createPageReader, pageParameters } from '../../src/core/records/queries.ts';
import type { PartialPageRequest } from '../../src/store/shared/records/pages.ts';

/** The page that a parameter asks for, first and later. */
export function requestsOf(
  resource: ResourceDefinition,
  name: string | undefined,
): RecordPageRequest[] {
  const parameter = pageParameters(resource).find((one) => one.name === name);
  const kind = parameter?.on?.declaration.kind;
  const values: Partial<Record<string, string>> = {
    boolean: 'true',
    date: '2026-11-20',
    instant: '2026-11-20T08:15:00Z',
    integer: '1',
    decimal: '1',
    text: 'x',
  };
  const declaration = parameter?.on?.declaration;
  const value =
    parameter?.role === 'week'
      ? '2026-11-20'
      : declaration?.kind === 'enum'
        ? declaration.values[0]
        : values[kind ?? ''];
  const scope = { entityId: 'e', timezone: 'UTC', weekStart: 'monday' as const };
  const { request } = createPageReader(resource)(
    name === undefined ? [] : [[name, value ?? 'x']],
    scope,
  );
  return [request, { ...request, after: { value: 'x', id: 'x' } }];
}

/** The pages of a list that is sorted by a field with an index: in both directions, first and later, with values and without. */
export function sortedRequestsOf(resource: ResourceDefinition): PartialPageRequest[] {
  return indexedFields(resource).flatMap((orderBy) => {
    const isNullable = orderBy in resource.fields && !resource.fields[orderBy]?.required;
    const parts = isNullable ? (['values', 'nulls'] as const) : [undefined];
    return parts.flatMap((part) =>
      (['asc', 'desc'] as const).flatMap((sort) => {
        const request = { resource, entityId: 'e', conditions: [], orderBy, sort, part, limit: 50 };
        return [request, { ...request, after: { value: 'x', id: 'x' } }];
      }),
    );
  });
}
