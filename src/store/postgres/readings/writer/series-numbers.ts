/** The most sensors that an entity can ever have. */
const seriesPerEntity = 2 ** 24;

/**
 * The number of a series as the port has it: the entity's number and the one inside the entity together. A reading thus names
 * the entity by which its row is distributed.
 */
export function toSeries(entity: number, number: number): number {
  return entity * seriesPerEntity + number;
}

export function entityOfSeries(series: number): number {
  return Math.floor(series / seriesPerEntity);
}

export function numberOfSeries(series: number): number {
  return series % seriesPerEntity;
}

/** The key of a reading or heartbeat as a statement returns it: `entity series at_us`. */
export function rowKey(series: number, atUs: number): string {
  return `${entityOfSeries(series)} ${numberOfSeries(series)} ${atUs}`;
}
