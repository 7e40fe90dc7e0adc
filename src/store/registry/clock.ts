import type { ClockSamples } from '../../core/port/clock.ts';

export const clockMarks: Readonly<Record<keyof ClockSamples, string>> = {
  seenMs: 'clock_seen_ms',
  steadyStartMs: 'clock_steady_start_ms',
  candidateStartMs: 'clock_candidate_start_ms',
  candidateUpMs: 'clock_candidate_up_ms',
};

export const clockFields = Object.keys(clockMarks) as (keyof ClockSamples)[]; // Object.keys loses the names

/** The samples in marks; 0 if there is none yet. */
export function samplesIn(
  marks: readonly { name: string; value: number }[],
  nameOf: (field: keyof ClockSamples) => string,
): ClockSamples {
  const values = new Map(marks.map(({ name, value }) => [name, value]));
  const markOf = (field: keyof ClockSamples) => values.get(nameOf(field)) ?? 0;
  return {
    seenMs: markOf('seenMs'),
    steadyStartMs: markOf('steadyStartMs'),
    candidateStartMs: markOf('candidateStartMs'),
    candidateUpMs: markOf('candidateUpMs'),
  };
}
