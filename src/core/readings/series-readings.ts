import { qualities, type Reading } from '../port/readings.ts';

/** Readings of one series in order of time: `count` of them, each quality as in a batch. */
export interface SeriesReadings {
  count: number;
  atUs: Float64Array;
  values: Float64Array;
  qualities: Uint8Array;
}

/** A reading whose quality does not matter. */
export interface TimedReading {
  atUs: number;
  value: number;
}

/** Memory for a number of readings, of which there are none yet. */
export function createReadings(size: number): SeriesReadings {
  return {
    count: 0,
    atUs: new Float64Array(size),
    values: new Float64Array(size),
    qualities: new Uint8Array(size),
  };
}

/** The readings from one index (inclusive) up to another (exclusive), in the same memory. */
export function partOf(
  readings: SeriesReadings,
  startIndex: number,
  endIndex = readings.count,
): SeriesReadings {
  if (startIndex === 0 && endIndex === readings.count) return readings;
  const { atUs, values, qualities } = readings;
  return {
    count: endIndex - startIndex,
    atUs: atUs.subarray(startIndex, endIndex),
    values: values.subarray(startIndex, endIndex),
    qualities: qualities.subarray(startIndex, endIndex),
  };
}

/** The readings from one instant (inclusive) up to another (exclusive), in the same memory. */
export function partBetween(
  readings: SeriesReadings,
  fromUs: number,
  toUs: number,
): SeriesReadings {
  return partOf(readings, indexAt(readings, fromUs), indexAt(readings, toUs));
}

/** The index of the first reading that is not before an instant. */
export function indexAt(
  { atUs, count }: Pick<SeriesReadings, 'atUs' | 'count'>,
  soughtUs: number,
): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((atUs[middle] ?? 0) < soughtUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Copies later readings behind those that are there. */
export function append(target: SeriesReadings, later: SeriesReadings): void {
  const { count } = later;
  target.atUs.set(later.atUs.subarray(0, count), target.count);
  target.values.set(later.values.subarray(0, count), target.count);
  target.qualities.set(later.qualities.subarray(0, count), target.count);
  target.count += count;
}

/** The readings of both in order of time; of two at one instant the first one's. */
export function merge(first: SeriesReadings, second: SeriesReadings): SeriesReadings {
  const merged = createReadings(first.count + second.count);
  const add = ({ atUs, values, qualities }: SeriesReadings, index: number) => {
    merged.atUs[merged.count] = atUs[index] ?? 0;
    merged.values[merged.count] = values[index] ?? 0;
    merged.qualities[merged.count++] = qualities[index] ?? 0;
  };

  let firstIndex = 0;
  for (let index = 0; index < second.count; index++) {
    const atUs = second.atUs[index] ?? 0;
    while (firstIndex < first.count && (first.atUs[firstIndex] ?? 0) < atUs)
      add(first, firstIndex++);
    if (firstIndex === first.count || first.atUs[firstIndex] !== atUs) add(second, index);
  }
  while (firstIndex < first.count) add(first, firstIndex++);
  return merged;
}

export function toReadings({ count, atUs, values, ...rest }: SeriesReadings): Reading[] {
  return Array.from({ length: count }, (_, readingIndex) => ({
    atUs: atUs[readingIndex] ?? 0,
    value: values[readingIndex] ?? 0,
    quality: qualities[(rest.qualities[readingIndex] ?? 0) - 1] ?? null,
  }));
}
