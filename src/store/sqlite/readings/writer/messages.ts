import type { ErrorCode } from '../../../../core/errors.ts';
import type { ClockProgress } from '../../../../core/port/clock.ts';
import type { GroupResult, IngestGroup } from './ingest-writer.ts';

/** What the writer thread is started with. */
export interface WriterData {
  /** Path of the store's registry; the other files follow from it. */
  path: string;
  /** Folder with the migrations of each database. */
  migrationsFolder: string;
}

/** What the main thread asks for; each is answered under its number. */
export type WriterRequest = { id: number } & (
  | { kind: 'group'; group: IngestGroup }
  | { kind: 'uses'; uses: ReadonlyMap<string, number> }
  | { kind: 'clock'; progress: ClockProgress }
  | { kind: 'close' }
);

/** What became of it: verdicts (none but for a group), or an error in the domain's words. Told in lists. */
export type WriterAnswer = { id: number } & (
  | { result: GroupResult | null }
  | { error: { code: ErrorCode; message: string; hint?: string } }
);
