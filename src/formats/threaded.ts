import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, HkctlError } from '../core/errors.ts';
import type { ResourceDefinition } from '../core/fields/fields.ts';
import type { ImportBatch } from '../core/fields/import-batch.ts';
import {
  ImportError,
  type ReadOptions,
  type RowReader,
  type Violation,
} from '../core/records/imports.ts';
import { peek } from './chunks.ts';
import { type PackedBatch, unpack } from './packing.ts';
import { readRows } from './rows.ts';

export interface ReadingJob {
  resource: ResourceDefinition;
  options: ReadOptions;
}

export type ReadingAnswer =
  | { kind: 'taken' }
  | ({ kind: 'rows' } & PackedBatch)
  | { kind: 'end' }
  | { kind: 'refused'; violations: readonly Violation[]; count: number }
  | { kind: 'failed'; code: ErrorCode; message: string; hint: string | undefined };

/** For smaller files the start of a thread takes longer than it saves. */
const largeBytes = 2 * 1024 * 1024;

/** The chunks of the file that may wait in the thread, so that it never waits for the next one. */
const chunksAhead = 4;

/** Creates a reader that reads a large file in a thread of its own, while the caller stores the rows before. */
export function createThreadedReader(threadFile: string): RowReader {
  return async function* (resource, source, options) {
    const { head, all } = await peek(source, largeBytes);
    if (head.length < largeBytes) yield* readRows(resource, all, options);
    else yield* readInThread(threadFile, { resource, options }, all);
  };
}

async function* readInThread(
  threadFile: string,
  job: ReadingJob,
  chunks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<ImportBatch> {
  const worker = new Worker(threadFile, { workerData: job });
  const answers = on(worker, 'message', { close: ['exit'] });
  let isOver = false;

  const sendChunk = async () => {
    if (isOver) return;
    const { done, value } = await chunks.next();
    isOver = done === true;
    // A copy: the bytes may be part of a larger buffer, which would be transferred as a whole.
    const chunk = done ? null : new Uint8Array(value);
    worker.postMessage(chunk, chunk ? [chunk.buffer] : []);
  };

  try {
    for (let ahead = 0; ahead < chunksAhead; ahead++) {
      await sendChunk();
    }
    for await (const [message] of answers) {
      const answer: ReadingAnswer = message;

      switch (answer.kind) {
        case 'end':
          return;
        case 'taken':
          await sendChunk();
          break;
        case 'rows':
          yield unpack(answer);
          break;
        case 'refused':
          throw new ImportError(answer.violations, answer.count);
        case 'failed':
          throw new HkctlError(answer.code, answer.message, { hint: answer.hint });
      }
    }
    throw new Error('the reading thread ended early');
  } finally {
    await worker.terminate();
    await chunks.return(undefined);
  }
}
