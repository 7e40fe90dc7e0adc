import { ApiError } from '../answers/problem.ts';

/** The formats of bodies, as people call them; SenML is JSON. */
export type BodyFormat = 'JSON' | 'NDJSON' | 'line protocol';

/** The format of a body by its media type. */
export function bodyFormatOf(mediaType: string): BodyFormat {
  if (mediaType === 'application/x-ndjson') return 'NDJSON';
  return mediaType === 'application/vnd.influx.line-protocol' ? 'line protocol' : 'JSON';
}

/** The error for a body that is not in the format in which it was sent, which its title names. */
export function notInFormat(format: BodyFormat, detail: string): ApiError {
  return new ApiError('bad_json', detail, { title: `Body is not ${format}` });
}

/** How much of a body is looked at to tell what it is. */
const lookedAt = 4096;

/**
 * The kind of a body that is not in the format in which it was sent, and how to send it, for people; undefined if it looks like
 * nothing in particular.
 */
export function formatHint(body: Buffer, format: BodyFormat): string | undefined {
  const start = body.toString('utf8', 0, lookedAt);
  if (start.trim() === '' && body.length <= lookedAt) {
    const item = format === 'line protocol' ? 'line' : 'object';
    return `The body is empty: send at least one ${item}.`;
  }
  return binaryHint(body) ?? textHint(start, format);
}

/** The first bytes of formats that are no text. */
const signatures: readonly (readonly [bytes: readonly number[], hint: string])[] = [
  [
    [0x1f, 0x8b],
    'The body is gzip: send it with the header Content-Encoding: gzip, compressed once.',
  ],
  [[0x50, 0x4b, 0x03, 0x04], 'The body is a ZIP archive or a workbook: send the readings as JSON.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'The body is compressed with zstd: send it as gzip or plain.'],
  [[0x42, 0x5a, 0x68], 'The body is compressed with bzip2: send it as gzip or plain.'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'The body is compressed with xz: send it as gzip or plain.'],
  [[0x04, 0x22, 0x4d, 0x18], 'The body is compressed with LZ4: send it as gzip or plain.'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'The body is a 7z archive: send the readings as JSON.'],
  [[0x25, 0x50, 0x44, 0x46], 'The body is a PDF document: send the readings as JSON.'],
  [[0xff, 0xfe], 'The body is UTF-16: send it as UTF-8.'],
  [[0xfe, 0xff], 'The body is UTF-16: send it as UTF-8.'],
];

function binaryHint(body: Buffer): string | undefined {
  const signature = signatures.find(([bytes]) => bytes.every((byte, at) => body[at] === byte));
  if (signature) return signature[1];
  const [first = 0, second = 0] = body;
  // JSON begins with ASCII, whose other byte is zero.
  if (body.length > 1 && (first === 0 || second === 0)) {
    const isWide = first === second || (body[2] === 0 && body[1] === 0);
    return `The body is ${isWide ? 'UTF-32' : 'UTF-16'}: send it as UTF-8.`;
  }
  // The header of zlib (RFC 1950): method 8, and a multiple of 31.
  if (first === 0x78 && (first * 256 + second) % 31 === 0 && second !== 0x20)
    return 'The body is compressed with zlib (deflate): send it as gzip or plain.';
  return undefined;
}

function textHint(start: string, format: BodyFormat): string | undefined {
  const text = start.trimStart();
  const [line = '', second = ''] = text.split(/\r?\n/).filter((each) => each.trim() !== '');
  if (/^<(?:!doctype html|html|head|body)/i.test(text))
    return 'The body is an HTML page, perhaps an error or login page that was read in place of the data.';
  if (text.startsWith('<')) return 'The body is XML: send the readings as JSON.';
  if (format !== 'line protocol' && isLineProtocol(line))
    return 'The body is line protocol: send it with Content-Type: application/vnd.influx.line-protocol.';
  if (format !== 'line protocol') {
    if (/^(?:readings|heartbeats|data|body|payload)=|^%7B/i.test(text))
      return 'The body is form-encoded: send plain JSON.';
    if (/^[{[]\s*(?:\{\s*)?'/.test(text))
      return 'The body is not JSON: names and texts need double quotes.';
  }
  if (isCsv(line, second))
    return 'The body is CSV: send JSON, or load the file with hkctl import readings.';
  return jsonHint(text, format);
}

/** What a text of JSON is that was sent as another kind of JSON, or as line protocol. */
function jsonHint(text: string, format: BodyFormat): string | undefined {
  const [line = '', second = ''] = text.split(/\r?\n/).filter((each) => each.trim() !== '');
  const isOnePerLine = isObject(line) && isObject(second);
  if (format !== 'NDJSON' && isOnePerLine)
    return 'The body is one JSON object per line: send it with Content-Type: application/x-ndjson.';
  const isDocument = /^[{[]\s*$|^\{\s*"(?:readings|heartbeats)"\s*:/.test(line);
  if (format === 'NDJSON' && isDocument)
    return 'The body is one JSON document: send it with Content-Type: application/json.';
  if (format !== 'line protocol' || !/^[{[]/.test(text)) return undefined;
  if (/^\[\s*\{[^{}]*"(?:bn|bt|bu|n|vb?)"\s*:/.test(text))
    return 'The body is SenML: send it with Content-Type: application/senml+json.';
  return 'The body is JSON: send it with Content-Type: application/json.';
}

/** Whether two lines begin a table: a header with a column `sensor`, or as many separators in both, and no JSON or pairs. */
function isCsv(header: string, row: string): boolean {
  if (/[{}[\]=]/.test(header)) return false;
  return [';', ',', '\t'].some((separator) => {
    const names = header.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
    const isNamed = names.some((name) => name.toLowerCase() === 'sensor');
    const isAlike = row.split(separator).length === names.length && !/[{}=]/.test(row);
    return names.length > 1 && (isNamed || isAlike);
  });
}

/** Whether a line is of InfluxDB's line protocol: a measurement with tags, at least one field, perhaps a timestamp. */
function isLineProtocol(line: string): boolean {
  return /^[^\s,{}[\]"<=]+(?:,[^\s,={}"]+=[^\s,{}"]+)* [^\s={}"]+=\S/.test(line);
}

function isObject(line: string | undefined): boolean {
  return line?.startsWith('{') === true && line.trimEnd().endsWith('}');
}
