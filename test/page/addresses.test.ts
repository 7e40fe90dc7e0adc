import { describe, expect, it } from 'vitest';
import {
  axisLabels,
  computedFormat,
  formatQuantity,
  unitSign,
} from '../../src/page/display/values.ts';
import {
  barBucketFor,
  bucketFor,
  move,
  rangeAt,
  toTimeRange,
  usualSpan,
  zoom,
} from '../../src/page/plots/ranges.ts';
import { addressOfSensor, parseViewAddress, spanOf } from '../../src/page/views/addresses.ts';

describe('addresses of views', () => {
  it('name a sensor, a span and the sensors to compare with, and nothing else', () => {
    const address = addressOfSensor('SE/1 ?', { fromMs: 1_000, toMs: 61_000 }, ['SE-2']);
    const { parts, parameters } = parseViewAddress(address);

    expect(parts).toEqual(['sensors', 'SE/1 ?']);
    expect(spanOf(parameters)).toEqual({ fromMs: 1_000, toMs: 61_000 });
    expect(parameters.getAll('with')).toEqual(['SE-2']);
    expect(address).not.toContain('hk_');
  });

  it('name a span that ends now, which moves on', () => {
    const address = addressOfSensor('SE-1', { lastMs: 3_600_000 }, []);
    expect(address).toBe('#/sensors/SE-1?last=hour');
    const span = spanOf(parseViewAddress(address).parameters);
    expect(rangeAt(span, 4_600_000)).toEqual({ fromMs: 1_000_000, toMs: 4_600_000 });
    expect(rangeAt(span, 4_601_000)).toEqual({ fromMs: 1_001_000, toMs: 4_601_000 });
    expect(addressOfSensor('SE-1', usualSpan, [])).toBe('#/sensors/SE-1');
    expect(addressOfSensor('SE-1', usualSpan, [], true)).toBe('#/sensors/SE-1?show=increase');
  });

  it('with an impossible span or a stray percent sign are taken as far as they make sense', () => {
    expect(spanOf(parseViewAddress('#/sensors/x?from=a&to=1e99').parameters)).toEqual(usualSpan);
    expect(spanOf(parseViewAddress('#/sensors/x?last=decade').parameters)).toEqual(usualSpan);
    expect(parseViewAddress('#/sensors/%').parts).toEqual(['sensors', '%']);
    expect(parseViewAddress('').parts).toEqual([]);
  });
});

describe('spans of time', () => {
  it('get the shortest bucket of which a plot has room for all', () => {
    const buckets = [3_600_000, 86_400_000, 31 * 86_400_000, 365 * 86_400_000].map(
      (ms) => bucketFor({ fromMs: 0, toMs: ms }).text,
    );
    expect(buckets).toEqual(['10s', '5m', '6h', '1d']);
  });

  it('have bars of hours, days, months or years', () => {
    const dayMs = 86_400_000;
    const lengths = [dayMs / 24, dayMs, 7 * dayMs, 31 * dayMs, 366 * dayMs, 10 * 366 * dayMs];
    const buckets = lengths.map((toMs) => barBucketFor({ fromMs: 0, toMs }).text);
    expect(buckets).toEqual(['5m', '1h', '1d', '1d', '1mo', '1y']);
  });

  it('are zoomed around their middle and moved by their length', () => {
    const range = toTimeRange(200_000, 100_000);
    expect(range).toEqual({ fromMs: 100_000, toMs: 200_000 });
    expect(zoom(range, 0.5)).toEqual({ fromMs: 125_000, toMs: 175_000 });
    expect(move(range, -0.5)).toEqual({ fromMs: 50_000, toMs: 150_000 });
  });
});

describe('what people read', () => {
  it.each([
    [182.4, 'Cel', '182.4 °C'],
    [0.1 + 0.2, 'bar', '0.30000000000000004 bar'],
    [1234567.8, 'kWh', '1234567.8 kWh'],
    [99_999.1, 'kWh', '99999.1 kWh'],
    [3, '__proto__', '3 __proto__'],
    [12, '{piece}', '12 pcs'],
    [1, null, '1'],
    [null, 'Cel', '–'],
  ] as const)('%s in %s is shown as %s', (value, unit, text) => {
    expect(formatQuantity(value, unit)).toBe(text);
  });

  it('keeps units that are names of members of every object', () => {
    expect(unitSign('[psi]')).toBe('psi');
    expect(['constructor', 'toString', '__proto__'].map(unitSign)).toEqual([
      'constructor',
      'toString',
      '__proto__',
    ]);
  });

  it('gives a mean the digits that matter in its curve', () => {
    expect(computedFormat(1234567.8, 1234567.9)(1234567.8 + 1 / 30)).toBe('1234567.8333');
    expect(computedFormat(0, 900)(1 / 3)).toBe('0.3');
    expect(computedFormat(5, 5)(5)).toBe('5');
  });

  it('labels no two lines of an axis alike', () => {
    expect(axisLabels([1234567.8, 1234567.85, 1234567.9])).toEqual([
      '1234567.8',
      '1234567.85',
      '1234567.9',
    ]);
    expect(axisLabels([1e16, 1e16 + 1, 1e16 + 2])).toEqual([
      '10000000000000000',
      '',
      '10000000000000002',
    ]);
  });
});
