import { on } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isHkctlError } from '../core/errors.ts';
import { ImportError } from '../core/records/imports.ts';
import { pack } from './packing.ts';
import { readRows } from './rows.ts';
import type { ReadingAnswer, ReadingJob } from './threaded.ts';

/** The thread of a large import, started by `threaded.ts` only: reads and validates the chunks it receives and sends rows back. */
if (parentPort) void readJob(parentPort, workerData);

async function readJob(port: MessagePort, { resource, options }: ReadingJob): Promise<void> {
  const send = (answer: ReadingAnswer) => port.postMessage(answer);

  try {
    for await (const batch of readRows(resource, chunksFrom(port, send), options)) {
      send({ kind: 'rows', ...pack(batch) });
    }
    send({ kind: 'end' });
  } catch (thrown) {
    if (thrown instanceof ImportError) {
      send({
        kind: 'refused',
        violations: thrown.violations,
        count: thrown.violationCount,
      });
    } else if (isHkctlError(thrown)) {
      send({
        kind: 'failed',
        code: thrown.code,
        message: thrown.message,
        hint: thrown.hint,
      });
    } else throw thrown;
  }
}

/** Yields the received chunks of the file up to a null, and reports each as taken when the next one is requested. */
async function* chunksFrom(
  port: MessagePort,
  send: (answer: ReadingAnswer) => void,
): AsyncGenerator<Uint8Array> {
  for await (const [chunk] of on(port, 'message')) {
    if (chunk === null) return;
    yield chunk;
    send({ kind: 'taken' });
  }
}
