/** Spans of time that a plot can show, and the buckets that fit them. */

export interface PlotSpan {
  fromMs: number;
  toMs: number;
}

/** A span that stays, or one that ends now and moves on with each refresh. */
export type ShownSpan = PlotSpan | { lastMs: number };

interface Bucket {
  text: string;
  ms: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const shortestMs = 10_000;
export const longestMs = 20 * 366 * dayMs;

/** About as many points as a plot has room for. */
const wantedPoints = 700;

const buckets: readonly Bucket[] = [
  { text: '1s', ms: 1000 },
  { text: '10s', ms: 10_000 },
  { text: '1m', ms: minuteMs },
  { text: '5m', ms: 5 * minuteMs },
  { text: '15m', ms: 15 * minuteMs },
  { text: '1h', ms: hourMs },
  { text: '6h', ms: 6 * hourMs },
  { text: '1d', ms: dayMs },
  { text: '1w', ms: 7 * dayMs },
  { text: '1mo', ms: 31 * dayMs },
];

/** Buckets of bars, by the longest span of which they are the parts. */
const barBuckets: readonly (Bucket & { longestMs: number })[] = [
  { text: '5m', ms: 5 * minuteMs, longestMs: 2 * hourMs },
  { text: '1h', ms: hourMs, longestMs: 2 * dayMs },
  { text: '1d', ms: dayMs, longestMs: 62 * dayMs },
  { text: '1mo', ms: 31 * dayMs, longestMs: 3 * 366 * dayMs },
  { text: '1y', ms: 366 * dayMs, longestMs },
];

export const usualSpan = { lastMs: dayMs };

export const namedRanges: readonly { name: string; ms: number }[] = [
  { name: 'Hour', ms: hourMs },
  { name: 'Day', ms: dayMs },
  { name: 'Week', ms: 7 * dayMs },
  { name: 'Month', ms: 31 * dayMs },
  { name: 'Year', ms: 366 * dayMs },
];

/** The shortest bucket of which a range needs no more points than a plot has room for. */
export function bucketFor({ fromMs, toMs }: PlotSpan): Bucket {
  const fittingBucket = buckets.find(({ ms }) => (toMs - fromMs) / ms <= wantedPoints);
  return fittingBucket ?? { text: '1mo', ms: 31 * dayMs };
}

/** The bucket of a bar: hours of a day, days of a month, months of a year. */
export function barBucketFor({ fromMs, toMs }: PlotSpan): Bucket {
  const fittingBucket = barBuckets.find((bucket) => toMs - fromMs <= bucket.longestMs);
  return fittingBucket ?? { text: '1y', ms: 366 * dayMs };
}

/** A range that can be drawn: in order, neither too short nor too long, as whole milliseconds. */
export function toTimeRange(oneMs: number, otherMs: number): PlotSpan {
  const fromMs = Math.round(Math.min(oneMs, otherMs));
  const distanceMs = Math.round(Math.abs(otherMs - oneMs));
  const lengthMs = Math.min(longestMs, Math.max(shortestMs, distanceMs));
  return { fromMs, toMs: fromMs + lengthMs };
}

/** The range of a span at an instant. */
export function rangeAt(span: ShownSpan, nowMs: number): PlotSpan {
  return 'lastMs' in span ? { fromMs: nowMs - span.lastMs, toMs: nowMs } : span;
}

/** A range made longer or shorter around its middle. */
export function zoom({ fromMs, toMs }: PlotSpan, factor: number): PlotSpan {
  const middleMs = (fromMs + toMs) / 2;
  const halfMs = ((toMs - fromMs) / 2) * factor;
  return toTimeRange(middleMs - halfMs, middleMs + halfMs);
}

/** A range moved by a part of its length. */
export function move({ fromMs, toMs }: PlotSpan, part: number): PlotSpan {
  const distanceMs = (toMs - fromMs) * part;
  return toTimeRange(fromMs + distanceMs, toMs + distanceMs);
}
