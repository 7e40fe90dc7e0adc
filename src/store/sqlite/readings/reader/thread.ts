import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { errnoOf } from '../../../../core/errors.ts';
import { lazy } from '../../../../core/memoize.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { toDomainError } from '../../../sqlite-file/errors.ts';
import { openFile } from '../../connection/files.ts';
import { StoredReadings } from '../stored.ts';
import { type ThreadAnswer, type ThreadRequest, toPostedError } from '../thread-client.ts';
import { createReader, type Reader } from './reader.ts';

type ReaderRequest = Exclude<ThreadRequest<Reader>, { kind: 'close' }>;

/** The reader thread: it reads the readings of a file and writes them as text, so that the main thread can serve others meanwhile. */
function serveReader(port: MessagePort, readingsFile: string): void {
  letOthersGoFirst();
  // Opened at the first read, so that a fault of the file becomes its answer, and tried again after a failure.
  let connection: Connection | undefined;
  const reader = lazy(() => {
    connection ??= openFile(readingsFile);
    connection.pragma('query_only = on');
    return createReader(connection, new StoredReadings(connection));
  });

  /** The result, and the buffers that are transferred with it. */
  const answer = (request: ReaderRequest): [unknown, ArrayBuffer[]] => {
    if (request.kind === 'start') return [null, []];
    if (request.kind === 'states') {
      const states = reader().states(...request.args);
      return [states, []];
    }
    if (request.kind === 'newest') {
      const instants = reader().newest(...request.args);
      return [instants, []];
    }
    if (request.kind === 'slice') {
      const slice = reader().slice(...request.args);
      return [slice, [slice.text.buffer]];
    }

    const slices = reader().slices(...request.args);
    const textBuffers = slices.map(({ text }) => text.buffer);
    return [slices, textBuffers];
  };

  port.on('message', (request: ThreadRequest<Reader>) => {
    if (request.kind === 'close') {
      connection?.close();
      port.close();
      return;
    }

    const { id } = request;
    const reply = (answers: ThreadAnswer[], transferred: ArrayBuffer[]) =>
      port.postMessage(answers, transferred);
    try {
      const [result, transferred] = answer(request);
      reply([{ id, result }], transferred);
    } catch (thrown) {
      const error = toPostedError(toDomainError(thrown, readingsFile));
      reply([{ id, error }], []);
    }
  });
}

/** On Linux this sets the priority of the calling thread alone. */
function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(getPriority(), 5));
  } catch (thrown) {
    // A sandbox may forbid it; reading matters more.
    if (errnoOf(thrown) !== 'ERR_SYSTEM_ERROR') throw thrown;
  }
}

if (parentPort) serveReader(parentPort, workerData as string); // the path that the store gives it
