import { expectTypeOf, it } from 'vitest';
import { defineResource, type RecordOf } from '../../src/core/fields/fields.ts';
import type { orders } from '../../src/resources/jobs-and-orders.ts';
import type { parts } from '../../src/resources/projects-and-settings.ts';

it('a record has the types that its declaration says', () => {
  type Part = RecordOf<typeof parts>;
  expectTypeOf<Part['id']>().toEqualTypeOf<string>();
  expectTypeOf<Part['updated_at']>().toEqualTypeOf<string>();
  expectTypeOf<Part['part_number']>().toEqualTypeOf<string>();
  expectTypeOf<Part['is_active']>().toEqualTypeOf<boolean>();
  expectTypeOf<Part['weight_kg']>().toEqualTypeOf<number | null>();
  expectTypeOf<Part>().not.toHaveProperty('routing_id');
});

it('choices are literal, and lists never null, however deep', () => {
  type Order = RecordOf<typeof orders>;
  type Service = Order['services'][number];
  expectTypeOf<Order['status']>().toEqualTypeOf<
    'draft' | 'confirmed' | 'in_progress' | 'on_hold' | 'delivered' | 'invoiced' | 'closed' | 'cancelled'
  >();
  expectTypeOf<'nonsense'>().not.toExtend<Order['status']>();
  expectTypeOf<Service['row_id']>().toEqualTypeOf<string>();
  expectTypeOf<Service['unit_price']>().toEqualTypeOf<number | null>();
  expectTypeOf<Service['assignments'][number]['resource']>().toEqualTypeOf<'people' | 'assets'>();
});

it('a declaration with an unknown permission or kind does not compile', () => {
  defineResource({
    name: 'x',
    title: 'X',
    singular: 'x',
    summary: 'X.',
    idExample: 'X-1001',
    // @ts-expect-error no such permission
    permissions: ['suppliers.view'],
    fields: {},
  });
  defineResource({
    name: 'x',
    title: 'X',
    singular: 'x',
    summary: 'X.',
    idExample: 'X-1001',
    permissions: [],
    // @ts-expect-error no such kind
    fields: { a: { kind: 'money', doc: 'A.', example: 1 } },
  });
});
