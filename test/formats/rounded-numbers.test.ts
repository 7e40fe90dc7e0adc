import { describe, expect, it } from 'vitest';
import { orders } from '../../src/resources/jobs-and-orders.ts';
import { header, read } from './reading.ts';

describe('a number that a double would round', () => {
  const rule = (becomes: string) =>
    `a number that a double keeps, as it does any of 15 significant digits; this would become ${becomes}`;
  const services = (price: string) =>
    `[{"row_id":"SVC-01","service_code":"A","quantity":1,"unit_price":${price}}]`;
  const lost: [given: string, becomes: string][] = [
    ['99999999999999.99', '99999999999999.98'],
    ['-99999999999999.99', '-99999999999999.98'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['1.00000000000000001', '1'],
    ['0.12345678901234567', '0.12345678901234566'],
    ['12345678901234567.89', '12345678901234568'],
    ['9.999999999999999999e-5', '0.0001'],
    ['1e-400', '0'],
    ['1.23456789e-320', '1.2347e-320'],
    ['1e400', 'Infinity'],
  ];
  const kept = [
    '1.5',
    '0.30000000000000004',
    '1.50000000000000000000',
    '1e21',
    '100000000000000000000',
    '0.000000000000000000001',
  ];
  kept.push(
    '1.1000000000000001',
    '0.10000000000000001',
    '0.10000000000000000555',
    '21.300000000000001',
    '4.9406564584124654e-324',
    '5e-324',
    '0e-400',
    '0.3333333333333333',
    '99999999999999.98',
    '123456789.012345',
    '1.7976931348623157e308',
  );

  it.each(lost)('%s is refused in CSV, by line, column and field', async (given, becomes) => {
    const { violations } = await read(`${header},weight_kg\nA,x,1,true,1.5\nB,y,2,true,${given}\n`);
    const expected = { line: 3, column: 5, field: 'weight_kg', value: given };
    const isNegative = given.startsWith('-');
    expect(violations).toEqual([
      { ...expected, rule: isNegative ? expect.any(String) : rule(becomes) },
    ]);
  });

  it.each(lost.filter(([given]) => !given.startsWith('-')))(
    '%s is refused in JSON and NDJSON, by line and field',
    async (given, becomes) => {
      const good =
        '{"id":"A","name":"x","part_number":"99999999999999.99","is_active":true,"weight_kg":1.5}';
      const bad = `{"id":"B","name":"\\"y,9","part_number":"2","is_active":true,"weight_kg":${given}}`;
      const expected = [
        { line: 2, column: null, field: 'weight_kg', value: given, rule: rule(becomes) },
      ];
      expect((await read(`${good}\n${bad}`)).violations).toEqual(expected);
      expect((await read(`[${good},\n${bad}]`)).violations).toEqual(expected);
    },
  );

  it('is refused inside the rows of an order, in every format', async () => {
    const field = 'services[0].unit_price';
    const expected = [
      { line: 2, field, value: '99999999999999.99', rule: rule('99999999999999.98') },
    ];
    const cell = `"${services('99999999999999.99').replaceAll('"', '""')}"`;
    const csv = await read(`id,order_number,status,services\nO-1,1,draft,${cell}\n`, {}, orders);
    expect(csv.violations).toMatchObject(expected);
    const object = `{"id":"O-1","order_number":"1","status":"draft","services":${services('99999999999999.99')}}`;
    expect((await read(`\n${object}`, { format: 'ndjson' }, orders)).violations).toMatchObject(
      expected,
    );
    expect((await read(`[\n${object}]`, {}, orders)).violations).toMatchObject(expected);
  });

  it('may stand in a column that is left out, and in a text', async () => {
    const text =
      '{"id":"A","name":"0.1234567890123456789","part_number":"1","is_active":true,"x":0.1234567890123456789}';
    const { records } = await read(text, { map: { x: '-' } });
    expect(records).toMatchObject([{ id: 'A', name: '0.1234567890123456789' }]);
    const wrong = await read(
      '{"id":"A","name":0.1234567890123456789,"part_number":"1","is_active":true}',
    );
    expect(wrong.violations).toMatchObject([
      { field: 'name', value: '0.1234567890123456789', rule: 'a text' },
    ]);
  });

  it.each(kept)('%s is kept', async (given) => {
    const value = Number(given);
    const csv = await read(`${header},weight_kg\nA,x,1,true,${given}\n`);
    expect(csv.records).toMatchObject([{ weight_kg: value }]);
    const json = await read(
      `{"id":"A","name":"x","part_number":"1","is_active":true,"weight_kg":${given}}`,
    );
    expect(json.records).toMatchObject([{ weight_kg: value }]);
  });
});
