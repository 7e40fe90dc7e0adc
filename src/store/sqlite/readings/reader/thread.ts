import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { errnoOf } from '../../../../core/errno.ts';
import { lazily } from '../../../../core/lazily.ts';
import type { Connection } from '../../../sqlite-database/driver.ts';
import { toDomainError } from '../../../sqlite-database/errors.ts';
import { openFile } from '../../connection/files.ts';
import { StoredReadings } from '../stored.ts';
import type { ThreadAnswer, ThreadRequest } from '../thread-client.ts';
import { toPostedError } from '../thread-errors.ts';
import { createReader, type ReaderCalls, type ReaderData } from './reader.ts';

/** The reader thread: it reads readings and writes them as text, so that the main thread can serve others meanwhile. */
function host(port: MessagePort, { file }: ReaderData): void {
  letOthersGoFirst();
  // Opened at the first read, so that a fault of the file becomes its answer, and tried again after a failure.
  let opened: Connection | undefined;
  const reader = lazily(() => {
    opened ??= openFile(file);
    opened.pragma('query_only = on');
    return createReader(opened, new StoredReadings(opened));
  });
  const reply = (answer: ThreadAnswer, transferred: ArrayBuffer[] = []) => port.postMessage([answer], transferred);
  port.on('message', (request: ThreadRequest<ReaderCalls>) => {
    if (request.kind === 'close') {
      opened?.close();
      port.close();
    } else if (request.kind === 'start') reply({ id: request.id, result: null });
    else {
      const { id } = request;
      try {
        if (request.kind === 'states') reply({ id, result: reader().states(request.of.of, request.of.logged) });
        else {
          const slice = reader().slice(request.of.of, request.of.logged, request.of.memory);
          reply({ id, result: slice }, [slice.text.buffer]);
        }
      } catch (thrown) {
        reply({ id, error: toPostedError(toDomainError(thrown, file)) });
      }
    }
  });
}

/** On Linux this sets the priority of the calling thread: on busy processors it gets a third of another thread's time. */
function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(getPriority(), 5));
  } catch (thrown) {
    // A sandbox may forbid it; reading matters more.
    if (errnoOf(thrown) !== 'ERR_SYSTEM_ERROR') throw thrown;
  }
}

if (parentPort) host(parentPort, workerData as ReaderData); // given by the client next to this file
