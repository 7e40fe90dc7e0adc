import { sha256 } from '../../core/digest.ts';
import { HkctlError } from '../../core/errors.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type { ReadingClient, Sensor, SensorDirectory } from '../../core/port/readings.ts';
import {
  areReadTogether,
  type ReadingPage,
  readPages,
  type TimeRange,
} from '../../core/readings/pages.ts';
import { longestRow, readingColumnsOf } from '../../core/readings/reading-text.ts';
import { findSensor } from '../../core/readings/sensors.ts';
import { writeCursor, wrongCursor } from '../../core/records/cursors.ts';
import { FairScheduler } from '../../core/sharing/fair-queue.ts';
import { Spares } from '../../core/sharing/spares.ts';
import { csvCell } from '../../core/text/quoting.ts';
import { quotedText, toSafeJson } from '../../core/text/shown-text.ts';
import type { Answer } from '../answers/answer.ts';
import type { KeySession } from '../auth/credential-cache.ts';
import { type Exchange, whenOver } from '../request/exchange.ts';
import { mediaTypeFor, represent, toRepresentation } from '../request/representation.ts';
import {
  cursorOf,
  manyParameters,
  queryDigest,
  type ReadingsPosition,
  type ReadingsQuery,
  readPosition,
  readReadingsQuery,
  singleParameters,
} from './reading-query.ts';
import { notFound, type RecordReading } from './records.ts';

const formats = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
} as const;
type ReadingsType = keyof typeof formats;
const readingsTypes = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

/** Each request of the limit covers this many readings that are written. */
const readingsPerRequest = 10_000;
/** Memory for large answers that is kept for the next ones. */
const spareMemoryBytes = 16 * 1024 * 1024;
/** More bytes than any end of a document has. */
const maxTailBytes = 512;

/** A part of the answer: the text of one sensor's rows, with room before and after it. */
interface Group {
  head: string;
  page: ReadingPage;
}

/**
 * The handlers of `GET /sensors/{id}/readings` and `GET /readings?sensor=…`: readings or their aggregates by bucket, as JSON, NDJSON
 * or CSV.
 */
export function createReadingsHandlers(resource: ResourceDefinition, reading: RecordReading) {
  const { readings } = reading.domain.store;
  const readSensors = createReader(reading);
  return {
    async single(exchange: Exchange, session: KeySession): Promise<Answer> {
      const query = readReadingsQuery(exchange.query, singleParameters, session.scope);
      const type = mediaTypeFor(exchange.header('accept'), readingsTypes);
      const sensorName = exchange.parameter('id');
      const directory = await readings.directory(session.scope.entityId);
      const sensor = sensorName === undefined ? undefined : findSensor(directory, sensorName);
      if (sensor === undefined) throw notFound(resource);
      return readSensors(exchange, session, {
        query,
        type,
        sensors: [sensor],
        layout: singleLayout,
      });
    },
    async many(exchange: Exchange, session: KeySession): Promise<Answer> {
      const query = readReadingsQuery(exchange.query, manyParameters, session.scope);
      const type = mediaTypeFor(exchange.header('accept'), readingsTypes);
      const directory = await readings.directory(session.scope.entityId);
      const sensors = sensorsOf(directory, query);
      return readSensors(exchange, session, { query, type, sensors, layout: manyLayout });
    },
  };
}

/** The sensors of names, each once. Throws `bad_parameter` for an unknown one, and in the same way for one of another entity. */
function sensorsOf(directory: SensorDirectory, query: ReadingsQuery): Sensor[] {
  const sensors = query.sensors.map((name) => findSensor(directory, name));
  const unknownIndex = sensors.indexOf(undefined);
  if (unknownIndex === -1) return [...new Set(sensors.filter((sensor) => sensor !== undefined))];

  const listedSensor = findSensor(directory, query.sensorList ?? '');
  if (listedSensor !== undefined) return [listedSensor];
  const name = query.sensors[unknownIndex] ?? '';
  throw new HkctlError(
    'bad_parameter',
    `sensor: no sensor of this entity has the code or id ${quotedText(name, 80)}; GET /api/v1/sensors lists them.`,
  );
}

interface ReadRequest {
  query: ReadingsQuery;
  type: ReadingsType;
  sensors: readonly Sensor[];
  layout: Layout;
}

function createReader({ domain, answers, readMs, links, slices, charge }: RecordReading) {
  const { readings } = domain.store;
  const codingQueue = new FairScheduler(1);
  const spareMemory = new Spares((bytes) => Buffer.allocUnsafeSlow(bytes), spareMemoryBytes);
  return async (
    exchange: Exchange,
    session: KeySession,
    { query, type, sensors, layout }: ReadRequest,
  ): Promise<Answer> => {
    const seriesNumbers = sensors.map(({ series }) => series);
    const digest = () => queryDigest(query, seriesNumbers);
    const startPosition =
      query.cursor === undefined ? firstPosition : readPosition(query.cursor, digest());
    if (startPosition.sensor < 0 || startPosition.sensor >= sensors.length)
      throw wrongCursor(query.cursor ?? '');

    const owner = session.principal.keyId;
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(readTooLate), readMs);
    whenOver(exchange.node, () => {
      clearTimeout(timer);
      // Without a reason Node makes an error with its stack, for each answer.
      ending.abort(clientGone);
    });
    const takenMemory: Buffer<ArrayBuffer>[] = [];
    const client: ReadingClient = {
      owner,
      signal: ending.signal,
      charge: createMeter((more) => charge(exchange, session, more)),
      memory(bytes) {
        const bodyMemory = spareMemory.take(bytes);
        takenMemory.push(bodyMemory);
        return bodyMemory;
      },
    };

    const { fromUs, toUs, buckets, last, isNewestFirst } = query;
    const requestOf = (
      sensor: Sensor,
      { head, range, limit }: { head: string; range: TimeRange | undefined; limit: number },
    ) => ({
      ...{ series: sensor.series, fromUs, toUs, limit, buckets, isNewestFirst },
      ...range,
      format: formats[type],
      lead: layout.leadOf(type, sensor),
      margins: { before: Buffer.byteLength(head), after: maxTailBytes },
    });

    /** Reads the next sensors from a position on: all of them if they can be read together, else one. */
    const readGroups = async (
      { sensor: firstSensor, range }: ReadingsPosition,
      { isFirst, limit }: { isFirst: boolean; limit: number },
    ): Promise<Group[]> => {
      const wantedSensors = sensors.slice(
        firstSensor,
        areReadTogether(query) ? undefined : firstSensor + 1,
      );
      const heads = wantedSensors.map((sensor, index) =>
        layout.headOf(type, query, sensor, isFirst && index === 0),
      );
      const requests = wantedSensors.map((sensor, index) =>
        requestOf(sensor, {
          head: heads[index] ?? '',
          range: index === 0 ? range : undefined,
          limit,
        }),
      );
      const pages = await slices.call(owner, () =>
        readPages(readings, requests, { last: range ? undefined : last }, client),
      );
      return pages.map((page, index) => ({ head: heads[index] ?? '', page }));
    };

    const groups: Group[] = [];
    let nextPosition: ReadingsPosition | undefined = startPosition;
    try {
      // Reserves the largest possible answer; the rest is released once the length is known.
      const maxRowBytes = longestRow(query.buckets) + 3 * layout.longestLead;
      exchange.answerReservation = await answers.reserve(
        query.limit * maxRowBytes,
        exchange.keyPrefix,
      );

      for (let remaining = query.limit; nextPosition && remaining > 0; ) {
        const position: ReadingsPosition = nextPosition;
        const isFirst = groups.length === 0;
        for (const group of await readGroups(position, { isFirst, limit: remaining })) {
          groups.push(group);
          remaining -= group.page.count;
          nextPosition = nextPosition && positionAfter(nextPosition, group.page, sensors.length);
        }
      }
    } catch (thrown) {
      if (ending.signal.reason === clientGone) return clientGone;
      throw thrown;
    }

    // Readers may write into this memory until all groups are read.
    whenOver(exchange.node, () => {
      for (const bodyMemory of takenMemory) spareMemory.give(bodyMemory, bodyMemory.length);
    });

    const cursor = nextPosition ? writeCursor(digest(), cursorOf(nextPosition)) : null;
    const tails = groups.map((_, index) => layout.endOf(type, cursor, index === groups.length - 1));
    const representation = toRepresentation(joinGroups(groups, tails), {
      type,
      tag: tagOf(groups, tails),
      headers: links(exchange, cursor),
      vary: 'Authorization, Accept',
      whenToCode: (code) => codingQueue.run(owner, code),
    });
    return represent(exchange, representation);
  };
}

/** The body of an answer: the rows of each group with the text before and after them. */
function joinGroups(groups: readonly Group[], tails: readonly string[]): Buffer {
  const bodies = groups.map(({ head, page }, index) => framed(page.text, head, tails[index] ?? ''));
  const [firstBody] = bodies;
  return firstBody && bodies.length === 1 ? firstBody : Buffer.concat(bodies);
}

/** The reader thread has hashed the rows: hashing megabytes here would delay other requests. */
function tagOf(groups: readonly Group[], tails: readonly string[]): string {
  const parts = groups.flatMap(({ head, page }, index) => [head, page.digest, tails[index]]);
  return sha256(parts.join(), 'base64url').slice(0, 22);
}

const firstPosition: ReadingsPosition = { sensor: 0, range: undefined };

/** The start of the next page, or of the next part of this one; undefined behind the last sensor. */
function positionAfter(
  { sensor }: ReadingsPosition,
  { rest }: ReadingPage,
  sensorCount: number,
): ReadingsPosition | undefined {
  if (rest) return { sensor, range: rest };
  return sensor + 1 < sensorCount ? { sensor: sensor + 1, range: undefined } : undefined;
}

/** Writes the head and the tail of rows into the room that was left for them. */
function framed(bodyText: Uint8Array<ArrayBuffer>, head: string, tail: string): Buffer {
  const tailOffset = bodyText.length - maxTailBytes;
  const body = Buffer.from(
    bodyText.buffer,
    bodyText.byteOffset,
    tailOffset + Buffer.byteLength(tail),
  );
  body.write(head, 0);
  body.write(tail, tailOffset);
  return body;
}

/** The answer if the client has closed its connection: it is logged and never sent. nginx uses the same status. */
const readTooLate = new HkctlError(
  'unavailable',
  'Other large reads of this API key took too long. Ask for fewer at once.',
);

const clientGone: Answer = { status: 499, headers: [], body: null };

/** Charges a read beyond the one request that was counted on admission: one more for each further 10,000 readings begun. */
function createMeter(charge: (more: number) => void): (readings: number) => void {
  let readings = 0;
  let charged = 1;
  return (moreReadings) => {
    readings += moreReadings;
    const dueRequests = Math.max(1, Math.ceil(readings / readingsPerRequest));
    if (moreReadings === 0 || dueRequests > charged) charge(dueRequests - charged);
    charged = dueRequests;
  };
}

// --- the text around the rows of each sensor ---------------------------------------------------------------------------

/** How an answer names the sensors of its rows. */
interface Layout {
  /** The most characters of {@link leadOf}. */
  longestLead: number;
  /** The first cells or fields of each row of a sensor. */
  leadOf(type: ReadingsType, sensor: Sensor): string;
  headOf(type: ReadingsType, query: ReadingsQuery, sensor: Sensor, isFirst: boolean): string;
  endOf(type: ReadingsType, cursor: string | null, isLast: boolean): string;
}

const singleLayout: Layout = {
  longestLead: 0,
  leadOf: () => '',
  headOf(type, { buckets }) {
    if (type === 'application/x-ndjson') return '';
    return type === 'text/csv' ? `${readingColumnsOf(buckets).join(',')}\n` : '{"data":[';
  },
  endOf: (type, cursor) => (type === 'application/json' ? endOfDocument(cursor) : ''),
};

const manyLayout: Layout = {
  longestLead: 100,
  leadOf(type, { code }) {
    if (type === 'application/json') return '';
    return type === 'text/csv' ? `${csvCell(code)},` : `"sensor":${toSafeJson(code)},`;
  },
  headOf(type, { buckets }, { id, code }, isFirst) {
    if (type === 'application/x-ndjson') return '';
    if (type === 'text/csv')
      return isFirst ? `sensor,${readingColumnsOf(buckets).join(',')}\n` : '';
    return `${isFirst ? '{"data":[' : ','}{"sensor":${toSafeJson({ id, code })},"data":[`;
  },
  endOf(type, cursor, isLast) {
    if (type !== 'application/json') return '';
    return isLast ? `]}${endOfDocument(cursor)}` : ']}';
  },
};

function endOfDocument(cursor: string | null): string {
  return `],"next_cursor":${cursor === null ? 'null' : `"${cursor}"`}}\n`;
}
