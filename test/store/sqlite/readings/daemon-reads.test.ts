import { describe, expect, it } from 'vitest';
import { batchOf } from '../../conformance/readings/readings.ts';
import { openDaemon } from './opened-daemon.ts';
import { readingsOn } from './sent.ts';

describe('what a daemon reads', () => {
  it('holds what each process has written, as soon as that is acknowledged', async () => {
    const { store, plant, series, other, values, lastValue } = await openDaemon();
    const elsewhere = readingsOn(other);
    expect(await values()).toBeNull();
    expect(await lastValue()).toBeUndefined();
    const expected: string[] = [];
    for (let n = 0; n < 6; n++) {
      if (n % 2 === 0) await store.readings.append(batchOf([[series, n, n]]));
      else elsewhere.send([[series, n, n]]);
      expected.push(String(n));
      expect(await values()).toEqual(expected);
      expect(await lastValue()).toBe(n);
    }
    expect((await store.readings.retention(plant.entity.id)).oldestUs).toBe(0);
  });

  it('needs no disk and no lock: it is answered while a commit waits for another process', async () => {
    const { store, series, other, values, lastValue } = await openDaemon();
    await store.readings.append(batchOf([[series, 1, 1]]));
    other.exec('begin immediate');
    let isWritten = false;
    const writing = store.readings.append(batchOf([[series, 2, 2]])).then(() => {
      isWritten = true;
    });
    expect(await values()).toEqual(['1']);
    expect(await lastValue()).toBe(1);
    expect(isWritten).toBe(false);
    other.exec('commit');
    await writing;
    expect(await values()).toEqual(['1', '2']);
  });
});
