import type { FieldDescription } from '../api/openapi.ts';
import { mayRead, type Site } from '../api/site.ts';
import { element } from '../display/elements.ts';
import { formatStoredInstant } from '../display/time.ts';
import { addressOfRecord } from './addresses.ts';

/** The text of a value by its declared type (promise 9.3): instants in the site's zone, others as they were stored. */
function valueText(value: unknown, field: FieldDescription | undefined, site: Site): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    return value.map((item) => itemText(item, field, site)).join(', ');
  }
  if (typeof value !== 'string') return itemText(value, field, site);

  if (field?.type === 'instant') return formatStoredInstant(value, site.me.entity.timezone);
  return field?.type === 'choice' ? choiceText(value) : value;
}

/** The words of a choice, such as `in progress`. */
export function choiceText(choice: string): string {
  return choice.replaceAll('_', ' ');
}

/** A label of a field, such as `asset` of `asset_id`. */
export function fieldLabel(name: string): string {
  return name.replaceAll('_', ' ');
}

/** A value as its text, or as a link if it is the id of a record that the key can read. */
export function drawValue(
  value: unknown,
  field: FieldDescription | undefined,
  site: Site,
): string | HTMLElement {
  if (Array.isArray(value) && value.some(isNamedRecord)) {
    const links = value.filter(isNamedRecord).map(drawNamedRecord);
    return element('span', {}, ...links.flatMap((link, index) => [index > 0 && ', ', link]));
  }

  const text = valueText(value, field, site);
  const listName = field?.references;
  if (typeof value !== 'string' || listName === undefined || !mayRead(site, listName)) return text;
  return element('a', { href: addressOfRecord(listName, value) }, text);

  function drawNamedRecord({ resource, id }: NamedRecord): HTMLElement {
    const label = `${fieldLabel(resource)} ${id}`;
    if (!mayRead(site, resource)) return element('span', {}, label);
    return element('a', { href: addressOfRecord(resource, id) }, label);
  }
}

/** An item that names a record by its list and its id, as assignments do. */
interface NamedRecord {
  resource: string;
  id: string;
}

function isNamedRecord(item: unknown): item is NamedRecord {
  if (typeof item !== 'object' || item === null) return false;
  const { resource, id } = item as Partial<Record<keyof NamedRecord, unknown>>;
  return typeof resource === 'string' && typeof id === 'string';
}

export function drawTable(
  records: readonly Readonly<Record<string, unknown>>[],
  fields: readonly FieldDescription[],
  site: Site,
  drawHeading: (field: FieldDescription) => HTMLElement = plainHeading,
): HTMLElement {
  const rows = records.map((record) => {
    const cells = fields.map((field) => drawCell(record[field.name], field, site));
    return element('tr', {}, ...cells);
  });
  return element(
    'table',
    { className: fields.length > mostPrintedColumns ? 'wide' : '' },
    element('thead', {}, element('tr', {}, ...fields.map(drawHeading))),
    element('tbody', {}, ...rows),
  );
}

/** More columns than a sheet of paper has room for: print lists them below each other. */
const mostPrintedColumns = 6;

function drawCell(value: unknown, field: FieldDescription, site: Site): HTMLElement {
  const text = valueText(value, field, site);
  return element(
    'td',
    {
      title: text.length > longText ? text : '',
      className: alignment(field.type),
      attributes: { 'data-label': fieldLabel(field.name) },
    },
    drawValue(value, field, site),
  );
}

/** The class of the cells of a column. */
export function alignment(type: FieldDescription['type']): string {
  return type === 'number' ? 'number' : '';
}

/** A text that a cell may cut: it is shown whole to the pointer, in the record and in print. */
const longText = 24;

export function plainHeading({ name, description, type }: FieldDescription): HTMLElement {
  const properties = {
    title: description,
    className: alignment(type),
    attributes: { scope: 'col' },
  };
  return element('th', properties, fieldLabel(name));
}

/** The text of an item of a list: its own, or those of its members. */
function itemText(item: unknown, field: FieldDescription | undefined, site: Site): string {
  if (typeof item !== 'object' || item === null) return String(item);

  const members = Object.entries(item).map(([name, value]) => {
    const memberField = field?.itemFields.find((candidate) => candidate.name === name);
    return valueText(value, memberField, site);
  });
  return members.join(' ');
}
