import type { ClockProgress } from '../../../../core/port/clock.ts';
import type { KeyUse } from '../../../../core/port/keys.ts';
import type { DropRequest, DropResult, RetentionState } from '../../../../core/port/readings.ts';
import type { UsageMerge } from '../../../../core/port/usage.ts';
import type { SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import type { Logged } from '../log/logged.ts';
import type { GroupResult, IngestGroup } from './ingest-writer.ts';

/** Data with which the writer thread starts. */
export interface WriterData {
  /** Path of the store's registry; the other files follow from it. */
  path: string;
}

/** What the main thread can ask for, and the results. */
export interface WriterCalls {
  group: { of: IngestGroup; result: GroupResult };
  uses: { of: { uses: ReadonlyMap<string, KeyUse>; usage: UsageMerge | undefined }; result: null };
  clock: { of: ClockProgress; result: null };
  drop: { of: DropRequest; result: DropResult };
  retention: { of: string; result: RetentionState };
  /** What the reader thread needs of the log for a slice. */
  slice: { of: SliceRequest; result: Logged['slice'] };
  /** The same for states. */
  states: { of: readonly number[]; result: Logged['states'] };
}
