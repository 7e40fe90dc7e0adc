import { type CsvLanguage, spreadsheetCell } from '../../core/text/spreadsheets.ts';
import type { Point } from '../api/models.ts';
import { computedFormat, formatQuantity, formatValue } from '../display/values.ts';
import { type Curve, type Curves, pointValue } from './curves.ts';

/** Curves in words and as CSV. */

const bucketWords = new Map([
  ['5m', '5 minutes'],
  ['1h', 'hour'],
  ['1d', 'day'],
  ['1mo', 'month'],
  ['1y', 'year'],
]);

/** The kind of the points of curves. */
export function kindText({ bucket, isIncrease, curves }: Curves): string {
  if (bucket === undefined) return 'single readings';
  if (isIncrease) return `increase of each ${bucketWords.get(bucket) ?? bucket}`;

  const bandText = curves.length === 1 ? ', band from lowest to highest' : '';
  return `means of ${bucket}; zoom in for the quality of readings${bandText}`;
}

/** The growth of a counter in the whole span. */
export function increaseText({ sensor, points }: Curve): string {
  const total = points.reduce((sum, point) => sum + (pointValue(point) ?? 0), 0);
  return `${sensor.code}: ${formatQuantity(total, sensor.unit, computedFormat(0, total))} in this span`;
}

/** The lowest and the highest value of a curve. */
export function boundsText(curve: Curve): string {
  const { sensor, points } = curve;
  const bounds = boundsOf(points);
  if (!bounds) return `${sensor.code}: no readings in this span`;

  const lowestText = formatQuantity(bounds.lowest, sensor.unit);
  const highestText = formatQuantity(bounds.highest, sensor.unit);
  return `${sensor.code}: lowest ${lowestText}, highest ${highestText}`;
}

function boundsOf(points: readonly Point[]): { lowest: number; highest: number } | undefined {
  const lows = points.flatMap((point) => point.min ?? pointValue(point) ?? []);
  const highs = points.flatMap((point) => point.max ?? pointValue(point) ?? []);
  if (lows.length === 0) return undefined;
  return {
    lowest: lows.reduce((a, b) => Math.min(a, b)),
    highest: highs.reduce((a, b) => Math.max(a, b)),
  };
}

/** A point for people: its value, its band if it is a bucket, and its quality unless that is good. */
export function pointText({ sensor, points }: Curve, point: Point): string {
  const { code, unit } = sensor;
  const { min, max, quality } = point;
  const hasBand = typeof min === 'number' && typeof max === 'number';
  const bandText = hasBand ? ` (${formatQuantity(min, unit)} to ${formatQuantity(max, unit)})` : '';
  const qualityText = quality && quality !== 'good' ? `, ${quality}` : '';
  const valueText = formatQuantity(pointValue(point), unit, formatOf(point, points));
  return `${code} ${valueText}${bandText}${qualityText}`;
}

/** Readings are shown as they were stored; means and increases with the digits that matter. */
function formatOf(point: Point, points: readonly Point[]): (value: number) => string {
  const bounds = boundsOf(points);
  if (point.value !== undefined || !bounds) return formatValue;
  return computedFormat(point.increase === undefined ? bounds.lowest : 0, bounds.highest);
}

/** The points of curves as a file for a spreadsheet program: times and values first. */
export function csvOf({ curves, bucket }: Curves, language: CsvLanguage): string {
  const fields = bucket === undefined ? (['quality'] as const) : (['min', 'max', 'count'] as const);
  const hasNames = curves.length > 1;
  const header = ['at', 'value', ...(hasNames ? ['sensor'] : []), ...fields];
  const rows = curves.flatMap(({ sensor, points }) =>
    points.map((point) => {
      const named = hasNames ? [sensor.code] : [];
      return [point.at, pointValue(point), ...named, ...fields.map((field) => point[field])];
    }),
  );
  const lines = [header, ...rows].map((cells) =>
    cells.map((cell) => spreadsheetCell(cell, language)).join(language.separator),
  );
  return `${lines.join('\r\n')}\r\n`;
}
