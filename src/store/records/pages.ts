import type { Field } from '../../core/fields/fields.ts';
import type { RecordCondition, RecordPageRequest } from '../../core/port/records.ts';

export const operators = { eq: '=', from: '>=', to: '<=', before: '<' } as const;

/**
 * The field whose index serves a page, that of `id` if it is undefined, and the conditions that bound the index: a value, or
 * a range. The others are checked for each record. If few records have the value of the field `rare`, its index serves.
 */
export function servedBy(request: RecordPageRequest, rare?: string) {
  const { conditions, orderBy } = request;
  const field = rare ?? (orderBy === 'id' ? equalRarestFirst(request)[0]?.field : orderBy);
  const ofField = conditions.filter((condition) => condition.field === field);
  const held = ofField.find(({ op }) => op === 'eq');
  const lower = held ? undefined : ofField.find(({ op }) => op === 'from');
  const upper = held ? undefined : ofField.find(({ op }) => op === 'to' || op === 'before');
  const checked = conditions.filter((one) => one !== held && one !== lower && one !== upper);
  return { field, held, lower, upper, checked };
}

/** The conditions one of which may be served by a value that few records have, so that a page need not walk past all others. */
export function rareCandidates(request: RecordPageRequest): RecordCondition[] {
  return request.conditions.length < 2 ? [] : equalRarestFirst(request);
}

/** The equality conditions, those first that probably match the fewest records. */
function equalRarestFirst({ resource, conditions }: RecordPageRequest): RecordCondition[] {
  const rank = ({ field }: RecordCondition) => rarestFirst.indexOf(resource.fields[field]?.kind ?? 'boolean');
  return conditions.filter(({ op }) => op === 'eq').sort((a, b) => rank(a) - rank(b));
}

const rarestFirst: readonly Field['kind'][] = ['text', 'instant', 'decimal', 'date', 'integer', 'enum', 'boolean'];
