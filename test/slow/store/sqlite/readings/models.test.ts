import { it } from 'vitest';
import { checkDaySums } from '../../../../store/sqlite/readings/model/day-sums.ts';
import { checkTwoProcesses } from '../../../../store/sqlite/readings/model/two-processes.ts';

it(
  'two processes on one store hold what a map holds, whatever they do in which order',
  () => checkTwoProcesses(25),
  600_000,
);

it(
  'each bucket of two processes holds what a map holds, and has the mean of all its readings',
  () => checkDaySums(16),
  600_000,
);
