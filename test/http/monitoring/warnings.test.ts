import { expect, test } from 'vitest';
import { createLog } from '../../../src/http/monitoring/log.ts';
import {
  createRejectionWarning,
  createRetryLog,
  createUnavailableWarning,
} from '../../../src/http/monitoring/warnings.ts';

test('an outage logs one line a second, with the cause and the number of requests left out', () => {
  const lines: [object, string][] = [];
  let nowMs = 0;
  const warn = createUnavailableWarning(
    { warn: (fields, message) => void lines.push([fields, message]) },
    () => nowMs,
  );
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
  const log = createRetryLog(
    createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    () => nowMs,
  );
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

test('rejected readings of a key are warned of at once, and then once a minute with all since', () => {
  const lines: [object, string][] = [];
  let nowMs = 0;
  const warn = createRejectionWarning(
    { warn: (fields, message) => void lines.push([fields, message]) },
    () => nowMs,
  );
  const reject = (key: string, codes: Record<string, number>, sensor: string | null = 'OVEN-9') =>
    warn('readings', key, codes, sensor);
  reject('hk_aaaaa', { unknown_sensor: 3 });
  reject('hk_aaaaa', { unknown_sensor: 2, invalid_at: 1 });
  reject('hk_bbbbb', { invalid_reading: 1 }, null);
  warn('heartbeats', 'hk_aaaaa', { unknown_sensor: 1 }, 'OVEN-9');
  nowMs = 59_999;
  reject('hk_aaaaa', { unknown_sensor: 5 });
  nowMs = 60_000;
  reject('hk_aaaaa', { unknown_sensor: 1 });
  nowMs = 120_000;
  reject('hk_aaaaa', { unknown_sensor: 1 });
  expect(lines).toEqual([
    [{ key: 'hk_aaaaa', rejected: { unknown_sensor: 3 }, sensor: 'OVEN-9' }, 'readings rejected'],
    [{ key: 'hk_bbbbb', rejected: { invalid_reading: 1 } }, 'readings rejected'],
    [{ key: 'hk_aaaaa', rejected: { unknown_sensor: 1 }, sensor: 'OVEN-9' }, 'heartbeats rejected'],
    [
      { key: 'hk_aaaaa', rejected: { unknown_sensor: 8, invalid_at: 1 }, sensor: 'OVEN-9' },
      'readings rejected',
    ],
    [{ key: 'hk_aaaaa', rejected: { unknown_sensor: 1 }, sensor: 'OVEN-9' }, 'readings rejected'],
  ]);
});
