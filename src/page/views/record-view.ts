import type { PlantRecord } from '../api/models.ts';
import { describeRecord, type FieldDescription } from '../api/openapi.ts';
import type { Site } from '../api/site.ts';
import { element, updateContent } from '../display/elements.ts';
import { addressOfList } from './addresses.ts';
import { drawTable, drawValue, fieldLabel } from './cells.ts';
import { findList } from './records-view.ts';
import type { CreateView } from './view.ts';

/** A record with all of its fields, and its services as a table of their own. */
export function recordView(listName: string, id: string): CreateView {
  return (context) => {
    const content = element('div');
    const listTitle = findList(context.site, listName)?.title ?? listName;
    const listLink = element('a', { href: listAddress() }, `← ${listTitle}`);
    context.container.append(element('p', {}, listLink), element('h1', {}, id), content);

    return {
      async refresh(read) {
        const fields = await describeRecord(read, listName);
        const recordPath = `${encodeURIComponent(listName)}/${encodeURIComponent(id)}`;
        const record = await read<PlantRecord>(recordPath);
        updateContent(content, ...drawRecord(record, fields, context.site));
      },
    };

    /** The list as the person left it, with its filters and columns. */
    function listAddress(): string {
      const address = addressOfList(listName);
      const { previousAddress } = context;
      return previousAddress.startsWith(`${address}?`) ? previousAddress : address;
    }
  };
}

function drawRecord(
  record: PlantRecord,
  fields: readonly FieldDescription[],
  site: Site,
): HTMLElement[] {
  const tables = fields.filter(({ itemFields }) => itemFields.length > 0);
  const tableSections = tables.flatMap(({ name, itemFields }) => {
    const attributes = { role: 'region', 'aria-label': name };
    const table = drawTable(recordsIn(record[name]), itemFields, site);
    return [
      element('h2', {}, fieldLabel(name)),
      element('div', { className: 'table', tabIndex: 0, attributes }, table),
    ];
  });
  const facts = fields.filter((field) => !tables.includes(field));
  return [drawFacts(record, facts, site), ...tableSections];
}

/** The fields of a record below each other, each with its explanation for the pointer. */
export function drawFacts(
  record: PlantRecord,
  fields: readonly FieldDescription[],
  site: Site,
): HTMLElement {
  const facts = fields.flatMap((field) => [
    element('dt', { title: field.description }, fieldLabel(field.name)),
    element('dd', {}, drawValue(record[field.name], field, site)),
  ]);
  return element('dl', {}, ...facts);
}

function recordsIn(value: unknown): PlantRecord[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === 'object' && item !== null);
}
