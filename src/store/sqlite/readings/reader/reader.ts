import type { RetentionState, SensorState } from '../../../../core/port/readings.ts';
import type { Slice, SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import type { Connection } from '../../connection/driver.ts';
import { createDroppable } from '../droppable.ts';
import type { StoredReadings } from '../stored.ts';
import { createSliceReader } from './slices.ts';
import { createStateReader } from './states.ts';

/** What a daemon reads in a thread: there alone, the readings of the log are kept in memory once more. Its answers cross to the main thread. */
export interface Reader {
  slice(request: SliceRequest): Slice;
  states(series: readonly number[]): ReadonlyMap<number, SensorState>;
  retention(entityId: string): RetentionState;
}

/** Creates what reads readings on a connection. */
export function createReader(connection: Connection, stored: StoredReadings): Reader {
  return {
    slice: createSliceReader(connection, stored),
    states: createStateReader(connection, stored),
    retention: createDroppable(connection, stored).state,
  };
}
