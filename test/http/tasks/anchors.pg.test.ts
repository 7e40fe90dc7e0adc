import { afterEach, beforeEach, expect, it } from 'vitest';
import { anchorIn } from '../../../src/core/audit/anchors.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createRetryLog } from '../../../src/http/monitoring/warnings.ts';
import { createAnchors } from '../../../src/http/tasks/anchors.ts';
import type { Repetition } from '../../../src/http/tasks/repetition.ts';
import { draftOf, type Plant, plantIn, temporaryStore } from '../../store/stores.ts';

let store: Store;
let plant: Plant;
let log: string[];
let nowMs: number;
let anchors: Repetition;

beforeEach(async () => {
  store = await temporaryStore();
  plant = await plantIn(store);
  log = [];
  nowMs = 1000;
  anchors = anchorsOf(store.audit);
});
afterEach(() => store.close());

const anchorsOf = (audit: Pick<Store['audit'], 'head'>) => {
  const clock = () => nowMs;
  return createAnchors(
    audit,
    createRetryLog(createLog('info', { write: (line) => log.push(line) }), clock),
    clock,
  );
};
const change = () => store.audit.append(draftOf(plant.tenant.id, 'key.list', 'x'));
const counts = () => log.map((line) => anchorIn(line)?.count);

it('an anchor is logged when the daemon starts and when it ends', async () => {
  await anchors.run();
  expect(counts()).toEqual([1]);
  expect(anchorIn(log[0] ?? '')).toEqual(await store.audit.head());
  await anchors.stop();
  expect(counts()).toEqual([1, 1]);
});

it('an anchor is logged after each change, at most once a minute', async () => {
  await anchors.run();
  await change();
  nowMs += 59_999;
  await anchors.run();
  expect(counts()).toEqual([1]);
  nowMs += 1;
  await change();
  await anchors.run();
  expect(counts()).toEqual([1, 3]);
  await change();
  await anchors.run();
  expect(counts()).toEqual([1, 3]);
  nowMs += 60_000;
  await anchors.run();
  expect(counts()).toEqual([1, 3, 4]);
  await anchors.stop();
});

it('an anchor is logged at once where the last one is older than a minute', async () => {
  await anchors.run();
  nowMs += 3_600_000;
  await anchors.run();
  expect(counts()).toEqual([1]);
  await change();
  await anchors.run();
  expect(counts()).toEqual([1, 2]);
  await anchors.stop();
});

it('anchors continue after the store could not be read', async () => {
  await anchors.run();
  await store.close();
  nowMs += 60_000;
  await anchors.run();
  expect(log.at(-1)).toContain('the head of the audit chain was not read; trying again');
  await anchors.run();
  expect(log.length).toBe(2);
  await anchors.stop();
});

it('the last head that was there is logged at once where the store is away, whatever the time', async () => {
  await anchors.run();
  await change();
  await anchors.run();
  expect(counts()).toEqual([1]);
  await store.close();
  await anchors.run();
  await anchors.run();
  expect(counts()).toEqual([1, undefined, 2]);
});

it('a chain that lost records is an error, after the head that was there', async () => {
  const heads = [1, 3, 2, 2].map((count) => ({ count, hash: String(count % 10).repeat(64) }));
  const audit = { head: () => heads.shift() ?? { count: 3, hash: 'f'.repeat(64) } };
  anchors = anchorsOf(audit);
  for (let time = 0; time < 6; time++) await anchors.run();
  expect(counts()).toEqual([1, 3, undefined]);
  expect(JSON.parse(log[2] ?? '')).toMatchObject({
    level: 'error',
    count: 2,
    before: 3,
    msg: expect.stringContaining('gone back in time'),
  });
});
