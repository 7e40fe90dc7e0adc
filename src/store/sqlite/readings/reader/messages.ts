import type { ErrorCode } from '../../../../core/errors.ts';
import type { Slice, SliceRequest } from './slices.ts';

/** What the reader thread is started with. */
export interface ReaderData {
  /** Path of the file with the readings. */
  file: string;
}

/** What the main thread asks for: one slice at a time, or the end. */
export type ReaderRequest = SliceRequest | 'close';

/** What became of it: the slice, or an error in the domain's words. */
export type ReaderAnswer = { slice: Slice } | { error: { code: ErrorCode; message: string; hint?: string } };
