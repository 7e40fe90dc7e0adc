import type { Domain } from '../../core/domain/domain.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import type { BatchResult, SensorDirectory } from '../../core/port/readings.ts';
import { createReceipts, HeartbeatValidator } from '../../core/readings/heartbeats.ts';
import {
  type AcceptedTime,
  createSpareBatches,
  ReadingValidator,
} from '../../core/readings/readings.ts';
import {
  addRefused,
  byCode,
  maxBatch,
  type Rejection,
  type Validator,
} from '../../core/readings/rejections.ts';
import { retainedFromUs } from '../../core/readings/retention.ts';
import { requireKnown, wrongValue } from '../../core/records/parameters.ts';
import { Spares } from '../../core/sharing/spares.ts';
import { wordList } from '../../core/text/words.ts';
import type { Clock } from '../../core/time/instants.ts';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import type { ApiError } from '../answers/problem.ts';
import type { KeySession } from '../auth/credential-cache.ts';
import type { Gate } from '../auth/gate.ts';
import type { RequestBatches } from '../fairness/batches.ts';
import { finish, type SliceSteps, type Slices } from '../fairness/slices.ts';
import type { IngestCounts } from '../monitoring/metrics.ts';
import type { WarnRejected } from '../monitoring/warnings.ts';
import { type Exchange, parseQuery, requireNoQuery } from '../request/exchange.ts';
import { requireNoPrecondition } from '../request/representation.ts';
import { type BodyReader, requireMediaType, requireUtf8 } from './body.ts';
import { bodyFormatOf } from './body-formats.ts';
import { type ItemTaker, takeItems, type Wrapping } from './items.ts';
import {
  asWriteRefusal,
  fieldNamings,
  type LineOptions,
  namesInLines,
  precisions,
  takeLines,
  writeAnswer,
} from './line-protocol.ts';
import type { IngestOperation } from './operations.ts';
import { SenmlPack } from './senml.ts';
import { namesInJson, type SensorNames } from './sensor-names.ts';
import { UsualReadings } from './usual-readings.ts';

interface IngestOptions {
  domain: Domain;
  counts: IngestCounts;
  gate: Pick<Gate, 'confirm'>;
  batches: RequestBatches;
  bodies: BodyReader;
  slices: Slices;
  /** Receives the key of each body with rejected items, their number by code, and the sensor that the last one names. */
  warnRejected: WarnRejected;
}

/**
 * Builds the handler of an ingest operation; it answers once the accepted items are on disk (promise 5.5). A body that
 * arrived together with its head, as small ones do, is parsed and stored in the same event-loop iteration. A long body takes
 * several iterations, and its key is checked again after the last of them.
 */
export function createIngest(
  { kind, name, examples }: IngestOperation,
  options: IngestOptions,
): (exchange: Exchange, session: KeySession) => MaybePromise<Answer | ApiError> {
  const { domain, counts, gate, batches, bodies, slices, warnRejected } = options;
  const mediaTypes = Object.keys(examples);
  const isInflux = name === 'influx-write';
  const createIntake =
    kind === 'readings' ? createReadingsIntake() : createHeartbeatsIntake(domain.clock);
  const receiptUs = createReceipts(domain.clock);
  const sensorsOf = batches.once((entityId: string) => domain.store.readings.directory(entityId));
  const joinBuffers = new Spares((size) => Buffer.allocUnsafeSlow(size), 4 * 1024 * 1024);

  function* parseBody(
    pieces: readonly Buffer[],
    bodyLength: number,
    { type, lines }: SentAs,
    sensors: SensorDirectory,
    retainedDays: number | null,
  ): SliceSteps<Validator> {
    const joinBuffer = pieces.length <= 1 ? undefined : joinBuffers.take(bodyLength);
    const body = requireUtf8(
      joinBuffer ? joinPieces(pieces, joinBuffer) : (pieces[0] ?? emptyBody),
      bodyFormatOf(type),
    );
    const acceptedTime = {
      nowUs: domain.clock() * 1000,
      retainedFromUs: retainedFromUs(retainedDays, domain.steady),
    };
    const { taker, validator } = createIntake(body, type, sensors, acceptedTime);
    if (lines === undefined) yield* takeItems(body, wrappingOf(type, kind), taker);
    else {
      const hasSensor = (name: string) => sensors.has(name);
      yield* takeLines(body, { ...lines, nowUs: acceptedTime.nowUs, receiptUs, hasSensor }, taker);
    }
    if (joinBuffer) joinBuffers.give(joinBuffer, bodyLength);
    return validator;
  }

  return (exchange, session) =>
    isInflux ? asWriteRefusal(() => ingest(exchange, session)) : ingest(exchange, session);

  function ingest(
    exchange: Exchange,
    { scope, principal: { keyId, tenant } }: KeySession,
  ): MaybePromise<Answer | ApiError> {
    requireNoPrecondition(exchange);
    const sentAs = readSentAs(exchange);
    const acceptBody = (pieces: readonly Buffer[]): MaybePromise<Answer | ApiError> =>
      chain(sensorsOf(scope.entityId), (sensors) => {
        let bodyLength = 0;
        for (const piece of pieces) bodyLength += piece.length;
        const steps = parseBody(pieces, bodyLength, sentAs, sensors, tenant.retainReadingsDays);
        const parsed = bodyLength <= shortBody ? finish(steps) : slices.run(keyId, steps);
        const storeParsed = (validator: Validator) => storeItems(exchange, validator, sentAs);
        return parsed instanceof Promise
          ? afterConfirming(exchange, parsed, storeParsed)
          : storeParsed(parsed);
      });

    const receivedPieces = bodies.read(exchange, keyId);
    return receivedPieces instanceof Promise
      ? afterConfirming(exchange, receivedPieces, acceptBody)
      : acceptBody(receivedPieces);
  }

  /** How the body of a request is to be read, by its Content-Type and query. */
  function readSentAs(exchange: Exchange): SentAs {
    if (isInflux) {
      const lines = { ...readLineQuery(exchange.query, influxParameters), lineNumbers: [] };
      return { type: lineProtocol, lines };
    }
    const type = requireMediaType(exchange, mediaTypes);
    if (type === lineProtocol) return { type, lines: readLineQuery(exchange.query) };
    requireNoQuery(exchange.query);
    return { type, lines: undefined };
  }

  /** Stores the valid items, counts the results, adds rejections to the request's line in the log, and warns of them. */
  async function storeItems(
    exchange: Exchange,
    validator: Validator,
    { lines }: SentAs,
  ): Promise<Answer> {
    const batchResult = await validator.store(domain.store.readings);

    const refused = addRefused(validator.rejected, batchResult, validator.positions);
    const refusedByCode = byCode(refused);
    const sensorOf = (rejection: Rejection) => validator.sensorOf(rejection);

    if (kind === 'heartbeats') counts.heartbeats += batchResult.accepted;
    else {
      exchange.tally?.countReadings(batchResult, refusedByCode, sensorOf, domain.clock());
      counts.accepted += batchResult.accepted;
      counts.duplicates += batchResult.duplicates;
    }

    const lastRefused = refused.at(-1);
    if (lastRefused !== undefined) {
      exchange.rejected = {};
      for (const [code, { count }] of refusedByCode) {
        exchange.rejected[code] = count;
        counts.rejections.set(code, (counts.rejections.get(code) ?? 0) + count);
      }
      counts.rejected += refused.length;
      if (exchange.keyPrefix !== undefined)
        warnRejected(kind, exchange.keyPrefix, exchange.rejected, sensorOf(lastRefused));
    }
    validator.release();
    if (isInflux) return writeAnswer(refused, lines?.lineNumbers ?? []);
    return toAnswer(batchResult, refused);
  }

  /** Waits for a value, checks the key of the request again and continues. */
  async function afterConfirming<T>(
    exchange: Exchange,
    pending: Promise<T>,
    proceed: (value: T) => MaybePromise<Answer | ApiError>,
  ) {
    const settledValue = await pending;
    return gate.confirm(exchange, () => proceed(settledValue));
  }
}

/** The receiver of the items of one body, and the one that keeps the valid ones. */
interface Intake {
  taker: ItemTaker;
  validator: Validator;
}

type CreateIntake = (
  body: Buffer,
  mediaType: string,
  sensors: SensorDirectory,
  acceptedTime: AcceptedTime,
) => Intake;

function createReadingsIntake(): CreateIntake {
  const spareBatches = createSpareBatches();
  const jsonNamesOf = keptFor(namesInJson);
  const lineNamesOf = keptFor(namesInLines);
  return (body, mediaType, sensors, acceptedTime) => {
    const sensorNamesOf = mediaType === lineProtocol ? lineNamesOf : jsonNamesOf;
    const expectedCount = Math.ceil(
      body.length / (mediaType === senml ? usualRecord : usualReading),
    );
    const validator = new ReadingValidator(
      Math.min(expectedCount, maxBatch),
      sensors,
      acceptedTime,
      spareBatches,
    );
    const taker =
      mediaType === senml
        ? new SenmlPack(validator, acceptedTime.nowUs)
        : new UsualReadings(body, sensorNamesOf(sensors), validator);
    return { taker, validator };
  };
}

/** Creates the names of the sensors of a directory once, and keeps them as long as it. */
function keptFor(
  create: (sensors: SensorDirectory) => SensorNames,
): (sensors: SensorDirectory) => SensorNames {
  const namesByDirectory = new WeakMap<SensorDirectory, SensorNames>();
  return (sensors) => {
    const sensorNames = namesByDirectory.get(sensors) ?? create(sensors);
    namesByDirectory.set(sensors, sensorNames);
    return sensorNames;
  };
}

function createHeartbeatsIntake(clock: Clock): CreateIntake {
  const receiptUs = createReceipts(clock);
  return (_body, _type, sensors, { nowUs }) => {
    const validator = new HeartbeatValidator(sensors, nowUs, receiptUs);
    return { taker: validator, validator };
  };
}

/** Bytes of a usual reading, and of a usual record of SenML; a body of shorter ones takes more memory while it is parsed. */
const usualReading = 72;
const usualRecord = 32;

const emptyBody = Buffer.alloc(0);

/** A body up to this length is parsed in one go. */
const shortBody = 4 * 1024;

/** Puts the pieces of a body into one memory. */
function joinPieces(pieces: readonly Buffer[], joinBuffer: Buffer): Buffer {
  let joinedLength = 0;
  for (const piece of pieces) joinedLength += piece.copy(joinBuffer, joinedLength);
  return joinBuffer.subarray(0, joinedLength);
}

function toAnswer({ accepted, duplicates }: BatchResult, rejected: readonly Rejection[]): Answer {
  const rejectedJson = rejected.length === 0 ? '[]' : JSON.stringify(rejected);
  return jsonAnswer(
    `{"accepted":${accepted},"duplicates":${duplicates},"rejected":${rejectedJson}}`,
    rejected.length === 0,
  );
}

/** How the items of a body are wrapped; undefined for lines. */
function wrappingOf(mediaType: string, name: string): Wrapping | undefined {
  if (mediaType === 'application/x-ndjson') return undefined;
  if (mediaType === senml)
    return { name: undefined, expected: 'A SenML body must be a list of records.' };
  return { name, expected: `The body must be an object with one member, a list: {"${name}":[…]}.` };
}

const senml = 'application/senml+json';
const lineProtocol = 'application/vnd.influx.line-protocol';

/** The media type of a body, and what the query says of lines if it is line protocol. */
interface SentAs {
  type: string;
  lines: LineQuery | undefined;
}

type LineQuery = Pick<LineOptions, 'precision' | 'naming' | 'lineNumbers'>;

const lineParameters = new Map([
  ['precision', 'precision'],
  ['name', 'name'],
]);
/** Clients of InfluxDB send the last three, which have no meaning here. */
const influxParameters = new Map([
  ...lineParameters,
  ...['org', 'orgID', 'bucket'].map((name) => [name, name] as const),
]);

/** Reads the query of a body of line protocol. Throws `bad_parameter`. */
function readLineQuery(query: string, knownParameters = lineParameters): LineQuery {
  const parameters = requireKnown(parseQuery(query), knownParameters);
  const precision = parameters.get('precision') ?? 'ns';
  const nameText = parameters.get('name');
  const naming = fieldNamings.find((word) => word === nameText);
  if (!isPrecision(precision))
    throw wrongValue('precision', precision, wordList(Object.keys(precisions), 'or'));
  if (nameText !== undefined && naming === undefined)
    throw wrongValue('name', nameText, `${wordList(fieldNamings, 'or')}, or leave it out`);
  return { precision, naming };
}

function isPrecision(precision: string): precision is keyof typeof precisions {
  return Object.hasOwn(precisions, precision);
}
