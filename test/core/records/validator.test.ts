import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineResource, importFields } from '../../../src/core/fields/fields.ts';
import type { Violation } from '../../../src/core/records/imports.ts';
import { createRecordValidator } from '../../../src/core/records/validator.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { resources } from '../../../src/resources/index.ts';
import { recordOf } from '../../formats/batches.ts';

const gauges = defineResource({
  name: 'gauges',
  title: 'Gauges',
  singular: 'gauge',
  summary: 'Gauges.',
  idExample: 'G-1001',
  permissions: ['parts.view'],
  fields: {
    code: { kind: 'text', maxLength: 12, required: true, doc: 'Code.', example: 'G' },
    remarks: { kind: 'text', maxLength: 500, doc: 'Remarks.', example: 'x' },
    state: { kind: 'enum', values: ['on', 'off'], doc: 'State.', example: 'on' },
    turns: { kind: 'integer', min: 0, max: 100, doc: 'Turns.', example: 1 },
    weight: { kind: 'decimal', min: -5, doc: 'Weight.', example: 1.5 },
    is_new: { kind: 'boolean', doc: 'New.', example: true },
    due_date: { kind: 'date', doc: 'Due.', example: '2026-11-20' },
    read_at: { kind: 'instant', doc: 'Read.', example: '2026-11-20T08:15:00.000000Z' },
    unit: { kind: 'text', maxLength: 16, format: 'ucum', doc: 'Unit.', example: 'kg' },
    pause: { kind: 'text', maxLength: 8, format: 'span', doc: 'Pause.', example: '15m' },
    currency: { kind: 'text', maxLength: 3, format: 'currency', doc: 'Currency.', example: 'EUR' },
    tags: { kind: 'list', doc: 'Tags.', example: ['a'] },
    rows: {
      kind: 'list',
      uniqueBy: 'row_id',
      of: {
        row_id: {
          kind: 'text',
          maxLength: 8,
          format: 'row_id',
          required: true,
          doc: 'Row.',
          example: 'SVC-01',
        },
        price: { kind: 'decimal', min: 0, doc: 'Price.', example: 1 },
        people: { kind: 'list', doc: 'People.', example: [] },
      },
      doc: 'Rows.',
      example: [],
    },
  },
});

const required = { id: 'G-1', code: 'A' };

/** Validators one row given as JSON. */
function validateJson(row: Record<string, unknown>) {
  const validator = createRecordValidator(gauges);
  validator.validateObject({ ...required, ...row }, 7);
  return {
    record: recordOf(validator.take(), validator.fields),
    violations: validator.violations.first,
  };
}

/** Validators one row given as cells of a CSV file with the columns in the order of the row. */
function validateCsv(row: Record<string, string>) {
  const validator = createRecordValidator(gauges);
  const cells = { ...required, ...row };
  const columns = Int32Array.from(validator.fields, (name) => Object.keys(cells).indexOf(name));
  validator.validateCells(Object.values(cells), columns, 7, false);
  return {
    record: recordOf(validator.take(), validator.fields),
    violations: validator.violations.first,
  };
}

const reportOf = ({ line, field, value, rule }: Violation) => ({ line, field, value, rule });

describe('what is not given', () => {
  it('is null, and a list empty', () => {
    const { record } = validateCsv({});
    expect(record).toEqual({
      id: 'G-1',
      code: 'A',
      remarks: null,
      state: null,
      turns: null,
      weight: null,
      is_new: null,
      due_date: null,
      read_at: null,
      unit: null,
      pause: null,
      currency: null,
      tags: [],
      rows: [],
    });
    expect(validateJson({}).record).toEqual(record);
    expect(validateJson({ remarks: '', turns: null, tags: null, unit: '  ' }).record).toEqual(
      record,
    );
  });

  it('is refused where it is required', () => {
    expect(validateCsv({ code: ' ' }).violations.map(reportOf)).toEqual([
      { line: 7, field: 'code', value: null, rule: 'required' },
    ]);
    expect(validateJson({ id: null, code: '' }).violations.map(({ field }) => field)).toEqual([
      'id',
      'code',
    ]);
  });
});

it.each(['15', '15min', '0m', '1.5h', '-2h', '15M', '1mo', 'm', '9999999s'])(
  'a span of time is not %s',
  (typedSpan) => {
    const rule = 'a span such as 15m, 2h or 1d: a number, and s, m, h, d or w';
    expect(validateCsv({ pause: typedSpan }).violations.map(reportOf)).toEqual([
      { line: 7, field: 'pause', value: typedSpan, rule },
    ]);
  },
);

describe('cells of text', () => {
  it.each([
    ['code', ' B-1 ', 'B-1'],
    ['remarks', 'two\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['remarks', 'Größe 5 µm 漢字 🦊', 'Größe 5 µm 漢字 🦊'],
    ['state', 'off', 'off'],
    ['turns', '7', 7],
    ['turns', '7.0', 7],
    ['turns', '0100', 100],
    ['weight', '-1.25', -1.25],
    ['weight', '+1.25', 1.25],
    ['weight', '.5', 0.5],
    ['weight', '5.', 5],
    ['weight', '1e3', 1000],
    ['weight', '-0', 0],
    ['is_new', 'TRUE', true],
    ['is_new', '1', true],
    ['is_new', 'no', false],
    ['due_date', '2024-02-29', '2024-02-29'],
    ['read_at', '2026-11-20T09:15:00+01:00', '2026-11-20T08:15:00.000000Z'],
    ['unit', '{piece}', '{piece}'],
    ['pause', '15m', '15m'],
    ['pause', '2w', '2w'],
    ['tags', '["a","b"]', ['a', 'b']],
    ['rows', '[{"row_id":"SVC-01"}]', [{ row_id: 'SVC-01', price: null, people: [] }]],
  ])('%s: %j is %j', (field, cell, value) => {
    const { record, violations } = validateCsv({ [field]: cell });
    expect(violations).toEqual([]);
    expect(record?.[field]).toEqual(value);
  });

  it.each([
    ['code', 'ABCDEFGHIJKLM', 'at most 12 characters, this has 13'],
    ['code', 'A\nB', 'one line without tabs'],
    ['code', 'A\u0000B', 'no control characters (U+0000)'],
    ['remarks', 'A\u0085B', 'no control characters (U+0085)'],
    ['remarks', 'A\u001bB', 'no control characters (U+001B)'],
    ['state', 'On', 'one of on, off'],
    ['turns', '7.5', 'a whole number'],
    ['turns', '101', 'at most 100'],
    ['turns', '-1', 'at least 0'],
    ['turns', '0x10', 'a whole number'],
    ['turns', '1 000', 'a whole number, not with separators of thousands'],
    ['weight', '12,4', 'a number with a decimal point, not with a decimal comma'],
    ['weight', '1.234,56', 'a number with a decimal point, not with separators of thousands'],
    ['weight', '1,234,567', 'a number with a decimal point, not with separators of thousands'],
    ['weight', "1'234.5", 'a number with a decimal point, not with separators of thousands'],
    ['weight', '12.50-', 'a number with a decimal point, its minus in front'],
    ['weight', 'Infinity', 'a number with a decimal point'],
    [
      'weight',
      '1e999',
      'a number that a double keeps, as it does any of 15 significant digits; this would become Infinity',
    ],
    ['weight', 'NaN', 'a number with a decimal point'],
    ['weight', '.', 'a number with a decimal point'],
    ['weight', '-', 'a number with a decimal point'],
    ['weight', '1.2.3', 'a number with a decimal point'],
    ['is_new', 'maybe', 'true or false'],
    ['due_date', '2023-02-29', 'a date YYYY-MM-DD that exists'],
    ['is_new', 'ja', 'true or false; did you mean true?'],
    ['due_date', '20.11.2026', 'a date YYYY-MM-DD; did you mean 2026-11-20?'],
    ['due_date', '2026-11-20T00:00:00Z', 'a date YYYY-MM-DD; did you mean 2026-11-20?'],
    ['due_date', 'tomorrow', 'a date YYYY-MM-DD'],
    ['read_at', 'now', 'an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z'],
    [
      'read_at',
      '2026-11-20 08:15:00',
      'an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z; did you mean 2026-11-20T08:15:00Z (if it is in UTC)?',
    ],
    ['unit', 'kg m', 'a UCUM code such as kg, Cel or {piece}, without blanks'],
    ['currency', 'eur', 'an ISO 4217 code such as EUR'],
    ['tags', 'a,b', 'a list of texts as JSON'],
    ['rows', '{}', 'a list of objects'],
    ['id', '..', 'something other than . and ..'],
  ])('%s: %j is refused: %s', (field, cell, rule) => {
    const { record, violations } = validateCsv({ [field]: cell });
    expect(record).toBeUndefined();
    expect(violations).toMatchObject([{ line: 7, field, rule }]);
    expect(violations[0]?.column).toBe(
      Object.keys({ ...required, [field]: cell }).indexOf(field) + 1,
    );
  });
});

/** Each copy of a value in which one text, also inside lists, ends with half of a character. */
function* withHalves(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield `${value}\ud83e`;
  else if (Array.isArray(value)) {
    for (const [place, one] of value.entries())
      for (const half of withHalves(one)) yield value.with(place, half);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      for (const half of withHalves(one)) yield { ...value, [name]: half };
    }
  }
}

it('no text of any resource holds a lone surrogate, which UTF-8 cannot encode', () => {
  for (const resource of resources) {
    const fields = Object.entries(importFields(resource)).map(([name, { example }]) => [
      name,
      example,
    ]);
    const row = { ...Object.fromEntries(fields), id: resource.idExample };
    const halves = [...withHalves(row)];
    expect(halves.length).toBeGreaterThan(3);
    for (const half of halves) {
      const validator = createRecordValidator(resource);
      validator.validateObject(half as Record<string, unknown>, 1); // a copy of the row
      expect(
        validator.violations.count,
        `${resource.name} ${JSON.stringify(half)}`,
      ).toBeGreaterThan(0);
    }
  }
});

describe('values of JSON', () => {
  it.each([
    ['code', 5, 'a text'],
    ['turns', '5', 'a whole number'],
    ['turns', 2 ** 53, 'a whole number'],
    ['weight', true, 'a number with a decimal point'],
    ['is_new', 'true', 'true or false; did you mean true?'],
    ['is_new', 0, 'true or false; did you mean false?'],
    ['is_new', 2, 'true or false'],
    ['due_date', 20261120, 'a date YYYY-MM-DD'],
    ['remarks', 'half \ud83e of a pair', 'Unicode text without lone surrogates'],
    ['remarks', { a: 1 }, 'a text'],
    ['tags', 'a', 'a list of texts'],
  ])('%s: %j is refused: %s', (field, value, rule) => {
    expect(validateJson({ [field]: value }).violations).toMatchObject([
      { line: 7, column: null, field, rule },
    ]);
  });

  it('are reported with their path inside lists', () => {
    const rows = [
      { row_id: 'SVC-01', price: -1 },
      { row_id: 'SVC-01', people: ['A', 7] },
      { row_id: '1', colour: 'red' },
      { price: 1 },
      null,
    ];
    expect(validateJson({ rows }).violations.map(({ field, rule }) => `${field}: ${rule}`)).toEqual(
      [
        'rows[0].price: at least 0',
        'rows[1].people[1]: a text',
        'rows[2].colour: an unknown field',
        'rows[2].row_id: a row id such as SVC-01',
        'rows[3].row_id: required',
        'rows[4]: an object',
        'rows[1].row_id: unique inside its parent',
      ],
    );
  });

  it('come out in the order of declaration', () => {
    const { record } = validateJson({ rows: [{ people: [], price: 2, row_id: 'SVC-01' }] });
    expect(JSON.stringify(record?.rows)).toBe('[{"row_id":"SVC-01","price":2,"people":[]}]');
  });
});

describe('what a report says of a value', () => {
  it('never holds a secret', () => {
    const secret = drawSecret();
    const { violations } = validateCsv({ code: secret });
    expect(JSON.stringify(violations)).not.toContain(secret.slice(0, 20));
    expect(violations[0]?.value).toContain(secret.slice(0, 8));
  });

  it('is short, and plays no tricks on a terminal', () => {
    const { violations } = validateCsv({ code: `\u001b[31m${'x'.repeat(500)}` });
    expect(violations[0]?.value).toMatch(/^\\u001b\[31mx+…$/);
    expect(violations[0]?.value?.length).toBeLessThan(100);
  });

  it('is the first twenty, and the count of all', () => {
    const validator = createRecordValidator(gauges);
    for (let line = 1; line <= 50; line++) validator.validateObject({ id: String(line) }, line);
    expect(validator.violations.first.map(({ line }) => line)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    expect(validator.violations.count).toBe(50);
    expect(() => validator.violations.refuse()).toThrow(
      /^50 values are not as declared:\n {2}line 1, code: required\n/,
    );
  });
});

it('numbers are read as they are written, whatever they are', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -5 }), (weight) => {
      const expected = weight === 0 ? 0 : weight;
      expect(validateCsv({ weight: String(weight) }).record?.weight).toBe(expected);
      expect(validateJson({ weight }).record?.weight).toBe(expected);
    }),
  );
});

it('nothing makes the validator throw', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(gauges.fields)), fc.jsonValue()),
      (row) => {
        const { record, violations } = validateJson(row);
        expect(record === undefined).toBe(violations.length > 0);
        const cells = Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, JSON.stringify(value)]),
        );
        const csv = validateCsv(cells);
        expect(csv.record === undefined).toBe(csv.violations.length > 0);
      },
    ),
  );
});

/** Values of JSON that throw if `String()`, a template or a sum makes a text or a number of them. */
const withoutText = [
  '{"toString":null}',
  '[{"toString":null}]',
  '{"valueOf":1,"toString":{}}',
  '{"toString":null,"valueOf":null,"toJSON":null}',
  '[[{"toString":"x"}]]',
  '{"constructor":null,"__proto__":null,"hasOwnProperty":1}',
];

it.each(withoutText)('%s is refused in every field, whatever its kind', (text) => {
  for (const name of Object.keys(gauges.fields)) {
    const value: unknown = JSON.parse(text);
    for (const json of [value, [value], { inner: value }]) {
      const { record, violations } = validateJson({ [name]: json });
      expect(record, name).toBeUndefined();
      expect(violations.map(({ field }) => field).join(), name).toContain(name);
    }
    const { record } = validateCsv({ [name]: text });
    expect(record === undefined || record[name] === text, name).toBe(true);
  }
});
