import type { Slice, SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import type { PostedError } from '../thread-errors.ts';

/** Data with which the reader thread starts. */
export interface ReaderData {
  /** Path of the file with the readings. */
  file: string;
}

/** Requests of the main thread: one slice at a time, or the end. */
export type ReaderRequest = SliceRequest | 'close';

/** Once, that the thread has loaded its program; then the answers: the slice, or an error of the domain. */
export type ReaderAnswer = 'loaded' | { slice: Slice } | { error: PostedError };
