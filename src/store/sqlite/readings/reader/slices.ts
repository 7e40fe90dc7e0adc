import {
  rangeOfSlice,
  type Slice,
  type SliceRequest,
  type SliceRow,
  toSlice,
} from '../../../../core/readings/slices.ts';
import type { Connection } from '../../connection/driver.ts';

/** Creates the reader of slices on a connection; each slice is a statement of its own, so that no checkpoint waits for it. */
export function createSliceReader(connection: Connection): (request: SliceRequest) => Slice {
  const rowsOf = connection
    .prepare<[number, number, number, number], SliceRow>(
      'select at_us, value, quality from readings where series = ? and at_us >= ? and at_us < ? order by at_us limit ?',
    )
    .raw();
  return (request) => {
    const { series, fromUs, toUs, limit } = rangeOfSlice(request);
    return toSlice(request, rowsOf.all(series, fromUs, toUs, limit) as SliceRow[]); // raw gives columns
  };
}
