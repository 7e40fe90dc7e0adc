import { sha256 } from '../digest.ts';
import { HkctlError } from '../errors.ts';
import type { RecordCondition, RecordPageRequest, RecordPosition } from '../port/records.ts';
import { quotedText } from '../text/shown-text.ts';
import { startOfDayMs, type WeekDay, weekOf } from '../time/calendar.ts';
import { canonicalInstant, formatInstantUs, isDate } from '../time/instants.ts';
import { type Field, filterableFields, type ResourceDefinition, updatedAtField } from './fields.ts';
import { validatorOf } from './values.ts';

export const pageLimit = { default: 50, max: 500 } as const;

/** The parameters of a query in their order, names and values decoded. */
export type QueryParameters = readonly (readonly [name: string, value: string])[];

/** A parameter of a resource's list: its role, and the field that it filters. */
export interface PageParameter {
  name: string;
  role: 'limit' | 'cursor' | 'equals' | 'from' | 'to' | 'week';
  /** Absent for `limit` and `cursor`. */
  on?: { field: string; declaration: Field };
}

/** The entity of a page and its calendar. */
export interface PageScope {
  entityId: string;
  timezone: string;
  weekStart: WeekDay;
}

/** A page request, and the cursor of its next page. */
export interface PageQuery {
  request: RecordPageRequest;
  cursorOf(next: RecordPosition): string;
}

/** Reads the queries of one resource's list. */
export interface PageReader {
  readonly parameters: readonly PageParameter[];
  /** Throws `bad_parameter`, which names what is allowed, for an unknown, repeated or wrong parameter. */
  read(query: QueryParameters, scope: PageScope): PageQuery;
}

/** Builds the reader of a resource's list from its declaration, once (contract, section 5). */
export function createPageReader(resource: ResourceDefinition): PageReader {
  const parameters = pageParameters(resource);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return {
    parameters,
    read(query, scope) {
      const given = requireKnown(query, byName);
      const ranged: RecordCondition[] = [];
      const equal: RecordCondition[] = [];
      // In the order of declaration, not of the query: the same conditions give the same pages and cursors.
      for (const parameter of parameters) {
        const value = given.get(parameter.name);
        if (value === undefined || !parameter.on) continue;
        const conditions = conditionsOf(parameter, parameter.on, value, scope);
        (parameter.role === 'equals' ? equal : ranged).push(...conditions);
      }
      const conditions = [...equal, ...ranged];
      const orderBy = ranged[0]?.field ?? 'id';
      const tie = fingerprint(resource.name, scope.entityId, orderBy, conditions);
      const cursor = given.get('cursor');
      return {
        request: {
          resource,
          entityId: scope.entityId,
          conditions,
          orderBy,
          limit: readLimit(given.get('limit'), pageLimit),
          after: cursor === undefined ? undefined : readCursor(cursor, tie),
        },
        cursorOf: (next) => writeCursor(tie, next),
      };
    },
  };
}

/** Lists every parameter of a resource's list. */
export function pageParameters(resource: ResourceDefinition): PageParameter[] {
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
    ...filters,
  ];
}

/** Returns the parameters by name. Throws `bad_parameter` for unknown and repeated ones. */
export function requireKnown(query: QueryParameters, allowed: ReadonlyMap<string, unknown>): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (!allowed.has(name)) {
      const names = [...allowed.keys()];
      const known = names.length > 0 ? `Allowed are ${names.join(', ')}.` : 'None is allowed here.';
      throw new HkctlError('bad_parameter', `There is no parameter ${quotedText(name)}. ${known}`);
    }
    if (given.has(name))
      throw new HkctlError('bad_parameter', `The parameter "${name}" is given more than once: give it once.`);
    given.set(name, value);
  }
  return given;
}

/** Reads a whole number within bounds, or the default if none is given. Throws `bad_parameter`. */
export function readLimit(text: string | undefined, bounds: { default: number; max: number }): number {
  if (text === undefined) return bounds.default;
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > bounds.max) throw wrongValue('limit', text, `a whole number from 1 to ${bounds.max}`);
  return limit;
}

/** The error for a wrong value of a parameter. */
export function wrongValue(name: string, value: string, rule: string): HkctlError {
  return new HkctlError('bad_parameter', `${name}=${quotedText(value)}: give ${rule}.`);
}

/** Reads an instant of a query, where an unescaped `+` of an offset arrives as a blank. Throws `bad_parameter`. */
export function readQueryInstant(name: string, text: string): string {
  const instant = canonicalInstant(text.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (instant === undefined) {
    throw wrongValue(name, text, 'an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z');
  }
  return instant;
}

function conditionsOf(
  { name, role }: PageParameter,
  { field, declaration }: NonNullable<PageParameter['on']>,
  text: string,
  scope: PageScope,
): RecordCondition[] {
  if (role === 'week') return weekConditions(name, field, declaration, text, scope);
  const op = role === 'from' || role === 'to' ? role : 'eq';
  return [{ field, op, value: readValue(name, declaration, text) }];
}

function weekConditions(name: string, field: string, declaration: Field, text: string, scope: PageScope) {
  // Weeks at the ends of the calendar would reach into years that RFC 3339 cannot express.
  if (!isDate(text) || text < '1000' || text >= '9999') {
    throw wrongValue(name, text, 'a day of that week as YYYY-MM-DD, from the year 1000 to 9998');
  }
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

function startOfDay(date: string, daysLater: number, timezone: string): string {
  const day = new Date(Date.parse(`${date}T00:00:00Z`) + daysLater * 86_400_000).toISOString().slice(0, 10);
  return formatInstantUs(startOfDayMs(day, timezone) * 1000);
}

function readValue(name: string, declaration: Field, text: string): string | number | boolean {
  if (text === '') throw wrongValue(name, text, 'a value');
  if (declaration.kind === 'instant') return readQueryInstant(name, text);
  if (declaration.kind === 'boolean') {
    if (text !== 'true' && text !== 'false') throw wrongValue(name, text, 'true or false');
    return text === 'true';
  }
  const value = validatorOf(name, declaration).fromText(text, (_field, _given, rule) => {
    throw wrongValue(name, text, rule);
  });
  // Lists are not filterable, which leaves texts and numbers.
  return value as string | number;
}

/** Binds a cursor to its query: with another query the same position would silently give another page. */
function fingerprint(name: string, entityId: string, orderBy: string, conditions: readonly RecordCondition[]): string {
  return sha256(JSON.stringify([name, entityId, orderBy, conditions]), 'base64url').slice(0, 12);
}

function writeCursor(tie: string, { value, id }: RecordPosition): string {
  return Buffer.from(JSON.stringify([tie, value, id])).toString('base64url');
}

/** Reads a cursor that {@link writeCursor} wrote for the same query. Throws `bad_parameter`. */
function readCursor(cursor: string, tie: string): RecordPosition {
  const parts = cursor.length <= 2000 && /^[A-Za-z0-9_-]+$/.test(cursor) ? parseParts(cursor) : undefined;
  if (parts === undefined) throw wrongValue('cursor', cursor, 'the next_cursor of the previous page, unchanged');
  const [ofQuery, value, id] = parts;
  if (ofQuery !== tie) {
    throw new HkctlError('bad_parameter', 'This cursor belongs to another query: repeat all other parameters with it.');
  }
  return { value, id };
}

function parseParts(cursor: string): [string, string | number, string] | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [tie, value, id] = parts as unknown[]; // any JSON: checked in the next line
  if (typeof tie !== 'string' || typeof id !== 'string') return undefined;
  return typeof value === 'string' || typeof value === 'number' ? [tie, value, id] : undefined;
}
