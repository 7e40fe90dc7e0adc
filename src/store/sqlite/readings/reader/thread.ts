import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { errnoOf } from '../../../../core/errno.ts';
import { lazily } from '../../../../core/lazily.ts';
import type { Connection } from '../../../sqlite-database/driver.ts';
import { toDomainError } from '../../../sqlite-database/errors.ts';
import { openFile } from '../../connection/files.ts';
import { StoredReadings } from '../stored.ts';
import { toPostedError } from '../thread-errors.ts';
import type { ReaderAnswer, ReaderData, ReaderRequest } from './messages.ts';
import { createReader, type Reader } from './reader.ts';

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
  port.on('message', (request: ReaderRequest) => {
    if (request === 'close') {
      opened?.close();
      port.close();
      return;
    }
    try {
      const read = answer(reader(), request);
      port.postMessage({ read } satisfies ReaderAnswer, 'text' in read ? [read.text.buffer] : []);
    } catch (thrown) {
      port.postMessage({ error: toPostedError(toDomainError(thrown, file)) } satisfies ReaderAnswer);
    }
  });
  port.postMessage('loaded' satisfies ReaderAnswer);
}

function answer(reader: Reader, request: Exclude<ReaderRequest, 'close'>): ReturnType<Reader[keyof Reader]> {
  if (request.kind === 'slice') return reader.slice(request.of, request.logged);
  return reader.states(request.of, request.logged);
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
