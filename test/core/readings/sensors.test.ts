import { expect, it } from 'vitest';
import { sensorNamed, toDirectory } from '../../../src/core/port/readings.ts';
import { findSensor } from '../../../src/core/readings/sensors.ts';

it('in a store from before imports refused it, a code may be the id of another: ingest takes the code, a path the id', () => {
  const [one, other] = [
    { series: 1, id: 'S1', code: 'S2', unit: null, isActive: true, silentAfter: null },
    { series: 2, id: 'S2', code: 'S3', unit: null, isActive: true, silentAfter: null },
  ];
  const directory = toDirectory([one, other]);
  expect(['S1', 'S2', 'S3'].map((name) => directory.get(name))).toEqual([one, one, other]);
  expect(['S1', 'S2', 'S3'].map((name) => findSensor(directory, name))).toEqual([
    one,
    other,
    other,
  ]);
  expect(findSensor(directory, 'S4')).toBeUndefined();
});

it('a sensor is found by any form of its code, up to four times the length of the longest code', () => {
  const codes = ['\u1f82'.repeat(64), '\u1f82'.repeat(65)];
  const directory = toDirectory(
    codes.map((code, series) => {
      return { series, id: `S${series}`, code, unit: null, isActive: true, silentAfter: null };
    }),
  );
  const found = codes.map((code) => sensorNamed(directory, code.normalize('NFD'))?.series);
  expect(found).toEqual([0, undefined]);
});
