import type { Read } from '../api/api.ts';
import type { ListAnswer, PlantRecord } from '../api/models.ts';
import { describeList, type FieldDescription, type ListDescription } from '../api/openapi.ts';
import { button, element, updateContent } from '../display/elements.ts';
import { addressOfList } from './addresses.ts';
import { alignment, drawTable, fieldLabel } from './cells.ts';
import { createColumnForm, createFilterForm } from './list-forms.ts';
import { findList } from './records-view.ts';
import { compareTexts } from './sensors.ts';
import type { CreateView } from './view.ts';

const pageSize = 50;

/** Parameters of the view's address that are no filters. */
const sortParameter = 'sort';
const columnsParameter = 'columns';

interface Sorting {
  column: string;
  isDescending: boolean;
}

/**
 * A list as a table. Its address has the filters by their names, `sort` (`-` reverses) and the chosen
 * `columns`, so that it can be kept and sent; pages are by cursor.
 */
export function listView(listName: string): CreateView {
  return (context) => {
    let cursors: (string | undefined)[] = [undefined];
    let nextCursor: string | undefined;
    let records: readonly PlantRecord[] | undefined;
    let description: ListDescription = { filters: [], columns: [] };
    let shownFilters = '';

    const filterForm = createFilterForm(applyFilters);
    const columnForm = createColumnForm((names) => setParameter(columnsParameter, names.join(',')));
    const heading = element('h1', {}, listName);
    const table = element('div', {
      className: 'table',
      tabIndex: 0,
      attributes: { role: 'region' },
      on: { click: sortByHeading },
    });
    const status = element('p', { className: 'summary', attributes: { role: 'status' } });
    const previousButton = button('Previous page', () => {
      cursors.pop();
      context.wake();
    });
    const nextButton = button('Next page', () => {
      cursors.push(nextCursor);
      context.wake();
    });

    context.container.append(
      element('p', {}, element('a', { href: '#/records' }, '← All records')),
      heading,
      filterForm.details,
      columnForm.details,
      table,
      element('div', { className: 'bar' }, previousButton, nextButton, status),
    );
    return { refresh, redraw };

    async function refresh(read: Read): Promise<void> {
      const filters = filtersOf(context.parameters);
      const filterText = filters.toString();
      if (filterText !== shownFilters) cursors = [undefined];
      shownFilters = filterText;

      description = await describeList(read, listName);
      filterForm.show(description.filters, filters);

      const query = { ...Object.fromEntries(filters), limit: pageSize, cursor: cursors.at(-1) };
      const answer = await read<ListAnswer<PlantRecord>>(listName, query);
      records = answer.data;
      nextCursor = answer.next_cursor ?? undefined;
      redraw();
    }

    function redraw(): void {
      const title = findList(context.site, listName)?.title ?? listName;
      heading.textContent = title;
      table.setAttribute('aria-label', title);
      if (!records) return;

      const columns = chosenColumns(description.columns, context.parameters);
      columnForm.show(description.columns, columns);
      const linkedColumns = columns.map((column) => {
        return column.name === 'id' ? { ...column, references: listName } : column;
      });
      const sorting = sortingOf(context.parameters);
      const sortedRecords = sorting ? sortRecords(records, sorting) : records;
      const drawSortHeading = (column: FieldDescription) => drawHeading(column, sorting);
      updateContent(table, drawTable(sortedRecords, linkedColumns, context.site, drawSortHeading));

      previousButton.disabled = cursors.length === 1;
      nextButton.disabled = nextCursor === undefined;
      status.textContent = statusText(sorting);
    }

    function statusText(sorting: Sorting | undefined): string {
      const count = records?.length ?? 0;
      const isWholeList = cursors.length === 1 && nextCursor === undefined;
      if (count === 0 && isWholeList) {
        return shownFilters === '' ? 'This list is empty.' : 'No record matches the filter.';
      }

      const countText = `Page ${cursors.length}: ${count} ${count === 1 ? 'record' : 'records'}`;
      if (!sorting) return countText;
      const scopeText = isWholeList ? '' : ' within this page only';
      return `${countText}, sorted by ${fieldLabel(sorting.column)}${scopeText}`;
    }

    function applyFilters(filters: URLSearchParams): void {
      for (const name of [sortParameter, columnsParameter]) {
        const value = context.parameters.get(name);
        if (value !== null) filters.set(name, value);
      }
      location.hash = addressOfList(listName, filters);
    }

    function setParameter(name: string, value: string): void {
      const parameters = new URLSearchParams(context.parameters);
      if (value === '') parameters.delete(name);
      else parameters.set(name, value);
      location.hash = addressOfList(listName, parameters);
    }

    function sortByHeading({ target }: Event): void {
      const headingButton = target instanceof Element ? target.closest('[data-column]') : null;
      const column = headingButton?.getAttribute('data-column');
      if (typeof column !== 'string') return;

      const sorting = sortingOf(context.parameters);
      const isAscending = sorting?.column === column && !sorting.isDescending;
      setParameter(sortParameter, isAscending ? `-${column}` : column);
    }
  };
}

function drawHeading(
  { name, description, type }: FieldDescription,
  sorting?: Sorting,
): HTMLElement {
  const isSorted = sorting?.column === name;
  const direction = sorting?.isDescending ? 'descending' : 'ascending';
  const arrow = sorting?.isDescending ? ' ↓' : ' ↑';
  return element(
    'th',
    {
      className: alignment(type),
      attributes: { scope: 'col', 'aria-sort': isSorted ? direction : 'none' },
    },
    element(
      'button',
      {
        type: 'button',
        title: `${description} A click sorts the rows of this page.`,
        attributes: { 'data-column': name },
      },
      `${fieldLabel(name)}${isSorted ? arrow : ''}`,
    ),
  );
}

function filtersOf(parameters: URLSearchParams): URLSearchParams {
  const filters = new URLSearchParams(parameters);
  filters.delete(sortParameter);
  filters.delete(columnsParameter);
  return filters;
}

function sortingOf(parameters: URLSearchParams): Sorting | undefined {
  const sortText = parameters.get(sortParameter);
  if (sortText === null) return undefined;
  return { column: sortText.replace(/^-/, ''), isDescending: sortText.startsWith('-') };
}

/** The columns that the address names; all of them if it names none that the list has. */
function chosenColumns(
  columns: readonly FieldDescription[],
  parameters: URLSearchParams,
): readonly FieldDescription[] {
  const names = parameters.get(columnsParameter)?.split(',') ?? [];
  const chosen = columns.filter(({ name }) => names.includes(name));
  return chosen.length === 0 ? columns : chosen;
}

function sortRecords(
  records: readonly PlantRecord[],
  { column, isDescending }: Sorting,
): readonly PlantRecord[] {
  const direction = isDescending ? -1 : 1;
  return records.toSorted((one, other) => compareCells(one[column], other[column]) * direction);
}

function compareCells(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareTexts(String(one ?? ''), String(other ?? ''));
}
