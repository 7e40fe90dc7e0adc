import type { ErrorCode } from '../../../core/errors.ts';
import type { BatchVerdict } from '../../../core/store.ts';
import type { WriteTask } from './ingest-writer.ts';

/** What the writer thread is started with. */
export interface WriterData {
  /** Path of the store's registry; the other files follow from it. */
  path: string;
}

/** What the main thread asks for; each is answered under its number. */
export type WriterRequest = { id: number } & (
  | WriteTask
  | { kind: 'uses'; uses: ReadonlyMap<string, number> }
  | { kind: 'close' }
);

/** What became of it: a verdict (none for uses), or an error in the domain's words. */
export type WriterAnswer = { id: number } & (
  | { verdict: BatchVerdict | null }
  | { error: { code: ErrorCode; message: string; hint?: string } }
);
