import { expect, test } from 'vitest';
import { createUnavailableWarning } from '../../../src/http/monitoring/warnings.ts';

test('an outage logs one line a second, with the cause and the number of requests left out', () => {
  const lines: [object, string][] = [];
  let nowMs = 0;
  const warn = createUnavailableWarning({ warn: (fields, message) => void lines.push([fields, message]) }, () => nowMs);
  const cause = new Error('the disk is full');
  for (const id of ['a', 'b', 'c']) warn(id, cause);
  nowMs = 999;
  warn('d', cause);
  nowMs = 1000;
  warn('e', cause);
  nowMs = 2000;
  warn('f', cause);
  expect(lines).toEqual([
    [{ id: 'a', err: cause }, 'unavailable'],
    [{ id: 'e', err: cause, more: 3 }, 'unavailable'],
    [{ id: 'f', err: cause }, 'unavailable'],
  ]);
});
