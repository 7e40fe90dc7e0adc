import type { ResourceDefinition } from '../../core/fields/fields.ts';

export function tableName(resource: ResourceDefinition): string {
  return resource.name.replaceAll('-', '_');
}

export function indexName(resource: ResourceDefinition, field: string): string {
  return `${tableName(resource)}_by_${field}`;
}
