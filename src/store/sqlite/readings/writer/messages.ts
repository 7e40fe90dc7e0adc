import type { ClockProgress } from '../../../../core/port/clock.ts';
import type { KeyUse } from '../../../../core/port/keys.ts';
import type { DropRequest, DropResult } from '../../../../core/port/readings.ts';
import type { UsageMerge } from '../../../../core/port/usage.ts';
import type { PostedError } from '../thread-errors.ts';
import type { GroupResult, IngestGroup } from './ingest-writer.ts';

/** Data with which the writer thread starts. */
export interface WriterData {
  /** Path of the store's registry; the other files follow from it. */
  path: string;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
}

/** Requests of the main thread; each is answered with its id. */
export type WriterRequest = { id: number } & (
  | { kind: 'group'; group: IngestGroup }
  | { kind: 'uses'; uses: ReadonlyMap<string, KeyUse>; usage: UsageMerge | undefined }
  | { kind: 'clock'; progress: ClockProgress }
  | { kind: 'drop'; request: DropRequest }
  | { kind: 'close' }
);

/** The answer: the results of a group or of a drop (null for other requests), or an error of the domain. Posted in lists. */
export type WriterAnswer = { id: number } & ({ result: GroupResult | DropResult | null } | { error: PostedError });
