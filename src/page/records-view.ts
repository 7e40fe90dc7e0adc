import { element, replaceContent } from './elements.ts';
import type { ListAnswer, PlantRecord, Resource } from './models.ts';
import { describeList, type FilterDescription, type ListDescription } from './openapi.ts';
import { formatInstant } from './time.ts';
import { attempt, type View, type ViewContext } from './view.ts';

const pageSize = 50;

/** The lists that the key can read. */
export const recordsView: View = (context) => {
  const lists = readableLists(context.resources);
  const links = lists.map(({ name, title }) =>
    element('li', {}, element('a', { href: `#/records/${encodeURIComponent(name)}` }, title)),
  );

  replaceContent(
    context.container,
    element('h1', {}, 'Records'),
    links.length === 0
      ? element('p', {}, 'This key may read no records.')
      : element('ul', { className: 'lists' }, ...links),
  );
  return () => {};
};

/** Resources with records to read: sensors have a view of their own. */
export function readableLists(resources: readonly Resource[]): Resource[] {
  return resources.filter(
    ({ name, methods, path }) =>
      methods.includes('GET') && name !== 'sensors' && path === `/api/v1/${name}`,
  );
}

/** A list as a table: filters, pages by cursor, and columns that sort the rows of a page. */
export function listView(name: string): View {
  return (context) => {
    const resource = readableLists(context.resources).find((one) => one.name === name);
    if (!resource) {
      replaceContent(context.container, element('h1', {}, 'This key may not read that list'));
      return () => {};
    }

    const cursors: (string | undefined)[] = [undefined];
    let filters: Readonly<Record<string, string>> = {};
    let sorting: { column: string; descending: boolean } | undefined;
    let records: readonly PlantRecord[] = [];
    let description: ListDescription | undefined;

    const form = element('form', { className: 'bar', on: { submit: applyFilters } });
    const table = element('div', { className: 'table', tabIndex: 0 });
    const status = element('p', { className: 'summary', attributes: { role: 'status' } });
    const previous = element('button', { type: 'button', on: { click: goBack } }, 'Previous page');
    const next = element('button', { type: 'button', on: { click: goForward } }, 'Next page');
    let nextCursor: string | undefined;

    replaceContent(
      context.container,
      element('p', {}, element('a', { href: '#/records' }, '← All records')),
      element('h1', {}, resource.title),
      element('details', {}, element('summary', {}, 'Filter'), form),
      table,
      element('div', { className: 'bar' }, previous, next, status),
    );
    table.setAttribute('role', 'region');
    table.setAttribute('aria-label', resource.title);
    void load();
    return () => {};

    async function load(): Promise<void> {
      await attempt(context, async () => {
        if (!description) {
          description = await describeList(context.api, name);
          showFilters(description.filters);
        }

        const cursor = cursors.at(-1);
        const query = { ...filters, limit: pageSize, cursor };
        const { body } = await context.api.read<ListAnswer<PlantRecord>>(name, query);
        records = body.data;
        nextCursor = body.next_cursor ?? undefined;
        draw();
      });
    }

    function draw(): void {
      const names = description?.columns.map((column) => column.name) ?? [];
      const columns = names.length > 0 ? names : Object.keys(records[0] ?? {});
      const explanations = new Map(
        description?.columns.map((column) => [column.name, column.description]),
      );

      replaceContent(
        table,
        element(
          'table',
          {},
          element(
            'thead',
            {},
            element(
              'tr',
              {},
              ...columns.map((column) => heading(column, explanations.get(column) ?? '')),
            ),
          ),
          element('tbody', {}, ...sorted(records).map((record) => row(record, columns))),
        ),
      );

      previous.disabled = cursors.length === 1;
      next.disabled = nextCursor === undefined;
      const count = `${records.length} ${records.length === 1 ? 'record' : 'records'}`;
      status.textContent = `Page ${cursors.length}: ${count}`;
    }

    function heading(column: string, explanation: string): HTMLElement {
      const isSorted = sorting?.column === column;
      const direction = sorting?.descending ? 'descending' : 'ascending';
      return element(
        'th',
        { attributes: { scope: 'col', 'aria-sort': isSorted ? direction : 'none' } },
        element(
          'button',
          { type: 'button', title: explanation, on: { click: () => sortBy(column) } },
          `${column.replaceAll('_', ' ')}${isSorted ? (sorting?.descending ? ' ↓' : ' ↑') : ''}`,
        ),
      );
    }

    function sortBy(column: string): void {
      sorting = { column, descending: sorting?.column === column && !sorting.descending };
      draw();
    }

    function sorted(rows: readonly PlantRecord[]): readonly PlantRecord[] {
      if (!sorting) return rows;
      const { column, descending } = sorting;
      return rows.toSorted(
        (one, other) => compareCells(one[column], other[column]) * (descending ? -1 : 1),
      );
    }

    function row(record: PlantRecord, columns: readonly string[]): HTMLElement {
      return element(
        'tr',
        {},
        ...columns.map((column, index) => {
          const text = cellText(record[column], context);
          if (index > 0) return element('td', {}, text);

          const href = `#/records/${encodeURIComponent(name)}/${encodeURIComponent(text)}`;
          return element('td', {}, element('a', { href }, text));
        }),
      );
    }

    function showFilters(descriptions: readonly FilterDescription[]): void {
      replaceContent(
        form,
        ...descriptions.map(filterField),
        element('button', { type: 'submit' }, 'Apply'),
      );
      const details = form.closest('details');
      if (details) details.hidden = descriptions.length === 0;
    }

    function applyFilters(event: Event): void {
      event.preventDefault();
      const values = [...new FormData(form)].filter(([, value]) => value !== '');
      filters = Object.fromEntries(values.map(([key, value]) => [key, String(value)]));
      cursors.splice(1);
      void load();
    }

    function goForward(): void {
      if (nextCursor === undefined) return;
      cursors.push(nextCursor);
      void load();
    }

    function goBack(): void {
      if (cursors.length > 1) cursors.pop();
      void load();
    }
  };
}

/** A record with all of its fields, and its services as a table of their own. */
export function recordView(name: string, id: string): View {
  return (context) => {
    const title = readableLists(context.resources).find((one) => one.name === name)?.title ?? name;
    const content = element('div');
    replaceContent(
      context.container,
      element(
        'p',
        {},
        element('a', { href: `#/records/${encodeURIComponent(name)}` }, `← ${title}`),
      ),
      element('h1', {}, id),
      content,
    );

    void attempt(context, async () => {
      const path = `${encodeURIComponent(name)}/${encodeURIComponent(id)}`;
      const { body } = await context.api.read<PlantRecord>(path);
      replaceContent(content, ...recordContent(body, context));
    });
    return () => {};
  };
}

function recordContent(record: PlantRecord, context: ViewContext): HTMLElement[] {
  const isTable = (value: unknown) => Array.isArray(value) && value.some(isRecord);
  const fields = Object.entries(record).filter(([, value]) => !isTable(value));
  const tables = Object.entries(record).filter(([, value]) => isTable(value));

  const facts = element(
    'dl',
    {},
    ...fields.flatMap(([field, value]) => [
      element('dt', {}, field.replaceAll('_', ' ')),
      element('dd', {}, cellText(value, context)),
    ]),
  );
  return [
    facts,
    ...tables.flatMap(([field, value]) => [
      element('h2', {}, field.replaceAll('_', ' ')),
      element(
        'div',
        { className: 'table', tabIndex: 0, attributes: { role: 'region', 'aria-label': field } },
        innerTable(Array.isArray(value) ? value.filter(isRecord) : [], context),
      ),
    ]),
  ];
}

function innerTable(rows: readonly PlantRecord[], context: ViewContext): HTMLElement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const heading = (column: string) =>
    element('th', { attributes: { scope: 'col' } }, column.replaceAll('_', ' '));
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...columns.map(heading))),
    element(
      'tbody',
      {},
      ...rows.map((row) =>
        element(
          'tr',
          {},
          ...columns.map((column) => element('td', {}, cellText(row[column], context))),
        ),
      ),
    ),
  );
}

function filterField({ name, description, type, choices }: FilterDescription): HTMLElement {
  const label = name.replaceAll('_', ' ');
  const options = type === 'boolean' ? ['true', 'false'] : choices;
  const field =
    options.length > 0
      ? element(
          'select',
          { name, title: description },
          element('option', { value: '' }, 'any'),
          ...options.map((option) => element('option', { value: option }, option)),
        )
      : element('input', {
          name,
          title: description,
          type: type === 'date' ? 'date' : 'text',
          inputMode: type === 'number' ? 'decimal' : '',
        });
  return element('label', {}, `${label} `, field);
}

/** A value as a cell shows it: instants in the site's zone, lists and objects in words. */
function cellText(value: unknown, context: ViewContext): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);

  if (typeof value === 'string') {
    const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(value);
    return isInstant ? formatInstant(Date.parse(value), context.me.entity.timezone, true) : value;
  }
  if (Array.isArray(value)) return value.map((item) => cellText(item, context)).join(', ');
  return Object.values(value)
    .map((item) => cellText(item, context))
    .join(' ');
}

function compareCells(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(String(one ?? ''), String(other ?? ''));
}

const collator = new Intl.Collator('en', { numeric: true });

function isRecord(value: unknown): value is PlantRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
