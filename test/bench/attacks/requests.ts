import { gzipSync } from 'node:zlib';

/** The head of a GET, with a key or without. */
export function get(path: string, key?: string, ...headers: readonly string[]): string {
  return `${lines(`GET ${path} HTTP/1.1`, key, headers)}\r\n\r\n`;
}

const readingsPath = '/api/v1/sensors/readings';

/** The head of a POST of so many bytes of readings. */
export function postHead(
  key: string | undefined,
  length: number,
  ...headers: readonly string[]
): string {
  return headTo(readingsPath, key, length, headers);
}

function headTo(
  path: string,
  key: string | undefined,
  length: number,
  headers: readonly string[],
): string {
  const type = headers.some((header) => /^content-type:/i.test(header))
    ? []
    : ['Content-Type: application/json'];
  const all = [...type, ...headers, `Content-Length: ${length}`];
  return `${lines(`POST ${path} HTTP/1.1`, key, all)}\r\n\r\n`;
}

/** A whole POST of readings. */
export function post(key: string, body: string | Buffer, ...headers: readonly string[]): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(postHead(key, bytes.length, ...headers)), bytes]);
}

/** A whole POST to any path, compressed. */
export function postGzipTo(
  path: string,
  key: string,
  body: string | Buffer,
  ...headers: readonly string[]
): Buffer {
  const compressed = gzipSync(body, { level: 9 });
  const head = headTo(path, key, compressed.length, ['Content-Encoding: gzip', ...headers]);
  return Buffer.concat([Buffer.from(head), compressed]);
}

/** A whole POST of readings, compressed. */
export function postGzip(
  key: string,
  body: string | Buffer,
  ...headers: readonly string[]
): Buffer {
  return postGzipTo(readingsPath, key, body, ...headers);
}

/** The same, with another length in its trailer than it has. */
export function postGzipClaiming(key: string, body: string | Buffer, length: number): Buffer {
  const compressed = gzipSync(body, { level: 9 });
  compressed.writeUInt32LE(length, compressed.length - 4);
  return post(key, compressed, 'Content-Encoding: gzip');
}

function lines(first: string, key: string | undefined, headers: readonly string[]): string {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  return [first, 'Host: localhost', ...authorization, ...headers].join('\r\n');
}
