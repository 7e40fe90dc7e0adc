import type { Domain } from '../../core/domain/domain.ts';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { AddressBook } from '../auth/client-addresses.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Exchange } from '../request/exchange.ts';

/** Builds the handlers of the three paths for operators and their monitoring. */
export function createHealth(
  options: { domain: Domain; settings: { metricsPublic: boolean } },
  metrics: Metrics,
  addresses: AddressBook,
) {
  return {
    /** `GET /healthz`: the process answers. It does not check the store, so that a full disk causes no restart. */
    alive: (): Answer => jsonAnswer('{"status":"ok"}'),

    /** `GET /readyz`: the store answers. While the daemon drains, this is 503 like every other path. */
    async ready(): Promise<Answer> {
      const { keys, records } = options.domain.store;
      await keys.version();
      await records.version();
      return jsonAnswer('{"status":"ready"}');
    },

    /** `GET /metrics` for Prometheus; not found outside of loopback unless the settings make it public. */
    async metrics(exchange: Exchange): Promise<Answer> {
      if (!options.settings.metricsPublic && !addresses.isLoopback(exchange)) {
        throw new ApiError('not_found', 'There is nothing at this path.');
      }
      const headers = ['Content-Type', metrics.contentType, 'Cache-Control', 'no-store'];
      return { status: 200, headers, body: await metrics.text() };
    },
  };
}
