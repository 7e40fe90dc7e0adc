import type { Domain } from '../core/actors.ts';
import { requireKnown } from '../core/pages.ts';
import {
  addConflicts,
  createReceipts,
  judgeHeartbeats,
  judgeReadings,
  maxBatch,
  type Rejection,
} from '../core/readings.ts';
import type { BatchVerdict, MaybePromise, SensorDirectory } from '../core/store.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { readText, requireMediaType } from './body.ts';
import { chain } from './chain.ts';
import type { Exchange } from './exchange.ts';
import type { Gate, Session } from './gate.ts';
import type { Budget } from './memory.ts';
import { requireNoPrecondition } from './preconditions.ts';
import { ApiError } from './problem.ts';
import { parseQuery } from './query.ts';
import { resolveSenml } from './senml.ts';
import type { Turns } from './turns.ts';

export const readingsMediaTypes = ['application/json', 'application/x-ndjson', 'application/senml+json'] as const;
export const heartbeatsMediaTypes = ['application/json', 'application/x-ndjson'] as const;

/** Counts what ingest did, for `/metrics`. */
export interface IngestCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
  heartbeats: number;
}

const nothingKept: BatchVerdict = { accepted: 0, duplicates: 0, conflicts: [] };
const none = new Map<string, unknown>();

export interface IngestOptions {
  domain: Domain;
  counts: IngestCounts;
  gate: Pick<Gate, 'confirm'>;
  turns: Turns;
  /** What bodies may hold together. */
  bodies: Budget;
}

/** `POST /sensors/readings`: answered once what was accepted is on disk (contract, section 5). */
export function createReadingsIngest(options: IngestOptions) {
  const { counts } = options;
  const { readings } = options.domain.store;
  return ingest(options, readingsMediaTypes, (text, type, sensors, nowUs) => {
    const { items, positions: places } = toItems(text, type, 'readings', nowUs);
    const { batch, positions, rejected } = judgeReadings(items, sensors, nowUs);
    return chain(batch.count === 0 ? nothingKept : readings.append(batch), (verdict) => {
      const refused = addConflicts(rejected, verdict.conflicts, positions);
      counts.accepted += verdict.accepted;
      counts.duplicates += verdict.duplicates;
      counts.rejected += refused.length;
      return toAnswer(
        verdict,
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
  return ingest(options, heartbeatsMediaTypes, (text, type, sensors, nowUs) => {
    const { items } = toItems(text, type, 'heartbeats', nowUs);
    const { heartbeats, positions, rejected } = judgeHeartbeats(items, sensors, nowUs, receiptUs);
    return chain(heartbeats.length === 0 ? nothingKept : readings.appendHeartbeats(heartbeats), (verdict) => {
      const refused = addConflicts(rejected, verdict.conflicts, positions);
      counts.heartbeats += verdict.accepted;
      counts.rejected += refused.length;
      return toAnswer(verdict, refused);
    });
  });
}

type Take<Type> = (text: string, type: Type, sensors: SensorDirectory, nowUs: number) => MaybePromise<Answer>;

/** What both have in common; a body that came in one turn with its head, as small ones do, is taken in that turn. */
function ingest<Type extends string>(
  { domain, gate, turns, bodies }: IngestOptions,
  types: readonly Type[],
  take: Take<Type>,
): (exchange: Exchange, session: Session) => MaybePromise<Answer | ApiError> {
  const sensorsOf = turns.once((entityId: string) => domain.store.readings.directory(entityId));
  return (exchange, { scope }) => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    requireNoPrecondition(exchange);
    const type = requireMediaType(exchange, types);
    const takeText = (text: string) =>
      chain(sensorsOf(scope.entityId), (sensors) => take(text, type, sensors, domain.clock() * 1000));
    const text = readText(exchange, bodies);
    return text instanceof Promise
      ? text.then((whole) => gate.confirm(exchange, () => takeText(whole)))
      : takeText(text);
  };
}

function toAnswer({ accepted, duplicates }: BatchVerdict, rejected: readonly Rejection[]): Answer {
  const list = rejected.length === 0 ? '[]' : JSON.stringify(rejected);
  return jsonAnswer(`{"accepted":${accepted},"duplicates":${duplicates},"rejected":${list}}`);
}

/** The list of a body; `positions` where items and the parts of the body are not one to one. */
function toItems(text: string, type: string, name: string, nowUs: number): { items: unknown[]; positions?: number[] } {
  if (type === 'application/x-ndjson') return { items: requireFew(parseLines(text)) };
  const value = parseJson(text, 'The body');
  if (type === 'application/senml+json') {
    if (Array.isArray(value)) requireFew(value);
    return resolveSenml(value, nowUs);
  }
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isMap ? Object.entries(value) : [];
  const [key, list] = members[0] ?? [];
  if (members.length !== 1 || key !== name || !Array.isArray(list)) {
    throw new ApiError('invalid_body', `The body is an object with one member, a list: {"${name}":[…]}.`);
  }
  return { items: requireFew(list) };
}

function requireFew(items: unknown[]): unknown[] {
  if (items.length > maxBatch) {
    throw new ApiError('too_large', `A body holds at most ${maxBatch} of them; this one holds ${items.length}.`);
  }
  return items;
}

function parseLines(text: string): unknown[] {
  const lines = text.split('\n');
  const items: unknown[] = [];
  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    // What is too much is not parsed first.
    if (items.length > maxBatch) requireFew(lines);
    items.push(parseJson(line, `Line ${index + 1}`));
  });
  return items;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text.length > shallowLength ? cutToDepth(text) : text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new ApiError('bad_json', `${what} is not JSON.`);
  }
}

/** Short texts cannot be deep enough to matter. */
const shallowLength = 64 * 1024;
const maxDepth = 32;

/**
 * A text with null for what goes deeper than any body of ours: parsing that would take memory by the hundredfold. It is no
 * value of a reading either, and the others of the body are judged. Throws `invalid_body` where there is too much of it.
 */
function cutToDepth(text: string): string {
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inText) {
      if (code === 92) i++;
      else if (code === 34) inText = false;
    } else if (code === 34) inText = true;
    else if (code === 91 || code === 123) {
      if (depth++ !== maxDepth) continue;
      if (kept.length === maxBatch) {
        throw new ApiError('invalid_body', `The body is nested deeper than ${maxDepth} levels.`);
      }
      kept.push(text.slice(from, i));
    } else if ((code === 93 || code === 125) && --depth === maxDepth) from = i + 1;
  }
  if (kept.length === 0) return text;
  // Brackets that were never closed: what is left of them is no JSON, as the whole was.
  return depth > maxDepth ? kept.join('null') : [...kept, text.slice(from)].join('null');
}
