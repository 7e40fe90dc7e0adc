import { expect, it } from 'vitest';
import { requireUtf8 } from '../../../src/http/ingest/body.ts';

it('passes a body of any script, without a byte order mark before it', () => {
  for (const text of ['', '{}', '"°C 😀"']) {
    expect(requireUtf8(Buffer.from(text), 'JSON').toString()).toBe(text);
    expect(requireUtf8(Buffer.from(`\uFEFF${text}`), 'JSON').toString()).toBe(text);
  }
});

it('replaces lines that are not UTF-8, unless all of them or too many are', () => {
  const torn = Buffer.from('é').subarray(1);
  const body = (...lines: (string | Buffer)[]) =>
    Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  for (const format of ['NDJSON', 'line protocol'] as const) {
    expect(requireUtf8(body('a', torn, '', 'b'), format).toString()).toBe('a\n\uFFFD\n\nb\n');
    expect(requireUtf8(Buffer.concat([body('a'), torn]), format).toString()).toBe('a\n\uFFFD\n');
    const marked = body('\uFEFFa', torn);
    expect(requireUtf8(marked, format).toString()).toBe('a\n\uFFFD\n');
    expect(() => requireUtf8(body(torn, torn), format)).toThrow('not UTF-8');
    const many = body(...new Array(20_010).fill('a'), torn);
    expect(() => requireUtf8(many, format)).toThrow('not UTF-8');
  }
});

it('refuses a body that is not UTF-8', () => {
  for (const text of ['é', 'é'.repeat(5000)]) {
    expect(() => requireUtf8(Buffer.from(text).subarray(1), 'JSON')).toThrow('not UTF-8');
  }
});
