import { it } from 'vitest';
import { checkTwoProcesses } from '../../../store/sqlite/readings/model/two-processes.ts';

// Some faults need a late reading, another process that compacts it, and a trim in between: one of some hundred runs has them (`HKCTL_TEST_ROUNDS=1500`).
it(
  'two processes on one store hold what a map holds, in many more runs',
  () => checkTwoProcesses(Number(process.env.HKCTL_TEST_ROUNDS ?? 300)),
  // Minutes of pure computing, next to others that compute.
  1_800_000,
);
