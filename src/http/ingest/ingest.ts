import type { Domain } from '../../core/domain/domain.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import type { BatchResult, SensorDirectory } from '../../core/port/readings.ts';
import { createReceipts, HeartbeatValidator } from '../../core/readings/heartbeats.ts';
import { type AcceptedTime, createSheets, ReadingValidator } from '../../core/readings/readings.ts';
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
import type { BodyPace } from '../fairness/body-pace.ts';
import type { Budget } from '../fairness/budget.ts';
import { finish, type SliceSteps, type Slices } from '../fairness/slices.ts';
import type { IngestCounts } from '../monitoring/metrics.ts';
import type { WarnRejected } from '../monitoring/warnings.ts';
import { requireNoPrecondition } from '../request/caching.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery, requireNoQuery } from '../request/query.ts';
import { createBodyReader, requireMediaType, requireUtf8 } from './body.ts';
import { bodyFormatOf } from './body-formats.ts';
import { type ItemTaker, takeItems, type Wrapping } from './items.ts';
import { type LineOptions, precisions, takeLines } from './line-protocol.ts';
import type { IngestOperation } from './operations.ts';
import { SenmlPack } from './senml.ts';
import { SensorNames } from './sensor-names.ts';
import { UsualReadings } from './usual-readings.ts';

interface IngestOptions {
  domain: Domain;
  counts: IngestCounts;
  gate: Pick<Gate, 'confirm'>;
  batches: RequestBatches;
  bodies: Budget;
  slices: Slices;
  pace: BodyPace;
  /** Receives the key of each body with rejected readings or heartbeats, their number by code, and the sensor that the last one names. */
  warnRejected: WarnRejected;
}

/**
 * Builds the handler of an ingest operation; it answers once what was accepted is on disk (promise 5.5). A body that
 * arrived together with its head, as small ones do, is parsed and stored in the same event-loop iteration. A long one takes
 * several, and its key is checked again after the last of them.
 */
export function createIngest(
  { kind, examples }: IngestOperation,
  options: IngestOptions,
): (exchange: Exchange, session: KeySession) => MaybePromise<Answer | ApiError> {
  const { domain, counts, gate, batches, bodies, slices, pace, warnRejected } = options;
  const mediaTypes = Object.keys(examples);
  const open = kind === 'readings' ? createReadingsIntake() : createHeartbeatsIntake(domain.clock);
  const receiptUs = createReceipts(domain.clock);
  const sensorsOf = batches.once((entityId: string) => domain.store.readings.directory(entityId));
  const read = createBodyReader(bodies, pace);
  const joined = new Spares((size) => Buffer.allocUnsafeSlow(size), 4 * 1024 * 1024);

  function* parse(
    pieces: readonly Buffer[],
    length: number,
    { type, lines }: SentAs,
    sensors: SensorDirectory,
    days: number | null,
  ): SliceSteps<Validator> {
    const memory = pieces.length <= 1 ? undefined : joined.take(length);
    const body = requireUtf8(
      memory ? join(pieces, memory) : (pieces[0] ?? nothing),
      bodyFormatOf(type),
    );
    const time = {
      nowUs: domain.clock() * 1000,
      retainedFromUs: retainedFromUs(days, domain.steady),
    };
    const { taker, validator } = open(body, type, sensors, time);
    if (lines === undefined) yield* takeItems(body, wrappingOf(type, kind), taker);
    else {
      const hasSensor = (name: string) => sensors.has(name);
      yield* takeLines(body, { ...lines, nowUs: time.nowUs, receiptUs, hasSensor }, taker);
    }
    if (memory) joined.give(memory, length);
    return validator;
  }

  return (exchange, { scope, principal: { keyId, tenant } }) => {
    requireNoPrecondition(exchange);
    const type = requireMediaType(exchange, mediaTypes);
    const isLines = type === lineProtocol;
    if (!isLines) requireNoQuery(exchange.query);
    const sentAs: SentAs = { type, lines: isLines ? readLineQuery(exchange.query) : undefined };
    const accept = (pieces: readonly Buffer[]): MaybePromise<Answer | ApiError> =>
      chain(sensorsOf(scope.entityId), (sensors) => {
        let length = 0;
        for (const piece of pieces) length += piece.length;
        const steps = parse(pieces, length, sentAs, sensors, tenant.retainReadingsDays);
        const parsed = length <= shortBody ? finish(steps) : slices.run(keyId, steps);
        const keep = (validator: Validator) => store(exchange, validator);
        return parsed instanceof Promise ? confirmed(exchange, parsed, keep) : keep(parsed);
      });
    const body = read(exchange, keyId);
    return body instanceof Promise ? confirmed(exchange, body, accept) : accept(body);
  };

  /** Stores what is valid, counts what became of the body, adds that to the request's line in the log, and warns. */
  async function store(exchange: Exchange, validator: Validator): Promise<Answer> {
    const result = await validator.store(domain.store.readings);
    const refused = addRefused(validator.rejected, result, validator.positions);
    const codes = byCode(refused);
    const sensorOf = (rejection: Rejection) => validator.sensorOf(rejection);
    if (kind === 'heartbeats') counts.heartbeats += result.accepted;
    else {
      exchange.tally?.countReadings(result, codes, sensorOf, domain.clock());
      counts.accepted += result.accepted;
      counts.duplicates += result.duplicates;
    }
    const last = refused.at(-1);
    if (last !== undefined) {
      exchange.rejected = {};
      for (const [code, { count }] of codes) {
        exchange.rejected[code] = count;
        counts.rejections.set(code, (counts.rejections.get(code) ?? 0) + count);
      }
      counts.rejected += refused.length;
      if (exchange.keyPrefix !== undefined)
        warnRejected(kind, exchange.keyPrefix, exchange.rejected, sensorOf(last));
    }
    validator.release();
    return toAnswer(result, refused);
  }

  /** Waits for a value, checks the key of the request again and continues. */
  async function confirmed<T>(
    exchange: Exchange,
    later: Promise<T>,
    next: (value: T) => MaybePromise<Answer | ApiError>,
  ) {
    const value = await later;
    return gate.confirm(exchange, () => next(value));
  }
}

/** The receiver of the items of one body, and the one that keeps the valid ones. */
interface Intake {
  taker: ItemTaker;
  validator: Validator;
}

type CreateIntake = (
  body: Buffer,
  type: string,
  sensors: SensorDirectory,
  time: AcceptedTime,
) => Intake;

function createReadingsIntake(): CreateIntake {
  const sheets = createSheets();
  const namesOf = new WeakMap<SensorDirectory, SensorNames>();
  return (body, type, sensors, time) => {
    const names = namesOf.get(sensors) ?? new SensorNames(sensors);
    namesOf.set(sensors, names);
    const expected = Math.ceil(body.length / (type === senml ? usualRecord : usualReading));
    const validator = new ReadingValidator(Math.min(expected, maxBatch), sensors, time, sheets);
    const taker =
      type === senml
        ? new SenmlPack(validator, time.nowUs)
        : new UsualReadings(body, names, validator);
    return { taker, validator };
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

const nothing = Buffer.alloc(0);

/** Up to this length, parsing takes less time than dividing it into slices would. */
const shortBody = 4 * 1024;

/** Puts the pieces of a body into one memory. */
function join(pieces: readonly Buffer[], memory: Buffer): Buffer {
  let length = 0;
  for (const piece of pieces) length += piece.copy(memory, length);
  return memory.subarray(0, length);
}

function toAnswer({ accepted, duplicates }: BatchResult, rejected: readonly Rejection[]): Answer {
  const list = rejected.length === 0 ? '[]' : JSON.stringify(rejected);
  return jsonAnswer(
    `{"accepted":${accepted},"duplicates":${duplicates},"rejected":${list}}`,
    rejected.length === 0,
  );
}

/** How the items of a body are wrapped; undefined for lines. */
function wrappingOf(type: string, name: string): Wrapping | undefined {
  if (type === 'application/x-ndjson') return undefined;
  if (type === senml)
    return { name: undefined, expected: 'A SenML body must be a list of records.' };
  return { name, expected: `The body must be an object with one member, a list: {"${name}":[…]}.` };
}

const senml = 'application/senml+json';
const lineProtocol = 'application/vnd.influx.line-protocol';

/** The media type of a body, and what the query says of lines if it is line protocol. */
interface SentAs {
  type: string;
  lines: Pick<LineOptions, 'precision' | 'namesByField'> | undefined;
}

const lineParameters = new Map([
  ['precision', 'precision'],
  ['name', 'name'],
]);

/** Reads the query of a body of line protocol. Throws `bad_parameter`. */
function readLineQuery(query: string): Pick<LineOptions, 'precision' | 'namesByField'> {
  const parameters = requireKnown(parseQuery(query), lineParameters);
  const precision = parameters.get('precision') ?? 'ns';
  const name = parameters.get('name');
  if (!isPrecision(precision))
    throw wrongValue('precision', precision, wordList(Object.keys(precisions), 'or'));
  if (name !== undefined && name !== 'measurement.field')
    throw wrongValue('name', name, 'measurement.field, or leave it out');
  return { precision, namesByField: name !== undefined };
}

function isPrecision(text: string): text is keyof typeof precisions {
  return Object.hasOwn(precisions, text);
}
