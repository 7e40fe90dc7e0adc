import type { Read } from '../api/api.ts';
import type { Point } from '../api/models.ts';
import { svgElement } from '../display/elements.ts';
import { gapOf } from './curves.ts';
import { readPoints } from './points.ts';

const spanMs = 6 * 60 * 60_000;
const bucket = '10m';
const bucketMs = 10 * 60_000;
const sensorsPerRequest = 100;
const maxAgeMs = 60_000;
const width = 120;
const height = 28;

interface CachedLine {
  points: readonly Point[];
  readAtMs: number;
}

/** The last six hours of sensors, in one request for a hundred of them, at most once a minute each. */
export function createSparklines() {
  const linesBySensor = new Map<string, CachedLine>();

  return {
    /** The points of a sensor that are known; undefined before they were read. */
    pointsOf: (sensorId: string) => linesBySensor.get(sensorId)?.points,

    /**
     * Reads the missing or old lines among these sensors; returns whether there were any. `nowMs` is
     * the server's clock.
     */
    async load(read: Read, sensorIds: readonly string[], nowMs: number): Promise<boolean> {
      const missingIds = sensorIds.filter((id) => {
        const cachedLine = linesBySensor.get(id);
        return cachedLine === undefined || nowMs - cachedLine.readAtMs > maxAgeMs;
      });

      for (let groupStart = 0; groupStart < missingIds.length; groupStart += sensorsPerRequest) {
        const groupIds = missingIds.slice(groupStart, groupStart + sensorsPerRequest);
        await loadGroup(read, groupIds, nowMs);
      }
      return missingIds.length > 0;
    },
  };

  async function loadGroup(read: Read, sensorIds: readonly string[], nowMs: number): Promise<void> {
    const firstBucketMs = Math.floor((nowMs - spanMs) / bucketMs) * bucketMs;
    const pointsById = await readPoints(read, sensorIds, {
      from: new Date(firstBucketMs).toISOString(),
      bucket,
      agg: 'avg',
      limit: 10_000,
    });

    for (const [sensorId, points] of pointsById ?? []) {
      linesBySensor.set(sensorId, { points, readAtMs: nowMs });
    }
  }
}

/** A small line of the last hours, without axes; gaps stay gaps. Screen readers skip it. */
export function drawSparkline(points: readonly Point[], nowMs: number): SVGSVGElement {
  const path = svgElement('path', {
    d: pathOf(points, nowMs),
    fill: 'none',
  });
  return svgElement(
    'svg',
    {
      class: 'sparkline',
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    },
    path,
  );
}

/** A point without near neighbours is a dot; a sensor's own rhythm decides which ones are near. */
function pathOf(points: readonly Point[], nowMs: number): string {
  const means = points.flatMap(({ at, avg }) => (typeof avg === 'number' ? [{ at, avg }] : []));
  const values = means.map(({ avg }) => avg);
  const lowest = Math.min(...values);
  const range = Math.max(...values) - lowest;
  const gapMs = Math.max(2 * bucketMs, gapOf(means));
  const pathCommands: string[] = [];
  let previousMs: number | undefined;

  for (const { at, avg } of means) {
    const atMs = Date.parse(at);
    const x = (1 - (nowMs - atMs) / spanMs) * width;
    const usableHeight = height - 4;
    const share = (avg - lowest) / range;
    const y = range === 0 ? height / 2 : height - 2 - share * usableHeight;
    const place = `${x.toFixed(1)} ${y.toFixed(1)}`;
    const isGap = previousMs === undefined || atMs - previousMs > gapMs;
    pathCommands.push(isGap ? `M${place}L${place}` : `L${place}`);
    previousMs = atMs;
  }
  return pathCommands.join('');
}
