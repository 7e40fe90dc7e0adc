import { ApiError } from '../answers/problem.ts';

/** The formats of bodies, as people call them; SenML is JSON. */
export type BodyFormat = 'JSON' | 'NDJSON' | 'line protocol';

export function bodyFormatOf(mediaType: string): BodyFormat {
  if (mediaType === 'application/x-ndjson') return 'NDJSON';
  return mediaType === 'application/vnd.influx.line-protocol' ? 'line protocol' : 'JSON';
}

/** The error for a body that is not in the format in which it was sent, which its title names. */
export function notInFormat(format: BodyFormat, detail: string): ApiError {
  return new ApiError('bad_json', detail, { title: `Body is not ${format}` });
}

/** The length of the beginning of a body that hints are based on. */
const hintBytes = 4096;

/**
 * The kind of a body that is not in the format in which it was sent, and how to send it, for people; undefined if it looks like
 * nothing in particular.
 */
export function formatHint(body: Buffer, format: BodyFormat): string | undefined {
  const startText = body.toString('utf8', 0, hintBytes);
  if (startText.trim() === '' && body.length <= hintBytes) {
    const itemWord = format === 'line protocol' ? 'line' : 'object';
    return `The body is empty: send at least one ${itemWord}.`;
  }
  return binaryHint(body) ?? textHint(startText, format);
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
  const signature = signatures.find(([bytes]) =>
    bytes.every((byte, index) => body[index] === byte),
  );
  if (signature) return signature[1];

  const [firstByte = 0, secondByte = 0] = body;
  // JSON begins with ASCII, whose other byte is zero.
  if (body.length > 1 && (firstByte === 0 || secondByte === 0)) {
    const isWide = firstByte === secondByte || (body[2] === 0 && body[1] === 0);
    return `The body is ${isWide ? 'UTF-32' : 'UTF-16'}: send it as UTF-8.`;
  }

  // The header of zlib (RFC 1950): method 8, and a multiple of 31.
  const isZlibHeader = firstByte === 0x78 && (firstByte * 256 + secondByte) % 31 === 0;
  if (isZlibHeader && secondByte !== 0x20)
    return 'The body is compressed with zlib (deflate): send it as gzip or plain.';
  return undefined;
}

function textHint(startText: string, format: BodyFormat): string | undefined {
  const trimmedText = startText.trimStart();
  const [firstLine = '', secondLine = ''] = linesWithText(trimmedText);

  if (/^<(?:!doctype html|html|head|body)/i.test(trimmedText))
    return 'The body is an HTML page, perhaps an error or login page that was read in place of the data.';
  if (trimmedText.startsWith('<')) return 'The body is XML: send the readings as JSON.';
  if (format !== 'line protocol' && isLineProtocol(firstLine))
    return 'The body is line protocol: send it with Content-Type: application/vnd.influx.line-protocol.';
  if (format !== 'line protocol') {
    if (/^(?:readings|heartbeats|data|body|payload)=|^%7B/i.test(trimmedText))
      return 'The body is form-encoded: send plain JSON.';
    if (/^[{[]\s*(?:\{\s*)?'/.test(trimmedText))
      return 'The body is not JSON: names and texts need double quotes.';
  }
  if (isCsv(firstLine, secondLine))
    return 'The body is CSV: send JSON, or load the file with hkctl import readings.';
  return jsonHint(trimmedText, format);
}

/** The hint for JSON that was sent as another kind of JSON, or as line protocol. */
function jsonHint(trimmedText: string, format: BodyFormat): string | undefined {
  const [firstLine = '', secondLine = ''] = linesWithText(trimmedText);

  const isOnePerLine = isObject(firstLine) && isObject(secondLine);
  if (format !== 'NDJSON' && isOnePerLine)
    return 'The body is one JSON object per line: send it with Content-Type: application/x-ndjson.';

  const isDocument = /^[{[]\s*$|^\{\s*"(?:readings|heartbeats)"\s*:/.test(firstLine);
  if (format === 'NDJSON' && isDocument)
    return 'The body is one JSON document: send it with Content-Type: application/json.';

  if (format !== 'line protocol' || !/^[{[]/.test(trimmedText)) return undefined;
  if (/^\[\s*\{[^{}]*"(?:bn|bt|bu|n|vb?)"\s*:/.test(trimmedText))
    return 'The body is SenML: send it with Content-Type: application/senml+json.';
  return 'The body is JSON: send it with Content-Type: application/json.';
}

/** Whether two lines begin a table: a header with a column `sensor`, or as many separators in both, and no JSON or pairs. */
function isCsv(header: string, secondLine: string): boolean {
  if (/[{}[\]=]/.test(header)) return false;
  return [';', ',', '\t'].some((separator) => {
    const columnNames = header
      .split(separator)
      .map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
    if (columnNames.length <= 1) return false;

    const hasSensorColumn = columnNames.some((name) => name.toLowerCase() === 'sensor');
    const hasSameLength = secondLine.split(separator).length === columnNames.length;
    return hasSensorColumn || (hasSameLength && !/[{}=]/.test(secondLine));
  });
}

/** The lines of a text that are not blank. */
function linesWithText(bodyText: string): string[] {
  return bodyText.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Whether a line is of InfluxDB's line protocol: a measurement with tags, at least one field, perhaps a timestamp. */
function isLineProtocol(line: string): boolean {
  return /^[^\s,{}[\]"<=]+(?:,[^\s,={}"]+=[^\s,{}"]+)* [^\s={}"]+=\S/.test(line);
}

function isObject(line: string | undefined): boolean {
  return line?.startsWith('{') === true && line.trimEnd().endsWith('}');
}
