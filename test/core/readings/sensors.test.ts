import { expect, it } from 'vitest';
import { toDirectory } from '../../../src/core/port/readings.ts';
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
