import type { ClientPermission } from '../access/permissions.ts';

/** Declarations of every field besides its kind. `doc` is one sentence for the data dictionary and the OpenAPI document. */
interface FieldBase {
  doc: string;
  /** A value as the API shows it, for documents and their tests. */
  example: unknown;
  /** Imports must give a value. Fields that are not required may be null. */
  required?: boolean;
  /** Clients may filter by it: equality, and for dates and instants also `_from`, `_to` and `_week`. Backed by an index. */
  filter?: boolean;
  /** Shown only in the response for a single record, not in lists. */
  detail?: boolean;
  unit?: string;
  /** No two records of an entity share a value; checked at the end of an import, so that one file may swap two values. */
  unique?: boolean;
}

/** Formats of texts: the pattern, and the rule in words. */
export const textFormats = {
  currency: { pattern: /^[A-Z]{3}$/, rule: 'an ISO 4217 code such as EUR' },
  ucum: { pattern: /^[!-~]+$/, rule: 'a UCUM code such as kg, Cel or {piece}, without blanks' },
  span: {
    pattern: /^0*[1-9][0-9]{0,5}[smhdw]$/,
    rule: 'a span such as 15m, 2h or 1d: a number, and s, m, h, d or w',
  },
  row_id: { pattern: /^[A-Z]{2,8}-[0-9]{2,6}$/, rule: 'a row id such as SVC-01' },
} as const;

export interface TextField extends FieldBase {
  kind: 'text';
  /** In UTF-16 code units, as JSON Schema validators of most languages count. */
  maxLength: number;
  format?: keyof typeof textFormats;
  /** The resource whose `id` this is. A hint for documents and sample data: the record may be imported later. */
  references?: string;
}
interface EnumField extends FieldBase {
  kind: 'enum';
  values: readonly string[];
}
export interface NumberField extends FieldBase {
  /** `integer`: whole and safe; `decimal`: any finite double. An import refuses numbers that it would have to round. */
  kind: 'integer' | 'decimal';
  min?: number;
  max?: number;
}
interface PlainField extends FieldBase {
  /** `date`: the literal `YYYY-MM-DD`; `instant`: RFC 3339 in UTC with six digits of fraction. */
  kind: 'boolean' | 'date' | 'instant';
}
export interface ListField extends FieldBase {
  /** Of texts, or of objects with the fields in `of`. Stored as JSON, which a CSV cell holds, too; empty if not given. */
  kind: 'list';
  of?: Fields;
  uniqueBy?: string;
}

export type Field = TextField | EnumField | NumberField | PlainField | ListField;
export interface Fields {
  readonly [name: string]: Field;
}

/** Declares one resource; table, import, route, filters, OpenAPI and demo data follow from it. */
export interface ResourceDefinition {
  /** Path segment and name in commands, `kebab-case` plural: `/api/v1/<name>`, `hkctl import <name>`. */
  name: string;
  title: string;
  singular: string;
  summary: string;
  /** An `id` for documents and sample data; the part before its digits is the prefix of sample ids. */
  idExample: string;
  permissions: readonly ClientPermission[];
  /** Ids that no record may have, since their paths have another meaning. */
  reservedIds?: readonly string[];
  /** Fields by which lists name records, separated by commas: a value with one is refused. */
  listedBy?: readonly string[];
  /** Fields that the API adds to each record, after `updated_at`, and an import leaves out. */
  added?: Fields;
  /** The fields besides `id` and `updated_at`, which every record has, in the order in which they are shown. */
  fields: Fields;
}

type Names = 'title' | 'singular';

/** Declares a resource. By default, the title of `parts` is Parts, and the singular is part. */
export function defineResource(
  declared: Omit<ResourceDefinition, Names> & Partial<Pick<ResourceDefinition, Names>>,
): ResourceDefinition {
  const spacedName = declared.name.replaceAll('-', ' ');
  return {
    title: spacedName.charAt(0).toUpperCase() + spacedName.slice(1),
    singular: spacedName.replace(/s$/, ''),
    ...declared,
  };
}

/** The two fields that every record has around its own: `id` first, `updated_at` last. */
const identityField: TextField = {
  kind: 'text',
  maxLength: 64,
  required: true,
  doc: 'Identifier of the record, as the importing system gave it; unique within the entity and the resource.',
  example: 'P-1001',
};
export const updatedAtField: Field = {
  kind: 'instant',
  required: true,
  doc: 'When the record last changed here; set by the import, for use with `updated_since`.',
  example: '2026-11-20T08:15:00.123456Z',
};

export function allFields(resource: ResourceDefinition): Fields {
  return { ...importFields(resource), updated_at: updatedAtField };
}

/** The fields that an import may give: all but `updated_at`, which it sets itself. */
export function importFields(resource: ResourceDefinition): Fields {
  return { id: { ...identityField, example: resource.idExample }, ...resource.fields };
}

/** The fields that a list shows: all except `detail` fields that it does not include. */
export function listFields(resource: ResourceDefinition, include: readonly string[] = []): Fields {
  const fields = Object.entries(allFields(resource));
  const shownFields = fields.filter(([name, field]) => !field.detail || include.includes(name));
  return Object.fromEntries(shownFields);
}

export function detailFields(resource: ResourceDefinition): string[] {
  return namesOf(resource, ({ detail }) => detail);
}

/** List fields that pages of records leave out: an import without their column keeps the stored items; an empty list removes them. */
export function keptLists(resource: ResourceDefinition): string[] {
  return namesOf(resource, ({ detail, kind }) => detail && kind === 'list');
}

export function filterableFields(resource: ResourceDefinition): string[] {
  return namesOf(resource, ({ filter }) => filter);
}

/** The columns of a list with one value in each record. */
export function sortableFields(resource: ResourceDefinition): string[] {
  const columns = Object.entries(listFields(resource));
  return columns.flatMap(([name, { kind }]) => (kind === 'list' ? [] : [name]));
}

/** The fields in whose order an index holds the records. */
export function indexedFields(resource: ResourceDefinition): string[] {
  return ['id', ...filterableFields(resource), 'updated_at'];
}

function namesOf(
  { fields }: ResourceDefinition,
  isSelected: (field: Field) => boolean | undefined,
): string[] {
  return Object.keys(fields).filter((name) => isSelected(fields[name] as Field)); // one for each name
}

/** Reports a violation: the field, the value as it was given, and the broken rule in words. */
export type Refuse = (field: string, value: unknown, rule: string) => void;

/** Validates a given value (never null or empty): returns its canonical form, or undefined after it was refused. */
export type ValueValidator<Given> = (input: Given, refuse: Refuse) => unknown;

export interface FieldValidator {
  /** `plain` says that the text is known to be printable ASCII on one line. */
  fromText(text: string, refuse: Refuse, plain?: boolean): unknown;
  fromJson: ValueValidator<unknown>;
}
