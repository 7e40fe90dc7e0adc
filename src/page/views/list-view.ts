import type { Read } from '../api/api.ts';
import type { ListAnswer, PlantRecord } from '../api/models.ts';
import { describeList, type FieldDescription, type ListDescription } from '../api/openapi.ts';
import { isProblem } from '../api/problems.ts';
import { button, element, updateContent } from '../display/elements.ts';
import { addressOfList } from './addresses.ts';
import { alignment, drawTable, fieldLabel, plainHeading } from './cells.ts';
import { createColumnForm, createFilterForm } from './list-forms.ts';
import { findList } from './records-view.ts';
import type { CreateView } from './view.ts';

const pageSize = 50;

/** Parameters of the view's address that are no filters. */
const sortParameter = 'sort';
const columnsParameter = 'columns';

interface Sorting {
  column: string;
  isDescending: boolean;
}

interface ShownPage {
  filters: string;
  sort: string;
  /** A cursor for each page up to this one. */
  cursors: readonly (string | undefined)[];
  /** Absent until the list was read, and while its filter or order is refused. */
  answer?: ListAnswer<PlantRecord>;
}

/**
 * A list as a table. Its address has the filters by their names, `sort` (`-` reverses) and the chosen
 * `columns`, so that it can be kept and sent; pages are by cursor.
 */
export function listView(listName: string): CreateView {
  return (context) => {
    let shown: ShownPage = { filters: '', sort: '', cursors: [undefined] };
    let askedCursors = shown.cursors;
    let description: ListDescription = { filters: [], columns: [], orders: [] };

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
    const previousButton = button('Previous page', () => askPage(shown.cursors.slice(0, -1)));
    const nextButton = button('Next page', () => {
      askPage([...shown.cursors, shown.answer?.next_cursor ?? undefined]);
    });

    context.container.append(
      element('p', {}, element('a', { href: '#/records' }, '← All records')),
      heading,
      filterForm.details,
      columnForm.details,
      table,
      element('div', { className: 'bar' }, previousButton, nextButton, status),
    );
    redraw();
    return { refresh, redraw };

    /** Counts from the shown page, so that a second click before the answer changes nothing. */
    function askPage(cursors: ShownPage['cursors']): void {
      askedCursors = cursors;
      context.wake();
    }

    async function refresh(read: Read): Promise<void> {
      const filters = filtersOf(context.parameters);
      const sort = context.parameters.get(sortParameter) ?? '';
      const isSameList = filters.toString() === shown.filters && sort === shown.sort;
      const cursors = isSameList ? askedCursors : [undefined];
      const asked = { filters: filters.toString(), sort, cursors };

      description = await describeList(read, listName);
      filterForm.show(description.filters, filters);

      const page = { sort, limit: pageSize, cursor: cursors.at(-1) };
      const query = { ...Object.fromEntries(filters), ...page };
      try {
        shown = { ...asked, answer: await read<ListAnswer<PlantRecord>>(listName, query) };
        askedCursors = cursors;
      } catch (thrown) {
        // The rows of another filter or order would pass for the ones asked for.
        if (isProblem(thrown) && !isSameList) shown = asked;
        throw thrown;
      } finally {
        redraw();
      }
    }

    function redraw(): void {
      const title = findList(context.site, listName)?.title ?? listName;
      heading.textContent = title;
      table.setAttribute('aria-label', title);

      const columns = chosenColumns(description.columns, context.parameters);
      columnForm.show(description.columns, columns);
      const linkedColumns = columns.map((column) => {
        return column.name === 'id' ? { ...column, references: listName } : column;
      });
      const sorting = sortingOf(shown.sort);
      const drawSortHeading = (column: FieldDescription) => {
        return drawHeading(column, description.orders.includes(column.name), sorting);
      };
      updateContent(
        table,
        drawTable(shown.answer?.data ?? [], linkedColumns, context.site, drawSortHeading),
      );

      previousButton.disabled = shown.cursors.length === 1;
      nextButton.disabled = !shown.answer?.next_cursor;
      status.textContent = statusText();
    }

    function statusText(): string {
      if (!shown.answer) return '';

      const { data, next_cursor: nextCursor } = shown.answer;
      const count = data.length;
      const isWholeList = shown.cursors.length === 1 && nextCursor === null;
      if (count === 0 && isWholeList) {
        return shown.filters === '' ? 'This list is empty.' : 'No record matches the filter.';
      }

      const countText = `Page ${shown.cursors.length}: ${count} ${count === 1 ? 'record' : 'records'}`;
      const sorting = sortingOf(shown.sort);
      const sortText = sorting ? `, sorted by ${fieldLabel(sorting.column)}` : '';
      // A page ends once many records were examined for a filter that few of them match.
      const goesOn = count < pageSize && nextCursor !== null;
      return `${countText}${sortText}${goesOn ? '; more may follow' : ''}`;
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

      const sorting = sortingOf(context.parameters.get(sortParameter) ?? '');
      const isAscending = sorting?.column === column && !sorting.isDescending;
      setParameter(sortParameter, isAscending ? `-${column}` : column);
    }
  };
}

function drawHeading(
  field: FieldDescription,
  isSortable: boolean,
  sorting: Sorting | undefined,
): HTMLElement {
  if (!isSortable) return plainHeading(field);

  const { name, description, type } = field;
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
        title: `${description} A click sorts the whole list.`,
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

function sortingOf(sortText: string): Sorting | undefined {
  if (sortText === '') return undefined;
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
