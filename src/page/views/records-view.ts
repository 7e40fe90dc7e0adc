import type { ListAnswer, PlantRecord, Resource } from '../api/models.ts';
import { describeList, type FilterDescription, type ListDescription } from '../api/openapi.ts';
import { element, replaceContent } from '../display/elements.ts';
import { formatInstant } from '../display/time.ts';
import { attempt, type View, type ViewContext } from './view.ts';

const pageSize = 50;

/** The lists that the key can read. */
export const recordsView: View = (context) => {
  const lists = readableLists(context.resources);
  const links = lists.map(({ name, title }) => {
    const link = element('a', { href: listAddress(name) }, title);
    return element('li', {}, link);
  });

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
  return resources.filter(({ name, methods, path }) => {
    const isRecordList = name !== 'sensors' && path === `/api/v1/${name}`;
    return isRecordList && methods.includes('GET');
  });
}

function findList(resources: readonly Resource[], listName: string): Resource | undefined {
  return readableLists(resources).find(({ name }) => name === listName);
}

function listAddress(listName: string): string {
  return `#/records/${encodeURIComponent(listName)}`;
}

/** A list as a table: filters, pages by cursor, and columns that sort the rows of a page. */
export function listView(listName: string): View {
  return (context) => {
    const resource = findList(context.resources, listName);
    if (!resource) {
      replaceContent(context.container, element('h1', {}, 'This key may not read that list'));
      return () => {};
    }

    const cursors: (string | undefined)[] = [undefined];
    let filters: Readonly<Record<string, string>> = {};
    let sorting: { column: string; descending: boolean } | undefined;
    let records: readonly PlantRecord[] = [];
    let description: ListDescription | undefined;

    const filterForm = element('form', {
      className: 'bar',
      on: { submit: applyFilters },
    });
    const table = element('div', { className: 'table', tabIndex: 0 });
    const status = element('p', {
      className: 'summary',
      attributes: { role: 'status' },
    });
    const previousButton = element(
      'button',
      { type: 'button', on: { click: goBack } },
      'Previous page',
    );
    const nextButton = element('button', { type: 'button', on: { click: goForward } }, 'Next page');
    let nextCursor: string | undefined;

    replaceContent(
      context.container,
      element('p', {}, element('a', { href: '#/records' }, '← All records')),
      element('h1', {}, resource.title),
      element('details', {}, element('summary', {}, 'Filter'), filterForm),
      table,
      element('div', { className: 'bar' }, previousButton, nextButton, status),
    );
    table.setAttribute('role', 'region');
    table.setAttribute('aria-label', resource.title);
    void loadPage();
    return () => {};

    async function loadPage(): Promise<void> {
      await attempt(context, async () => {
        if (!description) {
          description = await describeList(context.api, listName);
          showFilters(description.filters);
        }

        const cursor = cursors.at(-1);
        const query = { ...filters, limit: pageSize, cursor };
        const { body } = await context.api.read<ListAnswer<PlantRecord>>(listName, query);
        records = body.data;
        nextCursor = body.next_cursor ?? undefined;
        drawTable();
      });
    }

    function drawTable(): void {
      const declaredNames = description?.columns.map((column) => column.name) ?? [];
      const columns = declaredNames.length > 0 ? declaredNames : Object.keys(records[0] ?? {});
      const explanations = new Map(
        description?.columns.map((column) => [column.name, column.description]),
      );
      const headings = columns.map((column) => {
        return drawHeading(column, explanations.get(column) ?? '');
      });
      const rows = sortedRecords(records).map((record) => drawRow(record, columns));

      replaceContent(
        table,
        element(
          'table',
          {},
          element('thead', {}, element('tr', {}, ...headings)),
          element('tbody', {}, ...rows),
        ),
      );

      previousButton.disabled = cursors.length === 1;
      nextButton.disabled = nextCursor === undefined;
      const noun = records.length === 1 ? 'record' : 'records';
      status.textContent = `Page ${cursors.length}: ${records.length} ${noun}`;
    }

    function drawHeading(column: string, explanation: string): HTMLElement {
      const isSorted = sorting?.column === column;
      const isDescending = isSorted && sorting?.descending;
      const direction = isDescending ? 'descending' : 'ascending';
      const arrow = isDescending ? ' ↓' : ' ↑';
      const label = column.replaceAll('_', ' ');
      return element(
        'th',
        { attributes: { scope: 'col', 'aria-sort': isSorted ? direction : 'none' } },
        element(
          'button',
          { type: 'button', title: explanation, on: { click: () => sortBy(column) } },
          `${label}${isSorted ? arrow : ''}`,
        ),
      );
    }

    function sortBy(column: string): void {
      const isSorted = sorting?.column === column;
      sorting = { column, descending: isSorted && !sorting?.descending };
      drawTable();
    }

    function sortedRecords(unsorted: readonly PlantRecord[]): readonly PlantRecord[] {
      if (!sorting) return unsorted;
      const { column, descending } = sorting;
      const direction = descending ? -1 : 1;
      return unsorted.toSorted((firstRecord, secondRecord) => {
        return compareCells(firstRecord[column], secondRecord[column]) * direction;
      });
    }

    function drawRow(record: PlantRecord, columns: readonly string[]): HTMLElement {
      const cells = columns.map((column, index) => {
        const text = cellText(record[column], context);
        if (index > 0) return element('td', {}, text);

        const href = `${listAddress(listName)}/${encodeURIComponent(text)}`;
        return element('td', {}, element('a', { href }, text));
      });
      return element('tr', {}, ...cells);
    }

    function showFilters(descriptions: readonly FilterDescription[]): void {
      replaceContent(
        filterForm,
        ...descriptions.map(filterField),
        element('button', { type: 'submit' }, 'Apply'),
      );
      const filterSection = filterForm.closest('details');
      if (filterSection) filterSection.hidden = descriptions.length === 0;
    }

    function applyFilters(event: Event): void {
      event.preventDefault();
      const formData = new FormData(filterForm);
      const givenValues = [...formData].filter(([, value]) => value !== '');
      const givenTexts = givenValues.map(([key, value]) => [key, String(value)]);
      filters = Object.fromEntries(givenTexts);
      cursors.splice(1);
      void loadPage();
    }

    function goForward(): void {
      if (nextCursor === undefined) return;
      cursors.push(nextCursor);
      void loadPage();
    }

    function goBack(): void {
      if (cursors.length > 1) cursors.pop();
      void loadPage();
    }
  };
}

/** A record with all of its fields, and its services as a table of their own. */
export function recordView(listName: string, id: string): View {
  return (context) => {
    const resource = findList(context.resources, listName);
    const title = resource?.title ?? listName;
    const listLink = element('a', { href: listAddress(listName) }, `← ${title}`);
    const content = element('div');
    replaceContent(context.container, element('p', {}, listLink), element('h1', {}, id), content);

    void attempt(context, async () => {
      const recordPath = `${encodeURIComponent(listName)}/${encodeURIComponent(id)}`;
      const { body } = await context.api.read<PlantRecord>(recordPath);
      replaceContent(content, ...recordContent(body, context));
    });
    return () => {};
  };
}

function recordContent(record: PlantRecord, context: ViewContext): HTMLElement[] {
  const isTable = (value: unknown) => Array.isArray(value) && value.some(isRecord);
  const members = Object.entries(record);
  const fields = members.filter(([, value]) => !isTable(value));
  const tables = members.filter(([, value]) => isTable(value));

  const facts = fields.flatMap(([field, value]) => [
    element('dt', {}, field.replaceAll('_', ' ')),
    element('dd', {}, cellText(value, context)),
  ]);
  const tableSections = tables.flatMap(([field, value]) => {
    const records = Array.isArray(value) ? value.filter(isRecord) : [];
    const attributes = { role: 'region', 'aria-label': field };
    return [
      element('h2', {}, field.replaceAll('_', ' ')),
      element('div', { className: 'table', tabIndex: 0, attributes }, innerTable(records, context)),
    ];
  });
  return [element('dl', {}, ...facts), ...tableSections];
}

function innerTable(records: readonly PlantRecord[], context: ViewContext): HTMLElement {
  const allColumns = records.flatMap((record) => Object.keys(record));
  const columns = [...new Set(allColumns)];
  const headings = columns.map((column) => {
    const label = column.replaceAll('_', ' ');
    return element('th', { attributes: { scope: 'col' } }, label);
  });
  const rows = records.map((record) => {
    const cells = columns.map((column) => element('td', {}, cellText(record[column], context)));
    return element('tr', {}, ...cells);
  });
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...headings)),
    element('tbody', {}, ...rows),
  );
}

function filterField(description: FilterDescription): HTMLElement {
  const label = description.name.replaceAll('_', ' ');
  return element('label', {}, `${label} `, filterControl(description));
}

function filterControl({ name, description, type, choices }: FilterDescription): HTMLElement {
  const options = type === 'boolean' ? ['true', 'false'] : choices;
  if (options.length === 0) {
    return element('input', {
      name,
      title: description,
      type: type === 'date' ? 'date' : 'text',
      inputMode: type === 'number' ? 'decimal' : '',
    });
  }
  return element(
    'select',
    { name, title: description },
    element('option', { value: '' }, 'any'),
    ...options.map((option) => element('option', { value: option }, option)),
  );
}

/** The text of a value in a cell: instants in the site's zone, lists and objects in words. */
function cellText(value: unknown, context: ViewContext): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);

  if (typeof value === 'string') {
    const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.test(value);
    if (!isInstant) return value;
    return formatInstant(Date.parse(value), context.me.entity.timezone, true);
  }

  const textOf = (item: unknown) => cellText(item, context);
  if (Array.isArray(value)) {
    return value.map(textOf).join(', ');
  }
  return Object.values(value).map(textOf).join(' ');
}

function compareCells(firstValue: unknown, secondValue: unknown): number {
  const areNumbers = typeof firstValue === 'number' && typeof secondValue === 'number';
  if (areNumbers) return firstValue - secondValue;
  return collator.compare(String(firstValue ?? ''), String(secondValue ?? ''));
}

const collator = new Intl.Collator('en', { numeric: true });

function isRecord(value: unknown): value is PlantRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
