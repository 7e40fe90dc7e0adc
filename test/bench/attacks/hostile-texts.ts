import { type Attack, askForever, flood } from './flood.ts';
import { postGzipTo } from './requests.ts';

/** A little less than what is too large after decompression, so that the whole body has to be read. */
const almost = 8 * 1024 * 1024 - 1024;

/** The formats of a body: what is sent, its media type, and what stands before its items. */
const formats = {
  json: ['readings', 'application/json', '{"readings":['],
  ndjson: ['readings', 'application/x-ndjson', ''],
  senml: ['readings', 'application/senml+json', '['],
  lines: ['readings', 'application/vnd.influx.line-protocol', ''],
  heartbeats: ['heartbeats', 'application/json', '{"heartbeats":['],
} as const;

/** What a body consists of, over and over; each is hostile to a reader that looks for the end of an item. */
const units = {
  Quotes: '\t#" "\n',
  FieldQuotes: 'a" c="\n',
  OpenTexts: '{"a":"\n',
  Blanks: ' \t\r\n',
  Breaks: '\n',
  Returns: '\r',
  Comments: '#\n',
  Escapes: '"\\"',
  EscapedBreaks: 'a \\\n',
  Nesting: '[{"a":',
  ClosedNesting: `${'['.repeat(2000)}${']'.repeat(2000)},\n`,
  Torn: '{"sensor":"A","at":\n',
  Huge: 'x',
  TinyItems: '0,\n',
  TinyObjects: '{},\n',
  LongNumbers: `m,sensor=A value=${'1'.repeat(16_000)}e\n`,
  LongLines: `m,sensor=A ${'f=1,'.repeat(4000)}value=1\n`,
  ManyMembers: `{${Array.from({ length: 1200 }, (_, n) => `"${n.toString(36)}":0`).join()}},\n`,
  NotUtf8: '\u0080',
} as const;

/** Heartbeats are read as readings in JSON are; each kind of hostility is tried once. */
const ofHeartbeats = ['Quotes', 'Blanks', 'Escapes', 'Nesting', 'Torn', 'Huge', 'TinyObjects'];

/** Every format with every hostile text, sent as gzip by one key over and over. */
export const hostileTexts: readonly { name: string; run: Attack }[] = Object.entries(
  formats,
).flatMap(([format, [kind, mediaType, head]]) =>
  Object.entries(units)
    .filter(([name]) => kind === 'readings' || ofHeartbeats.includes(name))
    .map(([name, unit]) => ({
      name: `${format}${name}`,
      run: (target, signal) => {
        const text = head + unit.repeat(Math.floor((almost - head.length) / unit.length));
        const body = Buffer.from(text, 'latin1');
        const path = `/api/v1/sensors/${kind}`;
        const request = postGzipTo(path, target.key, body, `Content-Type: ${mediaType}`);
        return flood(target, signal, {
          connections: 10,
          play: (socket) => askForever(socket, request),
        });
      },
    })),
);
