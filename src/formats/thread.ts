import { on } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isHkctlError } from '../core/errors.ts';
import { ImportError } from '../core/records/imports.ts';
import { pack } from './packing.ts';
import { readRows } from './rows.ts';
import type { ReadingAnswer, ReadingJob } from './threaded.ts';

/** The thread of a large import: reads and validators what it is sent, and sends back rows. Started by `threaded.ts` alone. */
if (parentPort) void read(parentPort, workerData);

async function read(port: MessagePort, { resource, options }: ReadingJob): Promise<void> {
  const tell = (answer: ReadingAnswer) => port.postMessage(answer);
  try {
    for await (const rows of readRows(resource, piecesFrom(port, tell), options)) {
      tell({ kind: 'rows', ...pack(rows) });
    }
    tell({ kind: 'end' });
  } catch (thrown) {
    if (thrown instanceof ImportError) {
      tell({ kind: 'refused', violations: thrown.violations, count: thrown.violationCount });
    } else if (isHkctlError(thrown)) {
      tell({ kind: 'failed', code: thrown.code, message: thrown.message, hint: thrown.hint });
    } else throw thrown;
  }
}

/** Pieces of the file as they are sent, null behind the last; each is told as taken once the next one is wanted. */
async function* piecesFrom(port: MessagePort, tell: (answer: ReadingAnswer) => void): AsyncGenerator<Uint8Array> {
  for await (const [piece] of on(port, 'message')) {
    if (piece === null) return;
    yield piece;
    tell({ kind: 'taken' });
  }
}
