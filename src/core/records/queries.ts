import { HkctlError } from '../errors.ts';
import {
  allFields,
  detailFields,
  type Field,
  filterableFields,
  indexedFields,
  type ResourceDefinition,
  sortableFields,
  updatedAtField,
} from '../fields/fields.ts';
import { validatorOf } from '../fields/values.ts';
import type { RecordCondition, RecordPageRequest, RecordPosition } from '../port/records.ts';
import { quotedText } from '../text/shown-text.ts';
import { addDays, startOfDayMs, type WeekDay, weekOf } from '../time/calendar.ts';
import { formatInstantUs, isDate } from '../time/instants.ts';
import {
  instantAfter,
  isChangedAt,
  listName,
  readSyncToken,
  type SyncPoint,
  type SyncToken,
} from './changes.ts';
import { fingerprint, readCursor, writeCursor, wrongCursor } from './cursors.ts';
import {
  mostSorted,
  pageLimit,
  type QueryParameters,
  readLimit,
  readQueryInstant,
  requireKnown,
  reversedRange,
  wrongValue,
} from './parameters.ts';

/** A parameter of a resource's list: its role, and the field that it filters. */
export interface PageParameter {
  name: string;
  role: 'limit' | 'cursor' | 'sort' | 'sync_token' | 'include' | 'equals' | 'from' | 'to' | 'week';
  on?: { field: string; declaration: Field };
  /** The names that `include` and `sort` take. */
  names?: readonly string[];
}

export interface PageScope {
  entityId: string;
  timezone: string;
  weekStart: WeekDay;
}

export interface PageQuery {
  /** With a sync token, everything that has changed since; the reader adds the end. */
  request: RecordPageRequest;
  token: SyncToken | undefined;
  /** When the first page of a list without filters, or of the changes since a token, was read; undefined on that page. */
  point: SyncPoint | undefined;
  /** Whether the page is one of removals, which come after the changed records. */
  ofRemoved: boolean;
  cursorOf(next: RecordPosition, point?: SyncPoint, part?: 'removed'): string;
}

/** Reads the query of a list. Throws `bad_parameter`, which names the allowed input, for an unknown, repeated or wrong parameter. */
type PageReader = (query: QueryParameters, scope: PageScope) => PageQuery;

/** Builds the reader of a resource's list from its declaration, once (promise 5.2). */
export function createPageReader(resource: ResourceDefinition): PageReader {
  const parameters = pageParameters(resource);
  const parametersByName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const filters = parameters.flatMap(({ name, role, on }) =>
    on ? [{ name, read: toFilter(name, role, on) }] : [],
  );

  return (query, scope) => {
    const { entityId } = scope;
    const queryValues = requireKnown(query, parametersByName);
    const tokenText = queryValues.get('sync_token');
    const cursorText = queryValues.get('cursor');

    // In the order of declaration, not of the query: the same conditions give the same pages and cursors.
    const askedFilters = filters.filter(({ name }) => queryValues.has(name));
    const sort = readSort(resource, queryValues.get('sort'));
    const choiceName = sort ? 'sort' : askedFilters[0]?.name;
    if (tokenText !== undefined && choiceName !== undefined) {
      throw new HkctlError(
        'bad_parameter',
        `sync_token allows neither a filter nor an order: leave ${quotedText(choiceName)} out.`,
      );
    }

    const token =
      tokenText === undefined ? undefined : readSyncToken(tokenText, listName(resource, entityId));
    const readConditions = askedFilters.flatMap((filter) =>
      filter.read(queryValues.get(filter.name) ?? '', scope),
    );
    requireRanges(queryValues, readConditions);

    const conditions = token ? [changedAfter(token)] : equalsFirst(readConditions);
    const rangeField = conditions.find(({ op }) => op !== 'eq')?.field;
    const orderBy = sort?.field ?? rangeField ?? 'id';
    const include = readInclude(resource, queryValues.get('include'));
    const limit = readLimit(queryValues.get('limit'), pageLimit);
    const queryTie = fingerprint([
      resource.name,
      entityId,
      orderBy,
      conditions,
      ...(token ? [tokenText] : []),
      ...(sort ? [sort.direction] : []),
    ]);

    const orderField = allFields(resource)[orderBy];
    const cursorPlace =
      cursorText === undefined || orderField === undefined
        ? undefined
        : readPlace(cursorText, queryTie, orderField, token !== undefined);
    return {
      request: {
        resource,
        entityId,
        conditions,
        orderBy,
        sort: sort?.direction,
        limit,
        include,
        after: cursorPlace?.position,
      },
      token,
      point: cursorPlace?.point,
      ofRemoved: cursorPlace?.part === 'removed',
      cursorOf: ({ value, id }, point, part) =>
        writeCursor(queryTie, [
          value,
          id,
          ...(point ? [point.timeline, point.changedAt] : []),
          ...(part ? [part] : []),
        ]),
    };
  };
}

function changedAfter({ changedAt }: SyncToken): RecordCondition {
  return { field: 'updated_at', op: 'from', value: instantAfter(changedAt) };
}

function equalsFirst(conditions: readonly RecordCondition[]): RecordCondition[] {
  const equalities = conditions.filter(({ op }) => op === 'eq');
  const bounds = conditions.filter(({ op }) => op !== 'eq');
  return [...equalities, ...bounds];
}

/** Throws `bad_parameter` for `<field>_from` after `<field>_to`. */
function requireRanges(
  queryValues: ReadonlyMap<string, string>,
  conditions: readonly RecordCondition[],
): void {
  for (const lowerBound of conditions) {
    if (lowerBound.op !== 'from') continue;

    const fromName = `${lowerBound.field}_from`;
    const toName = `${lowerBound.field}_to`;
    const fromText = queryValues.get(fromName);
    const toText = queryValues.get(toName);
    if (fromText === undefined || toText === undefined) continue;

    const isReversed = conditions.some((other) => excludes(other, lowerBound));
    if (isReversed) {
      throw reversedRange([fromName, fromText], [toName, toText]);
    }
  }
}

/** Whether a condition is an upper bound that lies before a lower bound of the same field. */
function excludes({ field, op, value }: RecordCondition, lowerBound: RecordCondition): boolean {
  if (field !== lowerBound.field) return false;
  if (op === 'to') return lowerBound.value > value;
  if (op === 'before') return lowerBound.value >= value;
  return false;
}

/** Whether a field can have a value of a cursor, which may be forged. */
function isValueOf(field: Field, value: unknown): value is RecordPosition['value'] {
  if (value === null) return !field.required;
  if (field.kind === 'integer') return Number.isSafeInteger(value);
  if (field.kind === 'decimal') return typeof value === 'number';
  return typeof value === (field.kind === 'boolean' ? 'boolean' : 'string');
}

export function pageParameters(resource: ResourceDefinition): PageParameter[] {
  const details = detailFields(resource);
  const filters = filterableFields(resource).flatMap((field): PageParameter[] => {
    const declaration = resource.fields[field];
    if (!declaration) return [];
    const on = { field, declaration };
    const equals: PageParameter = { name: field, role: 'equals', on };
    const isTime = declaration.kind === 'date' || declaration.kind === 'instant';
    if (!isTime) return [equals];

    return [
      equals,
      { name: `${field}_from`, role: 'from', on },
      { name: `${field}_to`, role: 'to', on },
      { name: `${field}_week`, role: 'week', on },
    ];
  });

  const parameters: PageParameter[] = [
    { name: 'limit', role: 'limit' },
    { name: 'cursor', role: 'cursor' },
    {
      name: 'updated_since',
      role: 'from',
      on: { field: 'updated_at', declaration: updatedAtField },
    },
    { name: 'sync_token', role: 'sync_token' },
    { name: 'sort', role: 'sort', names: sortableFields(resource) },
  ];
  if (details.length > 0) {
    parameters.push({ name: 'include', role: 'include', names: details });
  }
  parameters.push(...filters);
  return parameters;
}

/** Reads the names of the detail fields that a list shows, too. Throws `bad_parameter`. */
function readInclude(resource: ResourceDefinition, includeText: string | undefined): string[] {
  if (includeText === undefined) return [];

  const detailNames = detailFields(resource);
  const wantedNames = includeText.split(',');
  const includedNames = detailNames.filter((name) => wantedNames.includes(name));
  if (includedNames.length !== wantedNames.length) {
    throw wrongValue('include', includeText, detailNames.join(', '));
  }
  return includedNames;
}

/** Reads the order of a list: a field, and `-` before it for the descending one. Throws `bad_parameter`. */
function readSort(resource: ResourceDefinition, sortText: string | undefined) {
  if (sortText === undefined) return undefined;

  const direction = sortText.startsWith('-') ? 'desc' : 'asc';
  const field = direction === 'desc' ? sortText.slice(1) : sortText;
  const names = sortableFields(resource);
  if (!names.includes(field)) {
    throw wrongValue('sort', sortText, `one of ${names.join(', ')}, with - before it to reverse`);
  }
  return { field, direction } as const;
}

/** The error for a list that is too long to be sorted by a field without an index. */
export function tooManyToSort(resource: ResourceDefinition, field: string): HkctlError {
  const freeFields = indexedFields(resource).join(', ');
  return new HkctlError(
    'bad_parameter',
    `sort=${field} takes lists of up to ${mostSorted.list} records, or filters that leave up to ${mostSorted.filtered}. Filter this list, or sort it by one of ${freeFields}.`,
  );
}

function toFilter(
  parameterName: string,
  role: PageParameter['role'],
  { field, declaration }: NonNullable<PageParameter['on']>,
): (text: string, scope: PageScope) => RecordCondition[] {
  /** From the first day to the last one, both included; instants match on whole days in the entity's time zone, as in the commands. */
  const daysOf = (
    firstDay: string,
    lastDay: string,
    timezone: string,
  ): [RecordCondition, RecordCondition] => {
    if (declaration.kind === 'date') {
      return [condition('from', firstDay), condition('to', lastDay)];
    }

    const rangeStart = startOfDay(firstDay, timezone);
    const rangeEnd = startOfDay(addDays(lastDay, 1), timezone);
    return [condition('from', rangeStart), condition('before', rangeEnd)];
  };
  const condition = (op: RecordCondition['op'], value: RecordCondition['value']) => ({
    field,
    op,
    value,
  });

  if (role === 'week') {
    return (weekText, { weekStart, timezone }) => {
      requireUsualYear(parameterName, weekText, 'a day of that week as YYYY-MM-DD');
      const { first, last } = weekOf(weekText, weekStart);
      return daysOf(first, last, timezone);
    };
  }

  const op = operatorOf(role);
  const readValue = toValueReader(parameterName, declaration);
  const mayBeDay = declaration.kind === 'instant' && op !== 'eq';
  return (valueText, { timezone }) => {
    if (!mayBeDay || !isDate(valueText)) {
      return [condition(op, readValue(valueText))];
    }

    requireUsualYear(parameterName, valueText, 'a day as YYYY-MM-DD');
    const [dayStart, dayEnd] = daysOf(valueText, valueText, timezone);
    return [op === 'from' ? dayStart : dayEnd];
  };
}

function operatorOf(role: PageParameter['role']): 'eq' | 'from' | 'to' {
  if (role === 'equals') return 'eq';
  return role === 'to' ? 'to' : 'from';
}

/** Days at the ends of the calendar would reach into years that RFC 3339 cannot express. */
function requireUsualYear(parameterName: string, dayText: string, expected: string): void {
  if (!isDate(dayText) || dayText < '1000' || dayText >= '9999') {
    throw wrongValue(parameterName, dayText, `${expected}, from the year 1000 to 9998`);
  }
}

function startOfDay(date: string, timezone: string): string {
  return formatInstantUs(startOfDayMs(date, timezone) * 1000);
}

function toValueReader(
  parameterName: string,
  declaration: Field,
): (text: string) => string | number | boolean {
  const { fromText } = validatorOf(parameterName, declaration);
  return (valueText) => {
    if (valueText === '') throw wrongValue(parameterName, valueText, 'a value');
    if (declaration.kind === 'instant') return readQueryInstant(parameterName, valueText);

    // In CSV a boolean has more spellings.
    const isBooleanText = valueText === 'true' || valueText === 'false';
    if (declaration.kind === 'boolean' && !isBooleanText) {
      throw wrongValue(parameterName, valueText, 'true or false');
    }

    const value = fromText(valueText, (_field, _given, rule) => {
      throw wrongValue(parameterName, valueText, rule);
    });
    return value as string | number | boolean; // lists are not filterable
  };
}

interface CursorPlace {
  position: RecordPosition;
  point?: SyncPoint;
  part?: 'removed';
}

function readPlace(
  cursor: string,
  queryTie: string,
  orderField: Field,
  isOfChanges: boolean,
): CursorPlace {
  const [value, id, timeline, changedAt, part, ...rest] = readCursor(cursor, queryTie);
  if (typeof id !== 'string' || rest.length > 0) {
    throw wrongCursor(cursor);
  }
  if (!isValueOf(orderField, value)) {
    throw wrongCursor(cursor);
  }

  const position = { value, id };
  if (timeline === undefined && !isOfChanges) return { position };
  if (typeof timeline !== 'string' || !isChangedAt(changedAt)) {
    throw wrongCursor(cursor);
  }

  const point = { timeline, changedAt };
  if (part === undefined) return { position, point };
  if (part !== 'removed' || !isOfChanges || !isChangedAt(value)) {
    throw wrongCursor(cursor);
  }
  return { position, point, part };
}
