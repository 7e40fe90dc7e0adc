import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toText } from '../../../src/http/ingest/body.ts';

it('decodes a body of any length and script as it was written, without a byte order mark before it', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((some) => !some.startsWith('\uFEFF'));
  fc.assert(
    fc.property(text, fc.constantFrom(1, 100, 5000), fc.boolean(), (some, times, hasMark) => {
      const whole = some.repeat(times);
      expect(toText(Buffer.from(`${hasMark ? '\uFEFF' : ''}${whole}`)) === whole).toBe(true);
    }),
  );
});

it('refuses a long body that is not UTF-8', () => {
  const body = Buffer.from('é'.repeat(5000));
  expect(() => toText(body.subarray(1))).toThrow('not UTF-8');
});
