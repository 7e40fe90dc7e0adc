import { formatInstantUs } from '../../core/time/instants.ts';
import type { Steps } from '../fairness/slices.ts';
import { ApiError } from '../request/problem.ts';

/**
 * Resolves the records of a SenML pack (RFC 8428) to readings: base fields hold from where they stand, names are joined,
 * relative times are counted from the time of receipt; `positions` are those of the records. What is no reading of a number
 * or boolean is left for the judge to refuse. Throws `invalid_body` where it is no pack.
 */
export function* resolveSenml(
  pack: readonly unknown[],
  nowUs: number,
): Steps<{ items: unknown[]; positions: number[] }> {
  const base: Base = { name: '', timeUs: 0, unit: undefined, value: 0 };
  const items: unknown[] = [];
  const positions: number[] = [];
  for (const [index, record] of pack.entries()) {
    if (index > 0 && index % recordsInStep === 0) yield;
    const item = isObject(record) ? resolveRecord(record, base, index, nowUs) : record;
    if (item === undefined) continue;
    items.push(item);
    positions.push(index);
  }
  return { items, positions };
}

const recordsInStep = 250;

/** The reading of a record; undefined where it only sets the base of those after it. */
function resolveRecord(record: Record<string, unknown>, base: Base, index: number, nowUs: number) {
  takeBase(record, base, index);
  const hasOwn = ['n', 'v', 'vb', 'vs', 'vd', 's', 't'].some((label) => record[label] !== undefined);
  return hasOwn ? toReading(record, base, nowUs) : undefined;
}

function isObject(record: unknown): record is Record<string, unknown> {
  return typeof record === 'object' && record !== null && !Array.isArray(record);
}

interface Base {
  name: string;
  timeUs: number;
  unit: unknown;
  value: number;
}

/** Below this, a time is counted from now (RFC 8428, 4.5.3). */
const relativeBelowUs = 2 ** 28 * 1e6;
const newestVersion = 10;

function takeBase(record: Record<string, unknown>, base: Base, index: number): void {
  for (const label of Object.keys(record)) {
    if (label.endsWith('_')) throw wrong(index, `the label "${label.slice(0, 40)}" must be understood and is not`);
  }
  const { bver, bn, bt, bu, bv } = record;
  if (bver !== undefined && !(typeof bver === 'number' && bver >= 1 && bver <= newestVersion)) {
    throw wrong(index, `its version is not 1 to ${newestVersion}`);
  }
  if (bn !== undefined) base.name = requireType(bn, 'string', 'bn', index);
  if (bt !== undefined) base.timeUs = toUs(requireType(bt, 'number', 'bt', index));
  if (bu !== undefined) base.unit = requireType(bu, 'string', 'bu', index);
  if (bv !== undefined) base.value = requireType(bv, 'number', 'bv', index);
}

function toReading({ n, t, u, v, vb }: Record<string, unknown>, base: Base, nowUs: number): Record<string, unknown> {
  const sensor = typeof n === 'string' ? base.name + n : n === undefined ? base.name : n;
  const at = t === undefined || typeof t === 'number' ? base.timeUs + toUs(t ?? 0) : undefined;
  const atUs = at !== undefined && at < relativeBelowUs ? nowUs + at : at;
  const value = typeof v === 'number' ? base.value + v : (v ?? vb);
  return { sensor, at: atUs === undefined ? t : shownInstant(atUs), value, unit: u ?? base.unit };
}

/** The instant as readings have it; what lies beyond all instants stays so, and is refused with them. */
function shownInstant(us: number): string | number {
  return us < 8e15 ? formatInstantUs(Math.max(us, earliestUs)) : Math.round(us / 1000);
}

/** The first instant that RFC 3339 can write. */
const earliestUs = -62_167_219_200 * 1e6;

/** Seconds as SenML has them; base and own time are rounded apart, since their sum as a double is no longer exact. */
function toUs(seconds: number): number {
  return Math.round(seconds * 1e6);
}

function requireType<T extends 'string' | 'number'>(value: unknown, type: T, label: string, index: number) {
  if (typeof value !== type) throw wrong(index, `"${label}" is no ${type === 'string' ? 'text' : 'number'}`);
  return value as T extends 'string' ? string : number; // just judged
}

function wrong(index: number, what: string): ApiError {
  return new ApiError('invalid_body', `Record ${index} of the SenML pack: ${what}.`);
}
