import type { Domain } from '../../core/access/actors.ts';
import type { AddressBook } from '../auth/client-addresses.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Exchange } from '../request/exchange.ts';
import { ApiError } from '../request/problem.ts';
import { type Answer, jsonAnswer } from '../request/response.ts';

/** The three paths for those who run the daemon. */
export function createHealth(
  options: { domain: Domain; settings: { metricsPublic: boolean } },
  metrics: Metrics,
  addresses: AddressBook,
) {
  return {
    /** The process runs and answers; says nothing about the store, so that nobody restarts it for a full disk. */
    alive: (): Answer => jsonAnswer('{"status":"ok"}'),

    /** The store answers; while the daemon drains this is 503 like everything else. */
    async ready(): Promise<Answer> {
      const { keys, records } = options.domain.store;
      await keys.version();
      await records.version();
      return jsonAnswer('{"status":"ready"}');
    },

    /** For Prometheus; to loopback only unless told otherwise, and else as if it were not there. */
    async metrics(exchange: Exchange): Promise<Answer> {
      if (!options.settings.metricsPublic && !addresses.isLoopback(exchange)) {
        throw new ApiError('not_found', 'There is nothing at this path.');
      }
      const headers = ['Content-Type', metrics.contentType, 'Cache-Control', 'no-store'];
      return { status: 200, headers, body: await metrics.text() };
    },
  };
}
