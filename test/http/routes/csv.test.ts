import { expect, it } from 'vitest';
import { Slices } from '../../../src/http/fairness/slices.ts';
import { recordsIn, recordsToCsv } from '../../../src/http/routes/lists.ts';
import { orders } from '../../../src/resources/jobs-and-orders.ts';

const records = Array.from({ length: 300 }, (_, n) =>
  JSON.stringify({ id: `O-${n}`, order_number: 'a "b", c' }),
);
const json = records.join(',\n');

it('pauses after each record, since a page with long lists takes many milliseconds', () => {
  expect([...recordsToCsv(orders, recordsIn(json))]).toHaveLength(300);
});

it('writes the same in slices, and a header alone for a page without records', async () => {
  const csv = await new Slices().run('key', recordsToCsv(orders, recordsIn(json)));
  const lines = csv.toString().split('\n');
  expect(lines).toHaveLength(302);
  expect(lines[300]).toMatch(/^O-299,"a ""b"", c",/);
  expect((await new Slices().run('key', recordsToCsv(orders, recordsIn('')))).toString()).toBe(
    `${lines[0]}\n`,
  );
});
