import { it } from 'vitest';
import { checkTwoProcesses } from './two-processes.ts';

it('two processes on one store hold what a map holds, whatever they do in which order', () =>
  checkTwoProcesses(60));
