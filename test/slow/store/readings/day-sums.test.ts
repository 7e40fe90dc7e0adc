import { it } from 'vitest';
import { checkDaySums } from '../../../store/sqlite/readings/model/day-sums.ts';

it(
  'each bucket of two processes holds what a map holds, in many more runs',
  () => checkDaySums(Number(process.env.HKCTL_TEST_ROUNDS ?? 300)),
  // Minutes of pure computing, next to others that compute.
  1_800_000,
);
