import { expect, it } from 'vitest';
import { relativeTime } from '../../../src/cli/table/shown-time.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  [-59 * second, 'now'],
  [59 * second, 'in 1 min'],
  [-minute, '1 min ago'],
  [59 * minute + 20 * second, 'in 59 min'],
  [-hour, '1 h ago'],
  [2 * day - 1, 'in 48 h'],
  [90 * day - second, 'in 90 d'],
  [-90 * day + second, '89 d ago'],
  [-2 * day, '2 d ago'],
  [14 * day, 'in 14 d'],
  [6 * day + 1, 'in 6 d'],
  [-999 * day, '999 d ago'],
  [-4400 * day, '12 y ago'],
])('an instant %i ms away is %s', (distance, text) => {
  expect(relativeTime(1e12 + distance, 1e12)).toBe(text);
});
