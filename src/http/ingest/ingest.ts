import type { Domain } from '../../core/access/actors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { BatchResult, SensorDirectory } from '../../core/port/readings.ts';
import { createReceipts, validateHeartbeats } from '../../core/readings/heartbeats.ts';
import { type AcceptedTime, validateReadings } from '../../core/readings/readings.ts';
import {
  addRefused,
  byCode,
  type Rejection,
  type RejectionsByCode,
  sensorNamed,
} from '../../core/readings/rejections.ts';
import { retainedFromUs } from '../../core/readings/retention.ts';
import type { Gate } from '../auth/gate.ts';
import type { Session } from '../auth/session.ts';
import type { Budget } from '../fairness/budget.ts';
import { finish, type Slices, type Steps } from '../fairness/slices.ts';
import type { WarnRejected } from '../monitoring/warnings.ts';
import type { RequestBatches } from '../request/batches.ts';
import type { BodyPace } from '../request/body-pace.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { requireNoPrecondition } from '../request/preconditions.ts';
import type { ApiError } from '../request/problem.ts';
import { requireNoQuery } from '../request/query.ts';
import { type Answer, jsonAnswer } from '../request/response.ts';
import { itemsOfJson, itemsOfLines } from './batch-text.ts';
import { createBodyReader, requireMediaType, toText } from './body.ts';
import type { IngestOperation } from './operations.ts';
import { resolveSenml } from './senml.ts';

/** Counts what ingest did, for `/metrics`. */
export interface IngestCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
  heartbeats: number;
  /** Rejected readings and heartbeats by code. */
  rejections: Map<string, number>;
}

interface IngestOptions {
  domain: Domain;
  counts: IngestCounts;
  gate: Pick<Gate, 'confirm'>;
  batches: RequestBatches;
  /** The memory that all bodies share. */
  bodies: Budget;
  /** Where long bodies are parsed. */
  slices: Slices;
  /** Slows down connections whose bodies arrive together. */
  pace: BodyPace;
  /** Receives the key of each body with rejected readings or heartbeats, their number by code, and the sensor that the last one names. */
  warnRejected: WarnRejected;
}

/**
 * Builds the handler of an ingest operation; it answers once what was accepted is on disk (contract, section 5). A body that
 * arrived together with its head, as small ones do, is parsed and stored in the same event-loop iteration. A long one takes
 * several, and its key is checked again after the last of them.
 */
export function createIngest(
  { kind, examples }: IngestOperation,
  options: IngestOptions,
): (exchange: Exchange, session: Session) => MaybePromise<Answer | ApiError> {
  const { domain, gate, batches, bodies, slices, pace } = options;
  const mediaTypes = Object.keys(examples);
  const parse = kind === 'readings' ? createReadingsParser(options) : createHeartbeatsParser(options);
  const sensorsOf = batches.once((entityId: string) => domain.store.readings.directory(entityId));
  const read = createBodyReader(bodies, pace);

  function* stepsOf(body: Buffer, type: string, sensors: SensorDirectory, days: number | null): Steps<Store> {
    const text = toText(body);
    if (text.length > longText) yield;
    const time = { nowUs: domain.clock() * 1000, retainedFromUs: retainedFromUs(days, domain.steady) };
    return yield* parse(text, type, sensors, time);
  }

  return (exchange, { scope, principal: { keyId, tenant } }) => {
    requireNoQuery(exchange.query);
    requireNoPrecondition(exchange);
    const type = requireMediaType(exchange, mediaTypes);
    const accept = (body: Buffer): MaybePromise<Answer | ApiError> =>
      chain(sensorsOf(scope.entityId), (sensors) => {
        const steps = stepsOf(body, type, sensors, tenant.retainReadingsDays);
        const store = body.length <= shortBody ? finish(steps) : slices.run(keyId, steps);
        return store instanceof Promise ? confirmed(exchange, store, (ready) => ready(exchange)) : store(exchange);
      });
    const body = read(exchange, keyId);
    return body instanceof Promise ? confirmed(exchange, body, accept) : accept(body);
  };

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

/** Stores what the body of a request holds, once the key was found still valid. */
type Store = (exchange: Exchange) => Promise<Answer>;

/** Parses and validates the text of a body. */
type Parser = (text: string, type: string, sensors: SensorDirectory, time: AcceptedTime) => Steps<Store>;

const nothingKept: BatchResult = { accepted: 0, duplicates: 0, conflicts: [] };

function createReadingsParser(options: IngestOptions): Parser {
  const { domain, counts } = options;
  const { readings } = domain.store;
  const reportRejected = createRejectionReport(options, 'readings');
  return function* (text, type, sensors, time) {
    const { items, positions: places } = yield* toItems(text, type, 'readings', time.nowUs);
    const { batch, positions, rejected } = yield* validateReadings(items, sensors, time);
    return async (exchange) => {
      const result = batch.count === 0 ? nothingKept : await readings.append(batch);
      const refused = addRefused(rejected, result, positions);
      const codes = byCode(refused);
      const sensorOf = ({ index }: Rejection) => sensorNamed(items[index]);
      exchange.tally?.countReadings({ ...result, rejected: codes, sensorOf }, domain.clock());
      counts.accepted += result.accepted;
      counts.duplicates += result.duplicates;
      reportRejected(exchange, codes, sensorOf);
      return toAnswer(
        result,
        places ? refused.map((one) => ({ ...one, index: places[one.index] ?? one.index })) : refused,
      );
    };
  };
}

function createHeartbeatsParser(options: IngestOptions): Parser {
  const { domain, counts } = options;
  const { readings } = domain.store;
  const reportRejected = createRejectionReport(options, 'heartbeats');
  const receiptUs = createReceipts(domain.clock);
  return function* (text, type, sensors, { nowUs }) {
    const { items } = yield* toItems(text, type, 'heartbeats', nowUs);
    const { heartbeats, positions, rejected } = yield* validateHeartbeats(items, sensors, nowUs, receiptUs);
    return async (exchange) => {
      const result = heartbeats.length === 0 ? nothingKept : await readings.appendHeartbeats(heartbeats);
      const refused = addRefused(rejected, result, positions);
      counts.heartbeats += result.accepted;
      reportRejected(exchange, byCode(refused), ({ index }) => sensorNamed(items[index]));
      return toAnswer(result, refused);
    };
  };
}

/** Creates the function that counts what a body had rejected, adds it to the request's line in the log, and warns. */
function createRejectionReport({ counts, warnRejected }: IngestOptions, kind: IngestOperation['kind']) {
  return (exchange: Exchange, codes: RejectionsByCode, sensorOf: (rejection: Rejection) => string | null): void => {
    if (codes.size === 0) return;
    exchange.rejected = {};
    let last: Rejection | undefined;
    for (const [code, found] of codes) {
      exchange.rejected[code] = found.count;
      counts.rejected += found.count;
      counts.rejections.set(code, (counts.rejections.get(code) ?? 0) + found.count);
      if (last === undefined || found.last.index > last.index) last = found.last;
    }
    if (exchange.keyPrefix !== undefined && last !== undefined)
      warnRejected(kind, exchange.keyPrefix, exchange.rejected, sensorOf(last));
  };
}

/** Up to this length, parsing takes less time than dividing it into slices would. */
const shortBody = 4 * 1024;
/** Above this length, decoding the text takes a slice of its own. */
const longText = 1024 * 1024;

function toAnswer({ accepted, duplicates }: BatchResult, rejected: readonly Rejection[]): Answer {
  const list = rejected.length === 0 ? '[]' : JSON.stringify(rejected);
  return jsonAnswer(`{"accepted":${accepted},"duplicates":${duplicates},"rejected":${list}}`);
}

/** The items of a body; `positions` are those of the SenML records that they come from. */
function* toItems(
  text: string,
  type: string,
  name: string,
  nowUs: number,
): Steps<{ items: unknown[]; positions?: number[] }> {
  if (type === 'application/x-ndjson') return { items: yield* itemsOfLines(text) };
  if (type === 'application/senml+json') {
    const pack = yield* itemsOfJson(text, { name: undefined, expected: 'A SenML body must be a list of records.' });
    return yield* resolveSenml(pack, nowUs);
  }
  const expected = `The body must be an object with one member, a list: {"${name}":[…]}.`;
  return { items: yield* itemsOfJson(text, { name, expected }) };
}
