import {
  allFields,
  type Field,
  type Fields,
  filterableFields,
  type ResourceDefinition,
} from '../../src/core/fields/fields.ts';

/**
 * Writes the manual page hkctl-resources(7) in mdoc from the declarations: one subsection a resource, one list item a field.
 * The test of the page calls it, and rewrites the page with `-u`.
 */
export function resourcesPage(resources: readonly ResourceDefinition[]): string {
  return `${head}${resources.map(sectionOf).join('')}${tail}`;
}

const head = `.Dd November 22, 2026
.Dt HKCTL-RESOURCES 7
.Os
.Sh NAME
.Nm hkctl-resources
.Nd the fields of every resource of the hkctl API
.Sh DESCRIPTION
The API serves these records under
.Pa /api/v1/ ,
and
.Xr hkctl-import 1
loads them.
.Pp
A field marked
.Em required
is never empty: an import must give all of those but
.Li updated_at .
Dates are the literal
.Li YYYY-MM-DD
of the plant; instants are RFC 3339 in UTC, exact to the microsecond.
Every resource can also be filtered by
.Li updated_since ,
and sorted by each field that is no list, with
.Li sort .
.Sh RESOURCES
`;

const tail = `.Sh EXAMPLES
.Dl hkctl import parts parts.csv --entity BER --dry-run
.Sh SEE ALSO
.Xr hkctl 1 ,
.Xr hkctl-import 1 ,
.Xr hkctl-permissions 1 ,
.Xr hkctl-serve 8
`;

function sectionOf(resource: ResourceDefinition): string {
  return `${[
    `.Ss /${escaped(resource.name)}`,
    escaped(resource.summary),
    `Readable with ${resource.permissions.map((permission) => escaped(permission)).join(' or\n')}.`,
    `Filters: ${filterableFields(resource).map(escaped).join(',\n')}.`,
    '.Bl -tag -width Ds',
    ...itemsOf(allFields(resource), ''),
    '.El',
  ].join('\n')}\n`;
}

function itemsOf(fields: Fields, parent: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const item = [
      `.It Li ${escaped(`${parent}${name}`)}`,
      `${escaped(kindOf(field))}.`,
      escaped(meaningOf(field)),
    ];
    return field.kind === 'list' && field.of
      ? [...item, ...itemsOf(field.of, `${parent}${name}[].`)]
      : item;
  });
}

function kindOf(field: Field): string {
  return `${field.required ? 'Required, ' : ''}${typeOf(field)}`.replace(/^./, (first) =>
    first.toUpperCase(),
  );
}

function typeOf(field: Field): string {
  if (field.kind === 'text')
    return field.format === 'currency' ? 'text of 3 letters' : `text, up to ${field.maxLength}`;
  if (field.kind === 'enum') return `one of ${field.values.join(', ')}`;
  if (field.kind === 'list') return field.of ? 'list of objects' : 'list of texts';
  if (field.kind !== 'integer' && field.kind !== 'decimal') return field.kind;
  if (field.min !== undefined && field.max !== undefined)
    return `${field.kind}, ${field.min} to ${field.max}`;
  return field.min === undefined ? field.kind : `${field.kind}, at least ${field.min}`;
}

function meaningOf(field: Field): string {
  const remarks = [
    field.kind === 'text' && field.references && `the id of /${field.references}`,
    field.unit && `in ${field.unit === '%' ? 'percent' : field.unit}`,
    field.unique && 'unique in the entity',
    field.detail && 'only in the answer for a single record',
  ].filter(Boolean);
  return [
    field.doc.replaceAll('`', ''),
    ...(remarks.length > 0 ? [`(${remarks.join('; ')})`] : []),
  ].join(' ');
}

/** Escapes a text for roff: backslashes, quotes, signs beyond ASCII, and full stops at the start of a line. */
function escaped(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('×', '\\(mu').replaceAll("'", '\\(aq');
  // In mdoc each sentence begins a line.
  const lines = plain.replace(/([.:?!]) (?=[A-Z])/g, '$1\n');
  return lines.replace(/^\./gm, '\\&.');
}
