import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type HkctlError, isHkctlError } from '../../../core/errors.ts';
import { createAppendAudit } from '../audit.ts';
import { toDomainError } from '../errors.ts';
import { filesOf, openFile } from '../files.ts';
import { createKeyStore } from '../keys.ts';
import { createRegistry } from '../registry.ts';
import { IngestWriter, type WriteTask } from './ingest-writer.ts';
import type { WriterAnswer, WriterData, WriterRequest } from './messages.ts';

type Ingest = Extract<WriterRequest, WriteTask>;

/** How long a commit waits for another process that writes readings, such as the removal of an entity. */
const busyTimeoutMs = 10_000;

/** The writer thread: everything that a daemon writes is committed here, so that the main thread never waits for a disk. */
function host(port: MessagePort, { path }: WriterData): void {
  const files = filesOf(path);
  const readings = openFile(files.readings, { busyTimeoutMs, create: false });
  const registryConnection = openFile(files.registry, { busyTimeoutMs, create: false });
  const registry = createRegistry(registryConnection, path);
  const keys = createKeyStore(registry, createAppendAudit(registry), files.revocations);
  const writer = new IngestWriter(readings);

  const answer = (id: number, work: () => WriterAnswer) => {
    let told: WriterAnswer;
    try {
      told = work();
    } catch (thrown) {
      told = { id, error: toPlainError(toDomainError(thrown, path)) };
    }
    port.postMessage(told);
  };

  const writeGroup = (group: readonly Ingest[]) => {
    let answers: WriterAnswer[];
    try {
      const verdicts = writer.write(group);
      answers = group.map(({ id }, index) => ({ id, verdict: verdicts[index] ?? null }));
    } catch (thrown) {
      const error = toPlainError(toDomainError(thrown, files.readings));
      answers = group.map(({ id }) => ({ id, error }));
    }
    for (const told of answers) port.postMessage(told);
  };

  port.on('message', (first: WriterRequest) => {
    // The group clocks itself: all that gathered while the last one was synced goes into this one.
    const group: Ingest[] = [];
    const others: Exclude<WriterRequest, Ingest>[] = [];
    for (let request: WriterRequest | undefined = first; request; request = nextOn(port)) {
      if (request.kind === 'readings' || request.kind === 'heartbeats') group.push(request);
      else others.push(request);
    }
    if (group.length > 0) writeGroup(group);
    for (const request of others) {
      if (request.kind === 'uses') {
        const { id, uses } = request;
        answer(id, () => {
          keys.recordUse(uses);
          return { id, verdict: null };
        });
      } else {
        readings.close();
        registryConnection.close();
        port.postMessage({ id: request.id, verdict: null } satisfies WriterAnswer);
        port.close();
      }
    }
  });
}

function nextOn(port: MessagePort): WriterRequest | undefined {
  const received: { message: WriterRequest } | undefined = receiveMessageOnPort(port);
  return received?.message;
}

function toPlainError(thrown: unknown): { code: HkctlError['code']; message: string; hint?: string } {
  if (isHkctlError(thrown)) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return { code: 'internal', message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
}

if (parentPort) host(parentPort, workerData as WriterData); // given by the client beside this file
