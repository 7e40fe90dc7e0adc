import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawPlot } from '../../../src/cli/plot/plot.ts';
import type { PlotBucket, PlotData } from '../../../src/core/readings/reads/plots.ts';

const width = 80;
const axisWidth = 11;
const columns = width - axisWidth;
const bucket = (atUs: number, value = 1): PlotBucket => ({
  atUs,
  min: value,
  max: value,
  avg: value,
  count: 1,
});

/** The lines of a plot above its axis of time. */
function linesOf(data: PlotData, height: number): string[] {
  const style = { width, height, isAscii: false, timezone: 'UTC', paint: (text: string) => text };
  return drawPlot(data, style).slice(0, height);
}

/** The columns of a plot in which something is drawn. */
function drawnColumns(data: PlotData): number[] {
  const lines = linesOf(data, 9).map((line) => [...line].slice(axisWidth));
  return Array.from({ length: columns }, (_, column) => column).filter((column) =>
    lines.some((line) => /[\u2801-\u28ff]/.test(line[column] ?? '')),
  );
}

/** A span in a number of parts, some of which have readings. */
function span(parts: number, withReadings: readonly number[], partUs = 60e6): PlotData {
  const buckets = withReadings.map((part) => bucket(part * partUs, part));
  return { fromUs: 0, toUs: parts * partUs, widthUs: partUs, buckets };
}

describe('a plot', () => {
  it.each([2, 5, 8, 9])('of one value alone names it once, on its line, at %d lines', (height) => {
    const data = { ...span(3, []), buckets: [bucket(0, 21.5), bucket(60e6, 21.5)] };
    const lines = linesOf(data, height);
    const named = lines.filter((line) => line.includes('21.5'));
    expect(named).toEqual(lines.filter((line) => /[\u2801-\u28ff]/.test(line)));
    expect(named).toHaveLength(1);
  });

  it.each([1, 2, 3, 50, 68, 69, 70, 137, 138, 139, 140, 207, 276, 500])(
    'shows each of %d parts, the first in the first column and the last in the last',
    (parts) => {
      for (let part = 0; part < parts; part++) {
        const drawn = drawnColumns(span(parts, [part]));
        expect([part, drawn.length]).not.toEqual([part, 0]);
        expect(drawn[0]).toBeGreaterThanOrEqual(Math.floor((part / parts) * columns) - 1);
        expect(drawn.at(-1)).toBeLessThanOrEqual(Math.floor(((part + 1) / parts) * columns));
      }
      expect(drawnColumns(span(parts, [0]))[0]).toBe(0);
      expect(drawnColumns(span(parts, [parts - 1])).at(-1)).toBe(columns - 1);
    },
  );

  it.each([
    ['2026-10-24T22:00Z', 3, 60, ['2026-10-25', '2026-10-26', '2026-10-27']],
    ['2026-10-23T22:00Z', 4, 80, ['2026-10-24', '2026-10-25', '2026-10-26', '2026-10-27']],
    ['2026-03-27T23:00Z', 4, 80, ['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']],
    ['2026-10-24T16:00Z', 1, 80, ['18:00', '00:00', '06:00', '12:00']],
  ])(
    'of %s names the days and hours of the site, also behind a change of clocks',
    (from, days, marked, names) => {
      const fromUs = Date.parse(from) * 1000;
      const toUs = fromUs + days * 86_400e6;
      const data = { fromUs, toUs, widthUs: 3600e6, buckets: [bucket(fromUs)] };
      const style = { width: marked, height: 5, isAscii: true, paint: (text: string) => text };
      const line = drawPlot(data, { ...style, timezone: 'Europe/Berlin' }).at(-1);
      expect(line?.trim().split(/ +/)).toEqual(names);
    },
  );

  it('shows every part that has readings, however a span is divided', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e15 }),
        fc.integer({ min: 1, max: 300 }),
        fc.nat(),
        (lengthUs, wanted, place) => {
          const widthUs = Math.ceil(lengthUs / wanted);
          const parts = Math.ceil(lengthUs / widthUs);
          const atUs = (place % parts) * widthUs;
          const data = { fromUs: 0, toUs: lengthUs, widthUs, buckets: [bucket(atUs)] };
          expect(drawnColumns(data)).not.toEqual([]);
        },
      ),
    );
  });

  it('fills all columns if all parts have readings, and none twice if they are fewer than its dots', () => {
    for (const parts of [1, 24, 69, 138, 200]) {
      const all = Array.from({ length: parts }, (_, part) => part);
      expect(drawnColumns(span(parts, all))).toHaveLength(columns);
    }
  });

  it.each([
    [99_999.1, 99_999.2, '99999.100', '99999.200'],
    [1234567.8, 1234567.9, '1234567.800', '1234567.900'],
    [1e15, 1e15 + 2, '1.00000000000000000e+15', '1.00000000000000200e+15'],
    [1e-12, 3e-12, '1.00e-12', '3.00e-12'],
    [-1e308, 1e308, '-1e+308', '1e+308'],
    [0, 900, '0', '900'],
  ])('from %d to %d has labels that differ', (lowest, highest, lowestLabel, highestLabel) => {
    const data = { ...span(3, []), buckets: [bucket(0, lowest), bucket(60e6, highest)] };
    const lines = linesOf(data, 9);
    const labels = lines.flatMap((line) => /^ *(\S+) ┤/.exec(line)?.[1] ?? []);
    expect(labels).toHaveLength(3);
    expect(new Set(labels).size).toBe(3);
    expect([labels[2], labels[0]]).toEqual([lowestLabel, highestLabel]);
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
  });

  it('shows two readings apart from each other', () => {
    expect(drawnColumns(span(138, [0, 137]))).toEqual([0, columns - 1]);
  });
});
