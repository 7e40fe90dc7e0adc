import {
  detailFields,
  type Field,
  filterableFields,
  type ResourceDefinition,
  updatedAtField,
} from '../fields/fields.ts';
import { validatorOf } from '../fields/values.ts';
import type { RecordCondition, RecordPageRequest, RecordPosition } from '../port/records.ts';
import { startOfDayMs, type WeekDay, weekOf } from '../time/calendar.ts';
import { formatInstantUs, isDate } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';
import { fingerprint, readCursor, writeCursor, wrongCursor } from './cursors.ts';
import {
  pageLimit,
  type QueryParameters,
  readLimit,
  readQueryInstant,
  requireKnown,
  wrongValue,
} from './parameters.ts';
import { isChangedAt, type SyncPoint } from './sync-tokens.ts';

/** A parameter of a resource's list: its role, and the field that it filters. */
export interface PageParameter {
  name: string;
  role: 'limit' | 'cursor' | 'sync_token' | 'include' | 'equals' | 'from' | 'to' | 'week';
  /** Absent if it does not filter. */
  on?: { field: string; declaration: Field };
  /** The values of a list of names; only of `include`. */
  names?: readonly string[];
}

export interface PageScope {
  entityId: string;
  timezone: string;
  weekStart: WeekDay;
}

interface PageQuery {
  request: RecordPageRequest;
  /** The moment at which the first page of a list without filters was read; undefined on that page. */
  point: SyncPoint | undefined;
  cursorOf(next: RecordPosition, point?: SyncPoint): string;
}

interface PageReader {
  readonly parameters: readonly PageParameter[];
  /** Throws `bad_parameter`, which names what is allowed, for an unknown, repeated or wrong parameter. */
  read(query: QueryParameters, scope: PageScope): PageQuery;
}

/** Builds the reader of a resource's list from its declaration, once (contract, section 5). */
export function createPageReader(resource: ResourceDefinition): PageReader {
  const parameters = pageParameters(resource);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const filters = parameters.flatMap(({ name, role, on }) => (on ? [toFilter(name, role, on)] : []));
  return {
    parameters,
    read(query, scope) {
      const given = requireKnown(query, byName);
      const ranged: RecordCondition[] = [];
      const equal: RecordCondition[] = [];
      // In the order of declaration, not of the query: the same conditions give the same pages and cursors.
      for (const { name, role, read } of filters) {
        const value = given.get(name);
        if (value !== undefined) (role === 'equals' ? equal : ranged).push(...read(value, scope));
      }
      const conditions = [...equal, ...ranged];
      const orderBy = ranged[0]?.field ?? 'id';
      const include = readInclude(resource, given.get('include'));
      const tie = fingerprint([resource.name, scope.entityId, orderBy, conditions]);
      const cursor = given.get('cursor');
      const place = cursor === undefined ? undefined : readPlace(cursor, tie);
      return {
        request: {
          resource,
          entityId: scope.entityId,
          conditions,
          orderBy,
          limit: readLimit(given.get('limit'), pageLimit),
          include,
          after: place?.position,
        },
        point: place?.point,
        cursorOf: ({ value, id }, point) =>
          writeCursor(tie, [value, id, ...(point ? [point.epoch, point.changedAt] : [])]),
      };
    },
  };
}

export function pageParameters(resource: ResourceDefinition): PageParameter[] {
  const details = detailFields(resource);
  const filters = filterableFields(resource).flatMap((field): PageParameter[] => {
    const declaration = resource.fields[field];
    if (!declaration) return [];
    const on = { field, declaration };
    const equals: PageParameter = { name: field, role: 'equals', on };
    if (declaration.kind !== 'date' && declaration.kind !== 'instant') return [equals];
    return [
      equals,
      { name: `${field}_from`, role: 'from', on },
      { name: `${field}_to`, role: 'to', on },
      { name: `${field}_week`, role: 'week', on },
    ];
  });
  return [
    { name: 'limit', role: 'limit' },
    { name: 'cursor', role: 'cursor' },
    { name: 'updated_since', role: 'from', on: { field: 'updated_at', declaration: updatedAtField } },
    { name: 'sync_token', role: 'sync_token' },
    ...(details.length > 0 ? [{ name: 'include', role: 'include', names: details } as const] : []),
    ...filters,
  ];
}

/** Reads the names of the detail fields that a list shows, too. Throws `bad_parameter`. */
export function readInclude(resource: ResourceDefinition, text: string | undefined): string[] {
  if (text === undefined) return [];
  const allowed = detailFields(resource);
  const wanted = text.split(',');
  const known = allowed.filter((name) => wanted.includes(name));
  if (known.length !== wanted.length) throw wrongValue('include', text, allowed.join(', '));
  return known;
}

interface Filter {
  name: string;
  role: PageParameter['role'];
  read(text: string, scope: PageScope): RecordCondition[];
}

/** Compiles a filter once for all requests. */
function toFilter(
  name: string,
  role: PageParameter['role'],
  { field, declaration }: NonNullable<PageParameter['on']>,
): Filter {
  if (role === 'week') {
    return { name, role, read: (text, scope) => weekConditions(name, field, declaration, text, scope) };
  }
  const op = role === 'equals' ? 'eq' : role === 'to' ? 'to' : 'from';
  const read = toValueReader(name, declaration);
  const mayBeDay = declaration.kind === 'instant' && role !== 'equals';
  return {
    name,
    role,
    read: (text, { timezone }) => {
      if (!mayBeDay || !isDate(text)) return [{ field, op, value: read(text) }];
      requireUsualYear(name, text, 'a day as YYYY-MM-DD');
      // The whole day in the entity's time zone, as in the commands.
      return op === 'to'
        ? [{ field, op: 'before', value: startOfDay(text, 1, timezone) }]
        : [{ field, op: 'from', value: startOfDay(text, 0, timezone) }];
    },
  };
}

function weekConditions(name: string, field: string, declaration: Field, text: string, scope: PageScope) {
  requireUsualYear(name, text, 'a day of that week as YYYY-MM-DD');
  const { first, last } = weekOf(text, scope.weekStart);
  const conditions: RecordCondition[] =
    declaration.kind === 'date'
      ? [
          { field, op: 'from', value: first },
          { field, op: 'to', value: last },
        ]
      : [
          { field, op: 'from', value: startOfDay(first, 0, scope.timezone) },
          { field, op: 'before', value: startOfDay(last, 1, scope.timezone) },
        ];
  return conditions;
}

/** Days at the ends of the calendar would reach into years that RFC 3339 cannot express. */
function requireUsualYear(name: string, text: string, what: string): void {
  if (!isDate(text) || text < '1000' || text >= '9999') {
    throw wrongValue(name, text, `${what}, from the year 1000 to 9998`);
  }
}

function startOfDay(date: string, daysLater: number, timezone: string): string {
  const day = new Date(Date.parse(`${date}T00:00:00Z`) + daysLater * dayMs).toISOString().slice(0, 10);
  return formatInstantUs(startOfDayMs(day, timezone) * 1000);
}

function toValueReader(name: string, declaration: Field): (text: string) => string | number | boolean {
  const { fromText } = validatorOf(name, declaration);
  return (text) => {
    if (text === '') throw wrongValue(name, text, 'a value');
    if (declaration.kind === 'instant') return readQueryInstant(name, text);
    // In CSV a boolean has more spellings.
    if (declaration.kind === 'boolean' && text !== 'true' && text !== 'false') {
      throw wrongValue(name, text, 'true or false');
    }
    const value = fromText(text, (_field, _given, rule) => {
      throw wrongValue(name, text, rule);
    });
    return value as string | number | boolean; // lists are not filterable
  };
}

function readPlace(cursor: string, tie: string): { position: RecordPosition; point: SyncPoint | undefined } {
  const [value, id, epoch, changedAt, ...rest] = readCursor(cursor, tie);
  if (rest.length > 0 || typeof id !== 'string') throw wrongCursor(cursor);
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongCursor(cursor);
  if (epoch === undefined) return { position: { value, id }, point: undefined };
  if (typeof epoch !== 'string' || !isChangedAt(changedAt)) throw wrongCursor(cursor);
  return { position: { value, id }, point: { epoch, changedAt } };
}
