import { Worker } from 'node:worker_threads';
import { type ErrorCode, HkctlError } from '../core/errors.ts';
import type { ResourceDefinition } from '../core/records/fields.ts';
import type { ImportBatch } from '../core/records/import-batch.ts';
import { ImportError, type ReadOptions, type RowReader, type Violation } from '../core/records/imports.ts';
import { peek } from './chunks.ts';
import { type PackedBatch, unpack } from './packing.ts';
import { readRows } from './rows.ts';

/** What a reading thread is to do; handed over at its start. */
export interface ReadingJob {
  resource: ResourceDefinition;
  options: ReadOptions;
}

/** What a reading thread answers. */
export type ReadingAnswer =
  | { kind: 'taken' }
  | ({ kind: 'rows' } & PackedBatch)
  | { kind: 'end' }
  | { kind: 'refused'; violations: readonly Violation[]; count: number }
  | { kind: 'failed'; code: ErrorCode; message: string; hint: string | undefined };

/** From here on a thread is worth its start. */
const largeBytes = 2 * 1024 * 1024;

/** How many pieces of the file wait in the thread: while some are read, others are on their way. */
const piecesAhead = 4;

/** A reader that leaves a large file to a thread of its own, so that rows are read while others are kept. */
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
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<ImportBatch> {
  const worker = new Worker(threadFile, { workerData: job });
  const nextAnswer = answersOf(worker);
  let ahead = 0;
  let isOver = false;
  try {
    for (;;) {
      while (!isOver && ahead < piecesAhead) {
        const { done, value } = await pieces.next();
        isOver = done === true;
        const piece = done ? null : onItsOwn(value);
        worker.postMessage(piece, piece ? [piece.buffer] : []);
        ahead++;
      }
      const answer = await nextAnswer();
      if (answer.kind === 'end') return;
      if (answer.kind === 'taken') ahead--;
      else if (answer.kind === 'rows') yield unpack(answer);
      else if (answer.kind === 'refused') throw new ImportError(answer.violations, answer.count);
      else throw new HkctlError(answer.code, answer.message, { hint: answer.hint });
    }
  } finally {
    await worker.terminate();
    await pieces.return(undefined);
  }
}

/** The bytes as they are, or a copy of them where they are part of a larger buffer: all of that would go along. */
function onItsOwn(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** Gives a function that waits for the next answer; it rejects where the thread ends without one. */
function answersOf(worker: Worker): () => Promise<ReadingAnswer> {
  const answers: ReadingAnswer[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  worker.on('message', (answer: ReadingAnswer) => {
    answers.push(answer);
    wake();
  });
  worker.on('error', (error) => {
    failure = error;
    wake();
  });
  worker.on('exit', () => {
    failure ??= new Error('the reading thread ended early');
    wake();
  });
  return async () => {
    while (answers.length === 0) {
      if (failure) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return answers.shift() ?? { kind: 'end' };
  };
}
