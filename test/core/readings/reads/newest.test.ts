import { expect, it } from 'vitest';
import { BackwardSearch } from '../../../../src/core/readings/reads/newest.ts';

const minuteUs = 60_000_000;

it('finds the newest buckets in few steps, each of which is a turn of two threads', () => {
  // A reading a minute for a day.
  const stored = Array.from({ length: 1440 }, (_, index) => index * minuteUs);
  const search = new BackwardSearch({
    series: 1,
    fromUs: 0,
    toUs: 1440 * minuteUs,
    buckets: { widthUs: 5 * minuteUs },
    rows: 20,
  });
  let steps = 0;
  for (; !search.isDone; steps++) {
    const step = search.nextStep(500);
    const before = stored.filter((atUs) => atUs < step.beforeUs);
    search.take(Float64Array.from(before.slice(-step.limit)), step);
  }
  expect(search.window()).toEqual({
    fromUs: (1440 - 100) * minuteUs,
    toUs: 1440 * minuteUs,
    hasMore: true,
  });
  expect(steps).toBeLessThanOrEqual(3);
});
