import { looked } from '../../core/clock.ts';
import { HkctlError } from '../../core/errors.ts';
import type { ClockLooks, ClockStore } from '../../core/store.ts';
import type { AppendAudit } from './audit.ts';
import { lazily } from './lazily.ts';
import type { Registry } from './registry.ts';

/** What is known of the machine's clock: two marks of the registry. */
export function createClockStore(registry: Registry, append: AppendAudit): ClockStore {
  const { connection } = registry;
  const marks = lazily(() =>
    connection.prepare<[], ClockLooks>(
      `select coalesce((select value from marks where name = 'clock_seen_ms'), 0) as seenMs,
        coalesce((select value from marks where name = 'clock_candidate_ms'), 0) as candidateMs`,
    ),
  );
  const keep = lazily(() =>
    connection.prepare<[number, number]>(
      "insert or replace into marks (name, value) values ('clock_seen_ms', ?), ('clock_candidate_ms', ?)",
    ),
  );
  const read = () => requireInstants(marks().get() ?? { seenMs: 0, candidateMs: 0 });
  const look = (nowMs: number, since: (stored: ClockLooks) => ClockLooks) =>
    withoutWaiting(registry, () =>
      registry.change(() => {
        const stored = read();
        const after = looked(since(stored), nowMs);
        if (after !== stored) keep().run(after.seenMs, after.candidateMs);
      }),
    );

  return {
    read: () => registry.read(read),
    note: (nowMs) => look(nowMs, (stored) => stored),
    bring: ({ nowMs, fromMs, seenMs }) =>
      look(nowMs, (stored) => {
        // Only an acceptance moves it back: then what was seen before does not count any more.
        const counts = stored.seenMs >= fromMs && stored.seenMs < seenMs;
        return counts ? { ...stored, seenMs } : stored;
      }),
    accept: (nowMs, audit) =>
      registry.change(() => {
        keep().run(nowMs, nowMs);
        append(audit);
      }),
  };
}

/** The last instant that a Date can be. */
const latestMs = 8.64e15;

function requireInstants(looks: ClockLooks): ClockLooks {
  if (Object.values(looks).every((ms) => Math.abs(ms) <= latestMs)) return looks;
  throw new HkctlError('store_corrupt', 'The store is damaged: what it has seen of the clock is no time.', {
    hint: 'Keep the files as they are and go back to your last backup.',
  });
}

/** A look is not worth the seconds that a change waits for another writer; there will be more. */
function withoutWaiting(registry: Registry, work: () => void): void {
  const { connection } = registry;
  const busyTimeoutMs = registry.read(() => Number(connection.pragma('busy_timeout', { simple: true })));
  connection.pragma('busy_timeout = 0');
  try {
    work();
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
