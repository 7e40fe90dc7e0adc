import { acceptedSamples, afterSample, mergedSamples } from '../../../core/domain/steady-clock.ts';
import { HkctlError } from '../../../core/errors.ts';
import { lazily } from '../../../core/lazily.ts';
import type { ClockSamples, ClockStore } from '../../../core/port/clock.ts';
import { latestDateMs } from '../../../core/time/instants.ts';
import { clockFields, clockMarks, samplesIn } from '../../registry/clock.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';

/** The samples of the machine's clock, kept as marks of the registry. */
export function createClockStore(registry: Registry, append: AppendAudit): ClockStore {
  const { connection } = registry;
  const marks = lazily(() =>
    connection.prepare<[], { name: string; value: number }>("select name, value from marks where name like 'clock%'"),
  );
  const mark = lazily(() =>
    connection.prepare<[string, number]>('insert or replace into marks (name, value) values (?, ?)'),
  );
  const read = () => requireInstants(samplesIn(marks().all(), (field) => clockMarks[field]));
  const keep = (before: ClockSamples, after: ClockSamples) => {
    for (const field of clockFields) {
      if (after[field] !== before[field]) mark().run(clockMarks[field], after[field]);
    }
  };
  const change = (next: (stored: ClockSamples) => ClockSamples) =>
    withoutWaiting(registry, () =>
      registry.change(() => {
        const stored = read();
        keep(stored, next(stored));
      }),
    );

  return {
    read: () => registry.read(read),
    record: (sample) => change((stored) => afterSample(stored, sample)),
    merge: (progress) => change((stored) => mergedSamples(stored, progress)),
    accept: (sample, audit) =>
      registry.change(() => {
        keep(read(), acceptedSamples(sample));
        append(audit);
      }),
  };
}

function requireInstants(samples: ClockSamples): ClockSamples {
  if (Object.values(samples).every((ms) => Math.abs(ms) <= latestDateMs)) return samples;
  throw new HkctlError('store_corrupt', 'The store is damaged: the time that it has seen is not an instant.', {
    hint: 'Keep the files as they are and go back to your last backup.',
  });
}

/** A sample is not worth the seconds that a change may wait for another writer; the next one follows soon. */
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
