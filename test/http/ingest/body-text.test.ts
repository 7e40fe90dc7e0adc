import { expect, it } from 'vitest';
import { requireUtf8 } from '../../../src/http/ingest/body.ts';

it('passes a body of any script, without a byte order mark before it', () => {
  for (const text of ['', '{}', '"°C 😀"']) {
    expect(requireUtf8(Buffer.from(text), 'JSON').toString()).toBe(text);
    expect(requireUtf8(Buffer.from(`\uFEFF${text}`), 'JSON').toString()).toBe(text);
  }
});

it('leaves lines that are not UTF-8 to the reader of lines, without a mark before them', () => {
  const torn = Buffer.from([0xa9, 0x0a]);
  for (const format of ['NDJSON', 'line protocol'] as const) {
    const body = Buffer.concat([Buffer.from('\uFEFFa\n'), torn]);
    expect(requireUtf8(body, format)).toEqual(body.subarray(3));
  }
});

it('refuses a body that is not UTF-8', () => {
  for (const text of ['é', 'é'.repeat(5000)]) {
    expect(() => requireUtf8(Buffer.from(text).subarray(1), 'JSON')).toThrow('not UTF-8');
  }
});
