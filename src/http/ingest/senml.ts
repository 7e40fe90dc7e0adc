import { aheadFault } from '../../core/readings/instant-faults.ts';
import { earliestMeasuredUs, statedInstant } from '../../core/readings/instants.ts';
import { type Fault, fault, isJsonObject, shown } from '../../core/readings/rejections.ts';
import { quotedText } from '../../core/text/shown-text.ts';
import { wordList } from '../../core/text/words.ts';
import { formatInstantUs } from '../../core/time/instants.ts';
import { ApiError } from '../answers/problem.ts';
import type { ItemTaker } from './items.ts';

/**
 * Resolves the records of a SenML pack (RFC 8428) to readings for `readings`. Base fields apply to all later records, names are
 * joined, and relative times count from the time of receipt. A record that is not a reading is passed on for the validator to
 * refuse; a record that only sets base fields is skipped. Throws `invalid_body` if the pack itself is invalid.
 */
export class SenmlPack implements ItemTaker {
  readonly #base: Base = { name: '', timeUs: 0, unit: undefined, value: 0 };
  readonly #readings: ItemTaker;
  readonly #nowUs: number;

  constructor(readings: ItemTaker, nowUs: number) {
    this.#readings = readings;
    this.#nowUs = nowUs;
  }

  add(record: unknown, index: number): void {
    if (isJsonObject(record)) {
      applyBase(record, this.#base, index);
      const has = (label: string) => record[label] !== undefined;
      if (['n', 't', 's', ...values].some(has)) this.#addReading(record, index);
      else if (!['bver', 'bn', 'bt', 'bu', 'bv', 'bs'].some(has)) {
        const detail = 'The record has neither a value ("v") nor base fields.';
        this.refuse(index, fault('missing_field', detail), record);
      }
    } else this.#readings.add(record, index);
  }

  refuse(index: number, itemFault: Fault, item?: unknown): void {
    this.#readings.refuse(index, itemFault, item);
  }

  #addReading(record: Record<string, unknown>, index: number): void {
    const { n, t, u, v, vb } = record;
    const base = this.#base;
    const atUs = instantUsOf(t, base, this.#nowUs);
    const name = n === undefined ? '' : n;
    const reading = {
      sensor: typeof name === 'string' ? base.name + name : name,
      at: atUs === undefined ? t : shownInstant(atUs, this.#nowUs),
      value: typeof v === 'number' ? base.value + v : (v ?? vb),
      unit: u ?? base.unit,
    };
    const givenValues = values.filter((label) => record[label] !== undefined);
    const unsupportedLabel =
      v === undefined && vb === undefined && otherValues.find((label) => label in record);
    if (unsupportedLabel) {
      const detail = `The record has a value "${unsupportedLabel}": only numbers ("v") and booleans ("vb") are stored.`;
      this.refuse(index, fault('invalid_value', detail), reading);
    } else if (givenValues.length > 1) {
      const labels = wordList(
        givenValues.map((label) => `"${label}"`),
        'and',
      );
      this.refuse(
        index,
        fault('invalid_value', `The record has several values: ${labels}.`),
        reading,
      );
    } else if (atUs === undefined) {
      this.refuse(
        index,
        fault('invalid_at', `The time ${shown(t)} is not a number of seconds.`),
        reading,
      );
    } else if (atUs >= beyondTextsUs) {
      this.refuse(index, aheadFault(atUs / 1e6, Number.POSITIVE_INFINITY, 'seconds'), reading);
    } else this.#readings.add(reading, index);
  }
}

/** The labels of values (RFC 8428, section 4.2), and those of texts, data and sums, which are not stored. */
const values = ['v', 'vb', 'vs', 'vd'] as const;
const otherValues = ['vs', 'vd', 's'] as const;

interface Base {
  name: string;
  timeUs: number;
  unit: unknown;
  value: number;
}

/** A time below this is relative to the time of receipt (RFC 8428, section 4.5.3). */
const relativeBelowUs = 2 ** 28 * 1e6;
const newestVersion = 10;
/** No sensor has a name as long, and ten thousand records would each hold a copy of it. */
const longestBaseName = 1000;

function applyBase(record: Record<string, unknown>, base: Base, index: number): void {
  for (const label of Object.keys(record)) {
    if (label.endsWith('_'))
      throw wrongRecord(
        index,
        `the label ${quotedText(label, 40)} is unknown, and its underscore requires support for it`,
      );
  }
  const { bver, bn, bt, bu, bv } = record;
  if (bver !== undefined && !(typeof bver === 'number' && bver >= 1 && bver <= newestVersion)) {
    throw wrongRecord(index, `"bver" must be a number from 1 to ${newestVersion}`);
  }
  if (bn !== undefined)
    base.name = requireType(bn, 'string', 'bn', index).slice(0, longestBaseName);
  if (bt !== undefined) base.timeUs = toUs(requireType(bt, 'number', 'bt', index));
  if (bu !== undefined) base.unit = requireType(bu, 'string', 'bu', index);
  if (bv !== undefined) base.value = requireType(bv, 'number', 'bv', index);
}

function instantUsOf(time: unknown, base: Base, nowUs: number): number | undefined {
  if (time !== undefined && typeof time !== 'number') return undefined;
  const statedUs = base.timeUs + toUs(time ?? 0);
  return statedUs < relativeBelowUs ? nowUs + statedUs : statedUs;
}

/** The instant in the form of readings, and as a text if it may be refused. */
function shownInstant(instantUs: number, nowUs: number): string | number {
  if (instantUs >= earliestMeasuredUs && instantUs <= nowUs) return statedInstant(instantUs);
  return formatInstantUs(Math.min(Math.max(instantUs, earliestUs), beyondTextsUs));
}

/** No text of RFC 3339 expresses an instant from here on. */
const beyondTextsUs = 8e15;
/** The first instant of RFC 3339, 0000-01-01. */
const earliestUs = -62_167_219_200 * 1e6;

/** Converts seconds to microseconds; base and own time separately, because their sum as a double is inexact. */
function toUs(seconds: number): number {
  return Math.round(seconds * 1e6);
}

function requireType<T extends 'string' | 'number'>(
  member: unknown,
  type: T,
  label: string,
  index: number,
) {
  if (typeof member !== type) throw wrongRecord(index, `"${label}" must be a ${type}`);
  return member as T extends 'string' ? string : number; // checked above
}

function wrongRecord(index: number, reason: string): ApiError {
  return new ApiError('invalid_body', `Record ${index} of the SenML pack: ${reason}.`);
}
