import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { isHkctlError } from '../../../../core/errors.ts';
import { lazy } from '../../../../core/memoize.ts';
import { createClockStore } from '../../../shared/registry/clock.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { toDomainError } from '../../../sqlite-file/errors.ts';
import { requireSchemaVersion } from '../../../sqlite-file/schema/schema-versions.ts';
import { emptyWriteAheadLog, filesOf, openFile, releaseFreePages } from '../../connection/files.ts';
import { Reserve } from '../../connection/reserve.ts';
import { createRegistry } from '../../registry/registry.ts';
import { createRunner } from '../../registry/statements.ts';
import { createRecordUse } from '../../registry/usage.ts';
import { createDrop, createDroppable } from '../retention.ts';
import { StoredReadings } from '../stored.ts';
import { type ThreadAnswer, type ThreadRequest, toPostedError } from '../thread-client.ts';
import { bufferedFor } from '../write-buffer/write-buffer.ts';
import type { WriterCalls } from './client.ts';
import { compactWhileIdle, IdleCompactor, shortestPauseMs } from './compaction.ts';
import { IngestWriter } from './ingest-writer.ts';

type WriterRequest = ThreadRequest<WriterCalls>;
type BatchesRequest = Extract<WriterRequest, { kind: 'batches' }>;
type HeartbeatsRequest = Extract<WriterRequest, { kind: 'heartbeats' }>;
type OtherRequest = Exclude<WriterRequest, BatchesRequest | HeartbeatsRequest | { kind: 'close' }>;
type OtherCalls = Omit<WriterCalls, 'batches' | 'heartbeats'> & { start(): void };

/** How long a commit waits for another process that writes readings, such as the removal of an entity. */
const busyTimeoutMs = 10_000;

/** Shorter rows are not sent back to be used again. */
const worthReturning = 4096;

/**
 * The writer thread of the store at a path. It commits the frequent writes of a daemon, so that the main thread never waits for
 * a disk.
 */
function serveWriter(port: MessagePort, storePath: string): void {
  const files = filesOf(storePath);
  const readingsConnection = openFile(files.readings, { busyTimeoutMs });
  const registryConnection = openFile(files.registry, { busyTimeoutMs });
  // A fourth of the usual number, so that no answer waits long for a checkpoint.
  readingsConnection.pragma('wal_autocheckpoint = 1000');
  requireSchemaVersion(readingsConnection, 'readings', files.readings);
  requireSchemaVersion(registryConnection, 'registry', storePath);

  const reserve = new Reserve(files.reserve, storePath);
  const registry = createRegistry(registryConnection, storePath, reserve);
  const runner = createRunner(registry, files.revocations);
  const recordUse = createRecordUse(runner);
  const clock = createClockStore(runner);
  const stored = new StoredReadings(readingsConnection, { reserve });
  const writer = new IngestWriter(readingsConnection, stored);
  const dropStep = lazy(() => createDrop(readingsConnection, stored));
  const droppable = lazy(() => createDroppable(readingsConnection, stored));
  const idleCompactor = new IdleCompactor(() =>
    tidyUnlessRefused(stored, readingsConnection, files.readings),
  );
  idleCompactor.written();

  const reply = (answers: readonly ThreadAnswer[], buffers: ArrayBuffer[] = []) =>
    port.postMessage(answers, buffers);

  const write = (batches: readonly BatchesRequest[], heartbeats: readonly HeartbeatsRequest[]) => {
    const requests = [...batches, ...heartbeats];
    if (requests.length === 0) return;

    try {
      const written = writer.write(
        batches.map(({ args }) => args[0]),
        heartbeats.map(({ args }) => args[0]),
      );
      const returnedRows = batches.map(({ args: [{ rows }] }) =>
        rows.length < worthReturning ? undefined : rows,
      );
      const batchResults = written.batches.map((results, index) => ({
        results,
        rows: returnedRows[index],
      }));
      const results = [...batchResults, ...written.heartbeats];
      const answers = requests.map(({ id }, index) => ({ id, result: results[index] }));
      const buffers = returnedRows.flatMap((rows) => rows?.buffer ?? []);
      reply(answers, buffers);
      idleCompactor.written();
    } catch (thrown) {
      const error = toPostedError(toDomainError(thrown, files.readings));
      reply(requests.map(({ id }) => ({ id, error })));
    }
  };

  const calls: OtherCalls = {
    start() {},
    uses: recordUse,
    clock: (progress) => clock.merge(progress),
    drop(request) {
      const result = dropStep()(request);
      idleCompactor.written();
      return result;
    },
    retention: (entityId) => droppable().state(entityId),
    slice: (request) => stored.reading(() => bufferedFor.slice(stored.buffer.memory, request)),
    slices: (requests) => stored.reading(() => bufferedFor.slices(stored.buffer.memory, requests)),
    newest: (request) => stored.reading(() => bufferedFor.newest(stored.buffer.memory, request)),
    states: (series) => stored.reading(() => bufferedFor.states(stored.buffer.memory, series)),
  };

  const answer = ({ id, kind, args }: OtherRequest) => {
    try {
      const call = calls[kind] as (...callArgs: unknown[]) => unknown; // the arguments are those of its kind
      reply([{ id, result: call(...args) }]);
    } catch (thrown) {
      const failedFile = kind === 'uses' || kind === 'clock' ? storePath : files.readings;
      reply([{ id, error: toPostedError(toDomainError(thrown, failedFile)) }]);
    }
  };

  const close = () => {
    idleCompactor.close();
    readingsConnection.close();
    registryConnection.close();
    port.close();
  };

  port.on('message', (firstRequest: WriterRequest) => {
    // All requests that arrived during the last sync share one transaction; nothing waits for a timer.
    const batches: BatchesRequest[] = [];
    const heartbeats: HeartbeatsRequest[] = [];
    const otherRequests: OtherRequest[] = [];
    let isClosing = false;
    let request: WriterRequest | undefined = firstRequest;
    for (; request; request = receiveRequest(port)) {
      if (request.kind === 'batches') batches.push(request);
      else if (request.kind === 'heartbeats') heartbeats.push(request);
      else if (request.kind === 'close') isClosing = true;
      // A read need not wait for the disk.
      else if (isRead(request)) answer(request);
      else otherRequests.push(request);
    }

    write(batches, heartbeats);
    for (const otherRequest of otherRequests) answer(otherRequest);
    if (isClosing) close();
  });
}

function isRead({ kind }: OtherRequest): boolean {
  return kind in bufferedFor;
}

/**
 * Compacts a step of the write buffer, or gives back space that it no longer needs; returns whether there is more. Undefined if that must
 * wait, because another process writes, the disk is full or the store is locked.
 */
function tidyUnlessRefused(
  stored: StoredReadings,
  readings: Connection,
  readingsFile: string,
): boolean | undefined {
  try {
    if (stored.reading(() => stored.buffer.quietMs) < shortestPauseMs) return undefined;
    if (compactWhileIdle(stored) || releaseFreePages(readings)) return true;
    emptyWriteAheadLog(readings);
    return false;
  } catch (thrown) {
    if (isHkctlError(toDomainError(thrown, readingsFile))) return undefined;
    throw thrown;
  }
}

function receiveRequest(port: MessagePort): WriterRequest | undefined {
  const received: { message: WriterRequest } | undefined = receiveMessageOnPort(port);
  return received?.message;
}

if (parentPort) serveWriter(parentPort, workerData as string); // the path that the store gives it
