import { allFields, type Field, type Fields, filterableFields, type ResourceDefinition } from '../core/fields.ts';

/** The data dictionary of the declarations as Markdown: one section a resource, one table line a field. */
export function dataDictionary(resources: readonly ResourceDefinition[]): string {
  return resources.map(sectionOf).join('\n');
}

function sectionOf(resource: ResourceDefinition): string {
  const filters = filterableFields(resource).map((name) => `\`${name}\``);
  return [
    `#### ${resource.title} · \`/${resource.name}\``,
    '',
    resource.summary,
    `Readable with ${resource.permissions.map((permission) => `\`${permission}\``).join(' or ')}.`,
    `Filters: ${[...filters, '`updated_since`'].join(', ')}.`,
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...linesOf(allFields(resource), ''),
    '',
  ].join('\n');
}

function linesOf(fields: Fields, parent: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const line = `| \`${parent}${name}\`${field.required ? ' *' : ''} | ${typeOf(field)} | ${meaningOf(field)} |`;
    return field.kind === 'list' && field.of ? [line, ...linesOf(field.of, `${parent}${name}[].`)] : [line];
  });
}

function typeOf(field: Field): string {
  if (field.kind === 'text') return field.format === 'currency' ? 'text, 3' : `text, up to ${field.maxLength}`;
  if (field.kind === 'enum') return field.values.map((value) => `\`${value}\``).join(' ');
  if (field.kind === 'list') return field.of ? 'list of objects' : 'list of texts';
  if (field.kind !== 'integer' && field.kind !== 'decimal') return field.kind;
  if (field.min !== undefined && field.max !== undefined) return `${field.kind}, ${field.min} to ${field.max}`;
  return field.min === undefined ? field.kind : `${field.kind}, at least ${field.min}`;
}

function meaningOf(field: Field): string {
  const notes = [
    field.kind === 'text' && field.references && `\`id\` of \`/${field.references}\``,
    field.unit && `in ${field.unit === '%' ? 'percent' : `\`${field.unit}\``}`,
    field.unique && 'unique in the entity',
    field.detail && 'only in the answer for a single record',
  ].filter(Boolean);
  return [field.doc, ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])].join(' ').replaceAll('|', '\\|');
}
