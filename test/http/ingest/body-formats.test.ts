import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatHint } from '../../../src/http/ingest/body-formats.ts';

const reading = '{"sensor":"OVEN","at":"2026-11-20T08:15:00Z","value":1}';
const json = `{"readings":[${reading}]}`;

/** A text as UTF-16, the lower byte first. */
const wide = (text: string) => Buffer.from(text, 'utf16le');

describe('a body that is no JSON is named', () => {
  it.each<[string, Buffer | string]>([
    ['empty', ''],
    ['empty', ' \r\n'],
    ['gzip', gzipSync(json)],
    ['ZIP archive', 'PK\u0003\u0004rest'],
    ['zlib', deflateSync(json)],
    ['bzip2', 'BZh91AY'],
    ['PDF', '%PDF-1.7'],
    ['UTF-16', wide(json)],
    ['UTF-16', wide(`\uFEFF${json}`)],
    ['UTF-16', wide(json).swap16()],
    ['UTF-16', wide(`\uFEFF${json}`).swap16()],
    ['UTF-32', Buffer.from([0x7b, 0, 0, 0, 0x22, 0, 0, 0])],
    ['UTF-32', Buffer.from([0, 0, 0, 0x7b])],
    ['HTML page', '<!DOCTYPE html><title>Login</title>'],
    ['HTML page', '\n <html lang="de">'],
    ['XML', '<?xml version="1.0"?><readings/>'],
    ['application/x-ndjson', `${reading}\n${reading}\n`],
    ['application/x-ndjson', `${reading}\r\n${reading}`],
    ['line-protocol', 'oven,sensor=OVEN value=1 1795162500000000000'],
    ['line-protocol', 'oven value=1i'],
    ['form-encoded', 'readings=%5B%5D'],
    ['double quotes', "{'readings':[]}"],
    ['CSV', 'sensor,at,value\nOVEN,2026-11-20T08:15:00Z,1'],
  ])('%s', (name, body) => {
    expect(formatHint(Buffer.from(body), 'JSON')).toContain(name);
  });

  it.each(['{\n  "readings": [', '[\n {"sensor"', `${json.slice(0, -1)}`])(
    'as one document if it was sent as lines: %j',
    (body) => {
      expect(formatHint(Buffer.from(body), 'NDJSON')).toContain('application/json');
    },
  );

  it.each(['{"readings":[}', 'nonsense', '[1 2]', '{"a":1,}', 'x'])('not otherwise: %j', (body) => {
    expect(formatHint(Buffer.from(body), 'JSON')).toBeUndefined();
  });

  it('in a moment, however long its first line is', () => {
    const body = Buffer.from(`a${',b=c'.repeat(2_000_000)}`);
    const beganMs = performance.now();
    expect(formatHint(body, 'JSON')).toBeUndefined();
    expect(performance.now() - beganMs).toBeLessThan(100);
  });
});
