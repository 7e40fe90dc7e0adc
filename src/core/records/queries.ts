import { HkctlError } from '../errors.ts';
import {
  detailFields,
  type Field,
  filterableFields,
  type ResourceDefinition,
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
  role: 'limit' | 'cursor' | 'sync_token' | 'include' | 'equals' | 'from' | 'to' | 'week';
  on?: { field: string; declaration: Field };
  /** The values of a list of names; only of `include`. */
  names?: readonly string[];
}

export interface PageScope {
  entityId: string;
  timezone: string;
  weekStart: WeekDay;
}

export interface PageQuery {
  /** With a sync token, all that has changed since: up to which moment is the reader's to say. */
  request: RecordPageRequest;
  token: SyncToken | undefined;
  /** When the first page of a list without filters, or of the changes since a token, was read; undefined on that page. */
  point: SyncPoint | undefined;
  /** Whether the page is one of removals, which come after the changed records. */
  ofRemoved: boolean;
  cursorOf(next: RecordPosition, point?: SyncPoint, part?: 'removed'): string;
}

/** Reads the query of a list. Throws `bad_parameter`, which names what is allowed, for an unknown, repeated or wrong parameter. */
type PageReader = (query: QueryParameters, scope: PageScope) => PageQuery;

/** Builds the reader of a resource's list from its declaration, once (promise 5.2). */
export function createPageReader(resource: ResourceDefinition): PageReader {
  const parameters = pageParameters(resource);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const filters = parameters.flatMap(({ name, role, on }) =>
    on ? [{ name, read: toFilter(name, role, on) }] : [],
  );
  return (query, scope) => {
    const { entityId } = scope;
    const parameters = requireKnown(query, byName);
    const [text, cursor] = [parameters.get('sync_token'), parameters.get('cursor')];
    // In the order of declaration, not of the query: the same conditions give the same pages and cursors.
    const asked = filters.filter(({ name }) => parameters.has(name));
    if (text !== undefined && asked[0]) {
      throw new HkctlError(
        'bad_parameter',
        `sync_token allows no filter: leave ${quotedText(asked[0].name)} out.`,
      );
    }
    const token =
      text === undefined ? undefined : readSyncToken(text, listName(resource, entityId));
    const read = asked.flatMap((filter) => filter.read(parameters.get(filter.name) ?? '', scope));
    requireRanges(parameters, read);
    const conditions: RecordCondition[] = token
      ? [{ field: 'updated_at', op: 'from', value: instantAfter(token.changedAt) }]
      : [...read.filter(({ op }) => op === 'eq'), ...read.filter(({ op }) => op !== 'eq')];
    const orderBy = conditions.find(({ op }) => op !== 'eq')?.field ?? 'id';
    const include = readInclude(resource, parameters.get('include'));
    const limit = readLimit(parameters.get('limit'), pageLimit);
    const tie = fingerprint([
      resource.name,
      entityId,
      orderBy,
      conditions,
      ...(token ? [text] : []),
    ]);
    const place = cursor === undefined ? undefined : readPlace(cursor, tie, token !== undefined);
    return {
      request: { resource, entityId, conditions, orderBy, limit, include, after: place?.position },
      token,
      point: place?.point,
      ofRemoved: place?.part === 'removed',
      cursorOf: ({ value, id }, point, part) =>
        writeCursor(tie, [
          value,
          id,
          ...(point ? [point.epoch, point.changedAt] : []),
          ...(part ? [part] : []),
        ]),
    };
  };
}

/** Throws `bad_parameter` for `<field>_from` after `<field>_to`. */
function requireRanges(
  given: ReadonlyMap<string, string>,
  conditions: readonly RecordCondition[],
): void {
  for (const { field, op, value } of conditions) {
    const [fromName, toName] = [`${field}_from`, `${field}_to`];
    const [fromText, toText] = [given.get(fromName), given.get(toName)];
    if (op !== 'from' || fromText === undefined || toText === undefined) continue;
    const isReversed = conditions.some(
      (other) =>
        other.field === field &&
        ((other.op === 'to' && value > other.value) ||
          (other.op === 'before' && value >= other.value)),
    );
    if (isReversed) throw reversedRange([fromName, fromText], [toName, toText]);
  }
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
    {
      name: 'updated_since',
      role: 'from',
      on: { field: 'updated_at', declaration: updatedAtField },
    },
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
  const includedLists = allowed.filter((name) => wanted.includes(name));
  if (includedLists.length !== wanted.length) throw wrongValue('include', text, allowed.join(', '));
  return includedLists;
}

function toFilter(
  name: string,
  role: PageParameter['role'],
  { field, declaration }: NonNullable<PageParameter['on']>,
): (text: string, scope: PageScope) => RecordCondition[] {
  /** From the first day to the last one, both included: of instants the whole days in the entity's time zone, as in the commands. */
  const daysOf = (
    first: string,
    last: string,
    timezone: string,
  ): [RecordCondition, RecordCondition] => {
    if (declaration.kind === 'date') return [condition('from', first), condition('to', last)];
    const [from, before] = [startOfDay(first, timezone), startOfDay(addDays(last, 1), timezone)];
    return [condition('from', from), condition('before', before)];
  };
  const condition = (op: RecordCondition['op'], value: RecordCondition['value']) => ({
    field,
    op,
    value,
  });
  if (role === 'week') {
    return (text, { weekStart, timezone }) => {
      requireUsualYear(name, text, 'a day of that week as YYYY-MM-DD');
      const { first, last } = weekOf(text, weekStart);
      return daysOf(first, last, timezone);
    };
  }
  const op = role === 'equals' ? 'eq' : role === 'to' ? 'to' : 'from';
  const read = toValueReader(name, declaration);
  const mayBeDay = declaration.kind === 'instant' && op !== 'eq';
  return (text, { timezone }) => {
    if (!mayBeDay || !isDate(text)) return [condition(op, read(text))];
    requireUsualYear(name, text, 'a day as YYYY-MM-DD');
    return [daysOf(text, text, timezone)[op === 'from' ? 0 : 1]];
  };
}

/** Days at the ends of the calendar would reach into years that RFC 3339 cannot express. */
function requireUsualYear(name: string, text: string, expected: string): void {
  if (!isDate(text) || text < '1000' || text >= '9999') {
    throw wrongValue(name, text, `${expected}, from the year 1000 to 9998`);
  }
}

function startOfDay(date: string, timezone: string): string {
  return formatInstantUs(startOfDayMs(date, timezone) * 1000);
}

function toValueReader(
  name: string,
  declaration: Field,
): (text: string) => string | number | boolean {
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

interface Place {
  position: RecordPosition;
  point?: SyncPoint;
  part?: 'removed';
}

function readPlace(cursor: string, tie: string, isOfChanges: boolean): Place {
  const [value, id, epoch, changedAt, part, ...rest] = readCursor(cursor, tie);
  if (typeof id !== 'string' || rest.length > 0) throw wrongCursor(cursor);
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongCursor(cursor);
  const position = { value, id };
  if (epoch === undefined && !isOfChanges) return { position };
  if (typeof epoch !== 'string' || !isChangedAt(changedAt)) throw wrongCursor(cursor);
  const point = { epoch, changedAt };
  if (part === undefined) return { position, point };
  if (part !== 'removed' || !isOfChanges || !isChangedAt(value)) throw wrongCursor(cursor);
  return { position, point, part };
}
