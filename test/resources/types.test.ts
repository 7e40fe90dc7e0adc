import { it } from 'vitest';
import { defineResource } from '../../src/core/fields/fields.ts';

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
