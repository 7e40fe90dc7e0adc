import type { BatchResult, ReadingStore, Sensor } from '../port/readings.ts';
import { redactSecrets } from '../secrets.ts';
import { cutText, isTricky, jsonText, printable, quotedName } from '../text/shown-text.ts';

/** The most readings or heartbeats in one request body. */
export const maxBatch = 10_000;
/** The most characters of one reading or heartbeat: a hundred times the usual length. */
export const longestItem = 16 * 1024;
/** Replaces in a list an item that was not parsed because it is longer than {@link longestItem}. */
export const tooLong = Symbol('too long');

/** Why one reading or heartbeat of a body was rejected; `index` is its position in the body. */
export interface Rejection {
  index: number;
  code: RejectionCode;
  detail: string;
}

export type Fault = Omit<Rejection, 'index'>;

/** Every reason for rejecting a single reading or heartbeat, and what it means. */
export const rejectionCodes = {
  bad_json: 'The line is not JSON or not a single object, or an object has a member twice.',
  invalid_reading: 'It is not an object or line of the format, or it is longer than 16 KiB.',
  unknown_field: 'It has an unknown field.',
  missing_field: 'A required field is missing.',
  unknown_sensor: 'No sensor of the entity has this code or id.',
  sensor_inactive: 'The sensor is marked as inactive.',
  invalid_at:
    'The instant is neither RFC 3339 with an offset nor whole epoch milliseconds from 100,000,000,000 on (less would be ' +
    'epoch seconds, which land in 1970), or it is before 1990, as by a clock that is not set.',
  in_future: 'The instant is more than 24 hours ahead.',
  past_retention: 'The instant is before the time for which the organization keeps readings.',
  invalid_value: 'The value is neither a finite number nor a boolean.',
  unit_mismatch: "The unit is not the sensor's own.",
  invalid_quality: 'The quality is not good, uncertain or bad.',
  reading_conflict: 'The sensor has another value at this instant; the first one stays.',
  invalid_status: 'The status is not ok, degraded or fault.',
  invalid_battery: 'The battery is not a number from 0 to 100.',
  invalid_signal: 'The signal is not a number of dBm from -200 to 100.',
  invalid_firmware:
    'The firmware is not a text of 1 to 64 characters, without control characters and lone surrogates.',
} as const;

type RejectionCode = keyof typeof rejectionCodes;

/** Adds what the store refused, given as positions in its batch; the result is in order of the body. */
export function addRefused(
  rejected: readonly Rejection[],
  { conflicts }: Pick<BatchResult, 'conflicts'>,
  positions: ArrayLike<number>,
): readonly Rejection[] {
  if (conflicts.length === 0) return rejected;
  const conflictRejections = conflicts.map((position) => ({
    index: positions[position] ?? position,
    ...fault('reading_conflict'),
  }));
  const allRejected = [...rejected, ...conflictRejections];
  return allRejected.sort((a, b) => a.index - b.index);
}

/** The rejections of a body by code: how many, and the last one. */
export type RejectionsByCode = ReadonlyMap<string, { count: number; last: Rejection }>;

export function byCode(rejected: readonly Rejection[]): RejectionsByCode {
  const codes = new Map<string, { count: number; last: Rejection }>();
  for (const rejection of rejected) {
    const codeTotal = codes.get(rejection.code);
    if (codeTotal === undefined) {
      codes.set(rejection.code, { count: 1, last: rejection });
    } else {
      codeTotal.count++;
      codeTotal.last = rejection;
    }
  }
  return codes;
}

/** A fault; its detail is the meaning of the code if there is nothing more to say. */
export function fault(code: RejectionCode, detail: string = rejectionCodes[code]): Fault {
  return { code, detail };
}

/** Whether an item is a JSON object; everything else is a {@link notObject}. */
export function isJsonObject(item: unknown): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null && !Array.isArray(item);
}

export function notObject(item: unknown, subject: string): Fault {
  const detail = item === tooLong ? `at most ${longestItem / 1024} KiB long` : 'an object';
  return fault('invalid_reading', `${subject} is ${detail}.`);
}

export function missing(field: string): Fault {
  return fault('missing_field', `The field "${field}" is missing.`);
}

/** The fault of an unknown field; `knownFields` lists the fields that there are. */
export function unknownField(field: string, knownFields: string): Fault {
  return fault(
    'unknown_field',
    `${shown(field)} is an unknown field; the fields are ${knownFields}.`,
  );
}

/** The fault of a sensor that is missing, unknown or, if it is given, inactive. */
export function sensorFault(name: unknown, sensor: Sensor | undefined): Fault {
  if (name === undefined) return missing('sensor');
  if (sensor) {
    return fault('sensor_inactive', `The sensor ${shown(sensor.code)} is marked as inactive.`);
  }
  const quotesHint = /^(["']).*\1$/.test(String(name)) ? ' Send it without the quotes inside.' : '';
  const detail = `No sensor of this entity has the code or id ${shown(name)}.${quotesHint}`;
  return fault('unknown_sensor', detail);
}

/** The fault of a value that is missing, or neither a finite number nor a boolean. */
export function valueFault(value: unknown): Fault {
  if (value === undefined) return missing('value');
  return fault(
    'invalid_value',
    `The value ${shown(value)} is neither a finite number nor a boolean.${valueAdvice(value)}`,
  );
}

/** Advice for sending a value as a number; begins with a space, and is empty if nothing is known. */
function valueAdvice(value: unknown): string {
  if (typeof value === 'string') return numeralAdvice(value.trim());
  return typeof value === 'number' ? ` The largest number is ${Number.MAX_VALUE}.` : '';
}

/** Advice for a text that is a number to people; begins with a space, and is empty for other texts. */
function numeralAdvice(numeralText: string): string {
  const number = numeralText === '' ? Number.NaN : Number(numeralText);
  if (Number.isFinite(number)) return ` Send the number ${number} without quotes.`;
  if (groupedNumeral.test(numeralText)) {
    return ' It is ambiguous: give it without separators of thousands, with a decimal point.';
  }
  const hasDecimalComma = /^[+-]?\d*,\d+(?:e[+-]?\d+)?$/i.test(numeralText);
  if (hasDecimalComma && numeralText.length <= maxNumeralLength) {
    return ` Give it with a decimal point: ${numeralText.replace(',', '.')}.`;
  }
  return '';
}

const maxNumeralLength = 40;

/** Groups of three digits, perhaps with a decimal mark: 1.234,5 and 1,234.5, and 1,234, which may be 1.234 or 1234. */
const groupedNumeral = /^[+-]?\d{1,3}(?:[.,'\s]\d{3})+(?:[.,]\d*)?$/;

export function qualityFault(quality: unknown): Fault {
  return fault(
    'invalid_quality',
    `The quality ${shown(quality)} is not valid; use good, uncertain or bad.`,
  );
}

/** The fault of a unit other than the sensor's own. */
export function unitFault(givenUnit: unknown, sensor: Sensor): Fault {
  const sensorUnit = sensor.unit === null ? 'it has none' : `its own is ${shown(sensor.unit)}`;
  return fault(
    'unit_mismatch',
    `${shown(givenUnit)} is not the unit of the sensor; ${sensorUnit}.`,
  );
}

/** The sensor that an item of a body names, for people: cut short, printable and without a secret; null if it names none. */
function sensorNamed(item: unknown): string | null {
  const sensorName = isJsonObject(item) ? item.sensor : undefined;
  if (typeof sensorName !== 'string') return null;
  const searchedText = sensorName.slice(0, searchedLength);
  return cutText(printable(redactSecrets(searchedText)), 80);
}

/** Takes the items of a body one by one and keeps the valid ones, to be stored at once. */
export abstract class Validator {
  readonly rejected: Rejection[] = [];
  /** The position in the body of each valid item. */
  abstract readonly positions: ArrayLike<number>;
  readonly #lastRejected = new Map<RejectionCode, unknown>();

  /** Takes the item at a position of the body, which may be anything that JSON can express. */
  add(item: unknown, index: number): void {
    const itemFault = this.check(item, index);
    if (itemFault !== undefined) this.refuse(index, itemFault, item);
  }

  /** Rejects the item at a position, of which nothing may be known. */
  refuse(index: number, itemFault: Fault, item?: unknown): void {
    this.rejected.push({ index, ...itemFault });
    this.#lastRejected.set(itemFault.code, item);
  }

  /** The sensor that the last rejected item of a code names, for people; null if it names none. */
  sensorOf({ code }: Rejection): string | null {
    return sensorNamed(this.#lastRejected.get(code));
  }

  /** Resolves once the valid items are stored. */
  abstract store(readings: ReadingStore): Promise<BatchResult>;

  /** Gives its memory to later bodies; nothing may use the valid items any more. */
  release(): void {}

  /** Keeps an item if it is valid. */
  protected abstract check(item: unknown, index: number): Fault | undefined;
}

/** The result of storing nothing. */
export const nothingKept: BatchResult = {
  accepted: 0,
  duplicates: 0,
  conflicts: [],
};

/** A value from the client for use in a message: cut short, without nested values, and without a secret. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? '[…]' : '{…}';
  }
  // JSON has no infinite numbers, but one such as 1e999 is read as one.
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') {
    return cutText(redactSecrets(jsonText(value)), 80);
  }

  // A text may have thousands of characters, and a body thousands of such texts. A secret in the shown part lies within these.
  const searchedText = value.slice(0, searchedLength);
  if (isTricky(searchedText)) return quotedName(searchedText);
  return cutText(redactSecrets(jsonText(searchedText)), 80);
}

const searchedLength = 500;
