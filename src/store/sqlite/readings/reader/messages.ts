import type { Logged } from '../log/logged.ts';
import type { PostedError } from '../thread-errors.ts';
import type { Reader } from './reader.ts';

/** Data with which the reader thread starts. */
export interface ReaderData {
  /** Path of the file with the readings. */
  file: string;
}

/** Requests of the main thread: what to read, or the end. */
export type ReaderRequest =
  | { [Kind in keyof Reader]: { kind: Kind; of: Parameters<Reader[Kind]>[0]; logged?: Logged[Kind] } }[keyof Reader]
  | 'close';

/** Once, that the thread has loaded its program; then an answer to each request in order: what was read, or an error of the domain. */
export type ReaderAnswer = 'loaded' | { read: ReturnType<Reader[keyof Reader]> } | { error: PostedError };
