import { expect, test } from 'vitest';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createRetryLog, createUnavailableWarning } from '../../../src/http/monitoring/warnings.ts';

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

test('work that is tried again logs its failure at once, then once a minute; other lines are not held back', () => {
  const lines: Record<string, unknown>[] = [];
  let nowMs = 0;
  const log = createRetryLog(createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }), () => nowMs);
  for (nowMs = 0; nowMs <= 60_000; nowMs += 20_000) log.warn({ at: nowMs }, 'not written');
  log.warn({}, 'not stored');
  log.info({}, 'stopping');
  expect(lines.map(({ msg, at, more }) => ({ msg, at, more }))).toEqual([
    { msg: 'not written', at: 0, more: undefined },
    { msg: 'not written', at: 60_000, more: 2 },
    { msg: 'not stored', at: undefined, more: undefined },
    { msg: 'stopping', at: undefined, more: undefined },
  ]);
});
