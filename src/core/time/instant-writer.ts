import { formatInstantUs } from './instants.ts';

export const instantLength = '2026-11-20T08:15:00.123456Z'.length;

/** Writes instants into the same place of some bytes: only digits that have changed. */
export class InstantWriter {
  readonly #bytes: Uint8Array;
  readonly #offset: number;
  #dayUs = Number.NaN;
  #second = -1;
  #micros = -1;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  write(us: number): void {
    let timeOfDayUs = us - this.#dayUs;
    if (!(timeOfDayUs >= 0 && timeOfDayUs < usPerDay)) {
      timeOfDayUs = this.#begin(us);
    }

    const second = Math.floor(timeOfDayUs / 1e6);
    const micros = timeOfDayUs - second * 1e6;
    if (second !== this.#second) {
      this.#second = second;
      this.#twoDigits(11, Math.floor(second / 3600));
      this.#twoDigits(14, Math.floor(second / 60) % 60);
      this.#twoDigits(17, second % 60);
    }

    if (micros === this.#micros) return;
    this.#micros = micros;
    this.#twoDigits(20, Math.floor(micros / 10_000));
    this.#twoDigits(22, Math.floor(micros / 100) % 100);
    this.#twoDigits(24, micros % 100);
  }

  /** Writes an instant of another day; returns how much of that day has passed. */
  #begin(us: number): number {
    const remainder = us % usPerDay;
    const timeOfDayUs = remainder < 0 ? remainder + usPerDay : remainder;
    this.#dayUs = us - timeOfDayUs;
    this.#second = this.#micros = -1;
    const instantText = formatInstantUs(us);
    for (let i = 0; i < instantLength; i++) {
      this.#bytes[this.#offset + i] = instantText.charCodeAt(i);
    }
    return timeOfDayUs;
  }

  #twoDigits(digitsAt: number, number: number): void {
    const tens = (number / 10) | 0;
    this.#bytes[this.#offset + digitsAt] = 48 + tens;
    this.#bytes[this.#offset + digitsAt + 1] = 48 + number - tens * 10;
  }
}

const usPerDay = 86_400_000_000;
