import type { Domain } from '../../core/access/actors.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { BatchResult, SensorDirectory } from '../../core/port/readings.ts';
import { createReceipts, validateHeartbeats } from '../../core/readings/heartbeats.ts';
import { validateReadings } from '../../core/readings/readings.ts';
import { addConflicts, type Rejection } from '../../core/readings/rejections.ts';
import { requireKnown } from '../../core/records/parameters.ts';
import type { Gate, Session } from '../auth/gate.ts';
import type { Budget } from '../fairness/memory.ts';
import { finish, Slices, type Steps } from '../fairness/slices.ts';
import type { RequestBatches } from '../request/batches.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { requireNoPrecondition } from '../request/preconditions.ts';
import type { ApiError } from '../request/problem.ts';
import { parseQuery } from '../request/query.ts';
import { type Answer, jsonAnswer } from '../request/response.ts';
import { itemsOfJson, itemsOfLines } from './batch-text.ts';
import { createBodyReader, requireMediaType, toText } from './body.ts';
import { resolveSenml } from './senml.ts';

export const readingsMediaTypes = ['application/json', 'application/x-ndjson', 'application/senml+json'] as const;
export const heartbeatsMediaTypes = ['application/json', 'application/x-ndjson'] as const;

/** Counts what ingest did, for `/metrics`. */
export interface IngestCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
  heartbeats: number;
}

const nothingKept: BatchResult = { accepted: 0, duplicates: 0, conflicts: [] };
const none = new Map<string, unknown>();

export interface IngestOptions {
  domain: Domain;
  counts: IngestCounts;
  gate: Pick<Gate, 'confirm'>;
  batches: RequestBatches;
  /** What bodies may hold together. */
  bodies: Budget;
}

/** What is made of a body: what keeps it, once the key was found good still. */
type Take<Type> = (
  text: string,
  type: Type,
  sensors: SensorDirectory,
  nowUs: number,
) => Steps<() => MaybePromise<Answer>>;

/** `POST /sensors/readings`: answered once what was accepted is on disk (contract, section 5). */
export function createReadingsIngest(options: IngestOptions) {
  const { counts } = options;
  const { readings } = options.domain.store;
  return ingest(options, readingsMediaTypes, function* (text, type, sensors, nowUs) {
    const { items, positions: places } = yield* toItems(text, type, 'readings', nowUs);
    const { batch, positions, rejected } = yield* validateReadings(items, sensors, nowUs);
    return () =>
      chain(batch.count === 0 ? nothingKept : readings.append(batch), (result) => {
        const refused = addConflicts(rejected, result.conflicts, positions);
        counts.accepted += result.accepted;
        counts.duplicates += result.duplicates;
        counts.rejected += refused.length;
        return toAnswer(
          result,
          places ? refused.map((one) => ({ ...one, index: places[one.index] ?? one.index })) : refused,
        );
      });
  });
}

/** `POST /sensors/heartbeats`, answered the same way. */
export function createHeartbeatsIngest(options: IngestOptions) {
  const { counts } = options;
  const { readings } = options.domain.store;
  const receiptUs = createReceipts(options.domain.clock);
  return ingest(options, heartbeatsMediaTypes, function* (text, type, sensors, nowUs) {
    const { items } = yield* toItems(text, type, 'heartbeats', nowUs);
    const { heartbeats, positions, rejected } = yield* validateHeartbeats(items, sensors, nowUs, receiptUs);
    return () =>
      chain(heartbeats.length === 0 ? nothingKept : readings.appendHeartbeats(heartbeats), (result) => {
        const refused = addConflicts(rejected, result.conflicts, positions);
        counts.heartbeats += result.accepted;
        counts.rejected += refused.length;
        return toAnswer(result, refused);
      });
  });
}

/**
 * What both have in common. A body that came in one turn with its head, as small ones do, is taken in that turn; what is
 * made of a long one takes several, and its key is judged again after the last of them.
 */
function ingest<Type extends string>(
  { domain, gate, batches, bodies }: IngestOptions,
  types: readonly Type[],
  take: Take<Type>,
): (exchange: Exchange, session: Session) => MaybePromise<Answer | ApiError> {
  const sensorsOf = batches.once((entityId: string) => domain.store.readings.directory(entityId));
  const slices = new Slices();
  const read = createBodyReader(bodies);
  return (exchange, { scope, principal }) => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    requireNoPrecondition(exchange);
    const type = requireMediaType(exchange, types);
    const { keyId } = principal;
    function* steps(body: Buffer, sensors: SensorDirectory) {
      const text = toText(body);
      if (text.length > longText) yield;
      return yield* take(text, type, sensors, domain.clock() * 1000);
    }
    const takeBody = (body: Buffer) =>
      chain(sensorsOf(scope.entityId), (sensors) => {
        const work = steps(body, sensors);
        const taken = body.length <= shortBody ? finish(work) : slices.run(keyId, work);
        return taken instanceof Promise ? taken.then((keep) => gate.confirm(exchange, keep)) : taken();
      });
    const body = read(exchange, keyId);
    return body instanceof Promise
      ? body.then((whole) => gate.confirm(exchange, () => takeBody(whole)))
      : takeBody(body);
  };
}

/** What is made of so many bytes takes less than sharing the time would. */
const shortBody = 4 * 1024;
/** Making a text of that many bytes takes a slice of its own. */
const longText = 1024 * 1024;

function toAnswer({ accepted, duplicates }: BatchResult, rejected: readonly Rejection[]): Answer {
  const list = rejected.length === 0 ? '[]' : JSON.stringify(rejected);
  return jsonAnswer(`{"accepted":${accepted},"duplicates":${duplicates},"rejected":${list}}`);
}

/** The list of a body; `positions` where items and the parts of the body are not one to one. */
function* toItems(
  text: string,
  type: string,
  name: string,
  nowUs: number,
): Steps<{ items: unknown[]; positions?: number[] }> {
  if (type === 'application/x-ndjson') return { items: yield* itemsOfLines(text) };
  if (type === 'application/senml+json') {
    const pack = yield* itemsOfJson(text, { name: undefined, expected: 'SenML is a list of records.' });
    return yield* resolveSenml(pack, nowUs);
  }
  const expected = `The body is an object with one member, a list: {"${name}":[…]}.`;
  return { items: yield* itemsOfJson(text, { name, expected }) };
}
