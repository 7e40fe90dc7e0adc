import { randomBytes } from 'node:crypto';
import type { Attack } from './flood.ts';
import { askForever, drip, flood, writeForever } from './flood.ts';
import { post, postGzip, postGzipClaiming, postHead } from './requests.ts';

const MiB = 1024 * 1024;
/** A little less than what is too large after decompression, so that the whole body has to be read. */
const almost = 8 * MiB - 1024;

/** Bodies of which all but the end comes, and then a byte now and then. */
export const unfinishedBodies: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 60,
    play(socket) {
      socket.resume();
      socket.write(postHead(target.key, almost) + ' '.repeat(7 * MiB));
      drip(socket, ' ', 1000);
    },
  });

/** Large bodies without a key, one behind the other: each is refused at once, and its bytes still have to be read. */
export const refusedBodies: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 60,
    play: (socket) => writeForever(socket, `${postHead(undefined, MiB)}${' '.repeat(MiB)}`),
  });

const inBytes = '1\r\n \r\n'.repeat(10_000);
/** Bodies in chunks of a single byte each, for as long as they are taken; the same without a key. */
export const tinyChunks = chunkedForever((key) => key);
export const refusedTinyChunks = chunkedForever(() => undefined);

/** A thousand requests whose head is there and whose body never begins. */
export const absentBodies: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 1000,
    play(socket) {
      socket.resume();
      socket.write(postHead(target.key, almost));
    },
  });

/** Asks whether to continue, receives 100 Continue, and sends nothing more. */
export const unfollowedContinue: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 1000,
    play(socket) {
      socket.resume();
      socket.write(postHead(target.key, almost, 'Expect: 100-continue'));
    },
  });

/** Eight kilobytes that become millions of empty readings. */
export const compressedElements = repeated((key) => postGzip(key, manyEmpty()));
/** The same, whose trailer claims that it is empty. */
export const compressedClaimingNothing = repeated((key) => postGzipClaiming(key, manyEmpty(), 0));
/** A few kilobytes that claim to become eight megabytes, and do not. */
export const compressedClaimingMuch = repeated((key) =>
  postGzipClaiming(key, randomBytes(9000), almost),
);
/** The same as NDJSON. */
export const compressedLines = repeated((key) =>
  postGzip(key, filled('{}\n', almost), 'Content-Type: application/x-ndjson'),
);
/** The same of nothing but ends of lines. */
export const compressedBlankLines = repeated((key) =>
  postGzip(key, filled('\n', almost), 'Content-Type: application/x-ndjson'),
);
/** The same as SenML. */
export const compressedRecords = repeated((key) =>
  postGzip(key, `[${filled('{},', almost)}{}]`, 'Content-Type: application/senml+json'),
);
/** Nothing but blanks, which have to be read to their end. */
export const compressedBlanks = repeated((key) => postGzip(key, filled(' ', almost)));
/** A single reading with half a million fields. */
export const manyFields = repeated((key) => postGzip(key, `{"readings":[{${numbered(almost)}}]}`));
/** A single reading whose sensor is eight megabytes of escapes. */
export const longText = repeated((key) =>
  postGzip(key, `{"readings":[{"sensor":"${filled('\\u0041', almost)}"}]}`),
);
/** Numbers of many digits. */
export const longNumbers = repeated((key) =>
  postGzip(key, `{"readings":[{"value":${filled('1', almost / 2)}.${filled('1', almost / 3)}}]}`),
);
/** A list within a list, and so on. */
export const deepBody = repeated((key) => postGzip(key, `{"readings":[${filled('[', almost / 2)}`));
/** Lists of numbers where readings should be: few elements, and millions of values within. */
export const wideElements = repeated((key) =>
  postGzip(
    key,
    `{"readings":[${Array.from({ length: 9000 }, () => `[${filled('0,', 880)}0]`).join()}]}`,
  ),
);
/** As many refused readings as a body may hold: a small body with a large answer. */
export const refusedReadings = repeated((key) =>
  postGzip(key, `{"readings":[${filled('{},', 29_990)}{}]}`),
);
/** As many readings as a body may hold, each of a sensor that there is not, with a long name. */
export const unknownSensors = repeated((key) =>
  postGzip(key, `{"readings":[${filled(`{"sensor":"${'é'.repeat(70)}"},`, 1_500_000)}{}]}`),
);
/** Lines of the greatest length, none of them a reading. */
export const longLines = repeated((key) =>
  postGzip(
    key,
    filled(`{"a":"${'x'.repeat(16_300)}"}\n`, almost),
    'Content-Type: application/x-ndjson',
  ),
);
/** A text of nothing but escaped quotes. */
export const escapedQuotes = repeated((key) =>
  postGzip(key, `{"readings":[{"sensor":"${filled('\\"', almost)}"}]}`),
);
/** Rejected readings of the greatest length, each to be searched for secrets. */
export const longNames = repeated((key) =>
  postGzip(key, `{"readings":[${filled(`{"sensor":"${'n'.repeat(16_000)}"},`, almost)}{}]}`),
);
/** A long base name, which SenML puts before the name of each record. */
export const longBaseName = repeated((key) =>
  postGzip(
    key,
    `[{"bn":"${'b'.repeat(15_000)}"},${filled('{"n":"a","v":1},', 16 * 9997)}{"n":"a","v":1}]`,
    'Content-Type: application/senml+json',
  ),
);
/** Bodies that are refused for their length, one after the other; each ends its connection. */
export const tooLarge: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 20,
    play: (socket) => askForever(socket, postHead(target.key, 9 * MiB)),
  });
/** Bodies of the usual shape, as large as they may be, one after the other. */
export const fullBodies = repeated((key) =>
  post(
    key,
    JSON.stringify({
      readings: Array.from({ length: 10_000 }, (_, index) => ({
        sensor: 'NOBODY-S-SENSOR',
        at: '2026-11-20T08:15:00.123456Z',
        value: index / 7,
        unit: 'Cel',
        quality: 'good',
      })),
    }),
  ),
);

function chunkedForever(keyOf: (key: string) => string | undefined): Attack {
  return (target, signal) =>
    flood(target, signal, {
      connections: 20,
      play(socket) {
        socket.write(
          postHead(keyOf(target.key), 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
        );
        writeForever(socket, inBytes);
      },
    });
}

/** Sends a request over ten connections, each as soon as the one before was answered. */
function repeated(toRequest: (key: string) => Buffer): Attack {
  return (target, signal) => {
    const request = toRequest(target.key);
    return flood(target, signal, {
      connections: 10,
      play: (socket) => askForever(socket, request),
    });
  };
}

function manyEmpty(): string {
  return `{"readings":[${filled('{},', almost)}{}]}`;
}

function filled(piece: string, bytes: number): string {
  return piece.repeat(Math.floor(bytes / piece.length));
}

function numbered(bytes: number): string {
  const fields: string[] = [];
  for (let length = 0, index = 0; length < bytes - 20; index++) {
    const field = `"${index.toString(36)}":0`;
    fields.push(field);
    length += field.length + 1;
  }
  return fields.join();
}
