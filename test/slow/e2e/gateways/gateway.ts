import type { IngestResult } from '../../../e2e/api-types.ts';
import { createApi, keptAlive } from '../../../e2e/client.ts';
import { pause } from '../../../e2e/program.ts';

/** A reading as a gateway sends it. */
export interface GatewayReading {
  sensor: string;
  at: string;
  value: number;
  unit?: string;
}

/** What a gateway has seen. */
export interface GatewayReport {
  accepted: number;
  duplicates: number;
  rejected: { reading: GatewayReading; code: string }[];
  retries: number;
}

export interface GatewayOptions {
  url: string;
  secret: string;
  batchSize: number;
  /** Called after each answered batch. */
  onAnswered?: (answered: number) => void;
  signal?: AbortSignal;
}

const firstWaitMs = 10;
const longestWaitMs = 300;

/**
 * A shop-floor gateway as people write them: a queue, one batch under way, and nothing leaves the queue before it is
 * answered. A broken connection, an overload (503) or a limit (429) is waited out and the same batch sent again.
 */
export async function sendReadings(
  readings: readonly GatewayReading[],
  options: GatewayOptions,
): Promise<GatewayReport> {
  const { url, secret, batchSize, onAnswered, signal } = options;
  const report: GatewayReport = { accepted: 0, duplicates: 0, rejected: [], retries: 0 };
  const agent = keptAlive();
  const api = createApi(url, secret, { agent, timeoutMs: 5000 });
  const queue = [...readings];
  let answered = 0;
  let waitMs = firstWaitMs;
  while (queue.length > 0) {
    signal?.throwIfAborted();
    const batch = queue.slice(0, batchSize);
    const result = await post(batch);
    if (result === undefined) {
      report.retries++;
      await pause(waitMs);
      waitMs = Math.min(longestWaitMs, waitMs * 2);
      continue;
    }
    waitMs = firstWaitMs;
    queue.splice(0, batch.length);
    report.accepted += result.accepted;
    report.duplicates += result.duplicates;
    for (const { index, code } of result.rejected) {
      const reading = batch[index];
      if (reading) report.rejected.push({ reading, code });
    }
    answered += batch.length;
    onAnswered?.(answered);
  }
  agent.destroy();
  return report;

  /** The result of a batch; undefined where it is unknown what became of it. */
  async function post(batch: readonly GatewayReading[]): Promise<IngestResult | undefined> {
    try {
      const { data, error } = await api.POST('/api/v1/sensors/readings', {
        body: { readings: [...batch] },
      });
      if (data) return data;
      if (error.status === 429 || error.status === 503) return undefined;
      throw new Error(`a batch was answered ${error.status}: ${error.detail}`);
    } catch (thrown) {
      if (isBrokenConnection(thrown)) return undefined;
      throw thrown;
    }
  }
}

function isBrokenConnection(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown ? String(thrown.code) : '';
  return (
    /^(ECONNRESET|ECONNREFUSED|EPIPE|HPE_)/.test(code) ||
    /cut off|did not answer|aborted/.test(thrown.message)
  );
}
