import type { Credential, KeyUse } from '../../core/port/keys.ts';
import type { BatchResult } from '../../core/port/readings.ts';
import type { UsageCount, UsageKind } from '../../core/port/usage.ts';
import type { Rejection, RejectionsByCode } from '../../core/readings/rejections.ts';
import { dayAt } from '../../core/time/calendar.ts';

/** Takes the tally of a key until it is merged into the store; false while too many wait already. */
export type AddWaiting = (tally: DayTally) => boolean;

/** The counts of the day of an instant, by the wall clock of the key's entity. */
export type KeyTally = (nowMs: number) => DayTally;

export function createKeyTally(
  { keyId, entity }: Pick<Credential, 'keyId' | 'entity'>,
  addWaiting: AddWaiting,
): KeyTally {
  let today: { tally: DayTally; fromMs: number; untilMs: number } | undefined;
  return (nowMs) => {
    if (today === undefined || nowMs < today.fromMs || nowMs >= today.untilMs) {
      const { day, fromMs, untilMs } = dayAt(nowMs, entity?.timezone ?? 'UTC');
      today = { tally: new DayTally(keyId, day, addWaiting), fromMs, untilMs };
    }
    return today.tally;
  };
}

/** Usage of a key on one day, as far as it is not in the store yet. */
export class DayTally {
  readonly keyId: string;
  readonly day: number;
  /** The last use, and the time of the one that was merged last. */
  readonly use: KeyUse = { atMs: 0, ip: '' };
  mergedAtMs = 0;
  /** Whether it is among those that wait for the next merge. */
  isWaiting = false;
  readonly #addWaiting: AddWaiting;
  readonly #counters: UsageCount[] = [];

  constructor(keyId: string, day: number, addWaiting: AddWaiting) {
    this.keyId = keyId;
    this.day = day;
    this.#addWaiting = addWaiting;
  }

  recordUse(atMs: number, ip: string): void {
    this.use.atMs = atMs;
    this.use.ip = ip;
    this.#wait();
  }

  countRequest(code: string | undefined): void {
    this.#find('request').count++;
    if (code !== undefined) this.#find('refused', code).count++;
    this.#wait();
  }

  /** Notes when and from where a request with a refused key came; {@link countRequest} counts it. */
  noteRefusal(code: string, atMs: number, address: string): void {
    const counter = this.#find('refused', code);
    counter.lastAtMs = atMs;
    counter.lastAddress = address;
  }

  /** `sensorOf` finds the sensor that a rejected reading names; null if it names none. */
  countReadings(
    { accepted, duplicates }: BatchResult,
    rejected: RejectionsByCode,
    sensorOf: (rejection: Rejection) => string | null,
    nowMs: number,
  ): void {
    if (accepted > 0) this.#find('accepted').count += accepted;
    if (duplicates > 0) this.#find('duplicate').count += duplicates;
    for (const [code, { count, last }] of rejected) {
      const counter = this.#find('rejected', code);
      counter.count += count;
      counter.lastAtMs = nowMs;
      counter.lastSensor = sensorOf(last);
    }
    this.#wait();
  }

  /** The counters that are not zero. The store is given copies; after the merge their counts are subtracted. */
  counters(): UsageCount[] {
    return this.#counters.filter(({ count }) => count > 0);
  }

  #wait(): void {
    if (!this.isWaiting) this.isWaiting = this.#addWaiting(this);
  }

  #find(usageKind: UsageKind, code = ''): UsageCount {
    for (const counter of this.#counters)
      if (counter.code === code && counter.kind === usageKind) return counter;
    const { keyId, day } = this;
    const counter: UsageCount = {
      keyId,
      day,
      kind: usageKind,
      code,
      count: 0,
      lastAtMs: null,
      lastSensor: null,
      lastAddress: null,
    };
    this.#counters.push(counter);
    return counter;
  }
}
