import { describe, expect, it } from 'vitest';
import type { QueryParameters } from '../../../src/core/records/parameters.ts';
import { createPageReader, type PageScope } from '../../../src/core/records/queries.ts';
import { orders } from '../../../src/resources/jobs-and-orders.ts';
import { oeeEvents } from '../../../src/resources/production.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';

const scope: PageScope = { entityId: 'e', timezone: 'Europe/Berlin', weekStart: 'monday' };
const reader = createPageReader(orders);
const read = (...query: QueryParameters) => reader(query, scope).request;

describe('conditions', () => {
  it('has none and orders by id where nothing is asked', () => {
    expect(read()).toMatchObject({ conditions: [], orderBy: 'id', limit: 50, after: undefined });
  });

  it('puts equality first and orders by the first range', () => {
    const request = read(
      ['required_date_to', '2026-12-31'],
      ['status', 'closed'],
      ['received_date_from', '2026-01-01'],
    );
    expect(request.conditions).toEqual([
      { field: 'status', op: 'eq', value: 'closed' },
      { field: 'received_date', op: 'from', value: '2026-01-01' },
      { field: 'required_date', op: 'to', value: '2026-12-31' },
    ]);
    expect(request.orderBy).toBe('received_date');
  });

  it('reads instants of any offset, also where the plus came as a blank', () => {
    const value = '2026-11-20T07:15:00.123456Z';
    for (const text of [
      '2026-11-20T08:15:00.123456+01:00',
      '2026-11-20T08:15:00.123456 01:00',
      value,
    ]) {
      expect(read(['updated_since', text]).conditions).toEqual([
        { field: 'updated_at', op: 'from', value },
      ]);
    }
  });

  it('reads booleans strictly', () => {
    const partReader = createPageReader(parts);
    expect(partReader([['is_active', 'true']], scope).request.conditions[0]?.value).toBe(true);
    expect(() => partReader([['is_active', '1']], scope)).toThrow('true or false');
  });
});

describe('weeks', () => {
  it.each([
    ['monday', '2026-11-16', '2026-11-22'],
    ['sunday', '2026-11-15', '2026-11-21'],
    ['saturday', '2026-11-14', '2026-11-20'],
  ] as const)('start on %s for dates', (weekStart, first, last) => {
    const { request } = reader([['received_date_week', '2026-11-20']], { ...scope, weekStart });
    expect(request.conditions).toEqual([
      { field: 'received_date', op: 'from', value: first },
      { field: 'received_date', op: 'to', value: last },
    ]);
  });

  it('lie in the zone of the entity for instants, also where the clock changes', () => {
    const field = 'started_at';
    const { request } = createPageReader(oeeEvents)([[`${field}_week`, '2026-10-25']], scope);
    expect(request.conditions).toEqual([
      { field, op: 'from', value: '2026-10-18T22:00:00.000000Z' },
      { field, op: 'before', value: '2026-10-25T23:00:00.000000Z' },
    ]);
  });

  it('refuses days at the ends of the calendar', () => {
    for (const day of ['0999-12-31', '9999-12-31', '2026-02-29']) {
      expect(() => read(['received_date_week', day])).toThrow('a day of that week');
    }
  });
});

describe('an order', () => {
  it('is a field of the list, in one direction or the other', () => {
    expect(read()).not.toHaveProperty('sort', expect.any(String));
    expect(read(['sort', 'status'])).toMatchObject({ orderBy: 'status', sort: 'asc' });
    expect(read(['sort', '-total_amount'], ['received_date_from', '2026-01-01'])).toMatchObject({
      orderBy: 'total_amount',
      sort: 'desc',
      conditions: [{ field: 'received_date' }],
    });
  });

  it.each([
    '',
    '-',
    '--status',
    'colour',
    'services',
    'status,id',
    'status desc',
    ' status',
    'Status',
  ])('is refused with those that a list has: %j', (text) => {
    expect(() => read(['sort', text])).toThrow(
      /sort=.*: give one of id, order_number, .*updated_at/,
    );
  });

  it('is refused twice, and with a sync token', () => {
    expect(() => read(['sort', 'id'], ['sort', 'id'])).toThrow('more than once');
    expect(() => read(['sync_token', 'x'], ['sort', 'id'])).toThrow('leave "sort" out');
  });

  it('binds its cursors, whose value is one of its field', () => {
    const query: QueryParameters = [['sort', 'total_amount']];
    const { cursorOf } = reader(query, scope);
    const cursor = cursorOf({ value: 7.5, id: 'O-7' });
    expect(read(...query, ['cursor', cursor]).after).toEqual({ value: 7.5, id: 'O-7' });
    for (const other of ['-total_amount', 'id', 'status']) {
      expect(() => read(['sort', other], ['cursor', cursor])).toThrow('another query');
    }
    expect(() => read(['cursor', cursor])).toThrow('another query');
    for (const value of ['7', true]) {
      const forged = cursorOf({ value, id: 'O-7' });
      expect(() => read(...query, ['cursor', forged])).toThrow('next_cursor');
    }
    const withoutValue = reader([['sort', 'status']], scope).cursorOf({ value: null, id: 'O-7' });
    expect(() => read(['sort', 'status'], ['cursor', withoutValue])).toThrow('next_cursor');
  });
});

describe('cursors', () => {
  const query: QueryParameters = [['status', 'closed']];
  const { cursorOf } = reader(query, scope);
  const cursor = cursorOf({ value: 'O-7', id: 'O-7' });

  it('lead on with the same query, whatever its limit', () => {
    const { request } = reader([...query, ['limit', '7'], ['cursor', cursor]], scope);
    expect(request.after).toEqual({ value: 'O-7', id: 'O-7' });
    expect(request.limit).toBe(7);
  });

  it('are refused with another query or another entity', () => {
    expect(() => read(['status', 'draft'], ['cursor', cursor])).toThrow('another query');
    expect(() => reader([...query, ['cursor', cursor]], { ...scope, entityId: 'f' })).toThrow(
      'another query',
    );
  });

  it.each(['', 'x', '%', 'W10', Buffer.from('{"a":1}').toString('base64url'), 'A'.repeat(3000)])(
    'refuses %j',
    (text) => {
      expect(() => read(['cursor', text])).toThrow('next_cursor');
    },
  );
});

describe('what is not allowed', () => {
  it('is named with what is', () => {
    expect(() => read(['colour', 'red'])).toThrow(
      /no parameter "colour"\. Allowed are limit, cursor, updated_since, /,
    );
    expect(() => read(['limit', '1'], ['limit', '1'])).toThrow('more than once');
    expect(() => read(['limit', '501'])).toThrow('from 1 to 500');
    expect(() => read(['status', 'lost'])).toThrow('one of draft');
  });

  it('is not repeated at length, nor with a secret in it', () => {
    expect(() => read(['limit', 'x'.repeat(500)])).toThrow(/^.{1,150}$/);
    expect(() => read(['limit', `hk_${'a'.repeat(30)}`])).toThrow(/"hk_aaaaa…"/);
  });
});

describe('a day where an instant is asked for', () => {
  const conditionsOf = (name: string, text: string) =>
    createPageReader(oeeEvents)([[name, text]], scope).request.conditions;

  it('is the whole day in the time zone of the entity, also where the clock changes', () => {
    expect(conditionsOf('updated_since', '2026-11-20')).toEqual([
      { field: 'updated_at', op: 'from', value: '2026-11-19T23:00:00.000000Z' },
    ]);
    expect(conditionsOf('started_at_from', '2026-10-25')).toEqual([
      { field: 'started_at', op: 'from', value: '2026-10-24T22:00:00.000000Z' },
    ]);
    expect(conditionsOf('started_at_to', '2026-10-25')).toEqual([
      { field: 'started_at', op: 'before', value: '2026-10-25T23:00:00.000000Z' },
    ]);
  });

  it('exists, and lies in the years of the calendar', () => {
    for (const day of ['2026-02-30', '0999-12-31', '9999-01-01']) {
      expect(() => conditionsOf('started_at_to', day)).toThrow(/started_at_to=/);
    }
    expect(() => conditionsOf('started_at', '2026-11-20')).toThrow('RFC 3339');
  });
});
