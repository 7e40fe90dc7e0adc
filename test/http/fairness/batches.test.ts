import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RequestBatches } from '../../../src/http/fairness/batches.ts';

function join(batches: RequestBatches, run: () => unknown): void {
  batches.join({ run: () => void run() });
}

describe('a batch of requests', () => {
  it('asks a question once, and again in the next batch', async () => {
    const batches = new RequestBatches();
    let asked = 0;
    const version = batches.once(() => ++asked);
    const answers: number[] = [];
    for (let i = 0; i < 3; i++) join(batches, () => answers.push(version()));
    await setImmediate();
    join(batches, () => answers.push(version()));
    await setImmediate();
    expect(answers).toEqual([1, 1, 1, 2]);
  });

  it('remembers answers by name', async () => {
    const batches = new RequestBatches();
    const asked: string[] = [];
    const lengthOf = batches.once((name: string) => asked.push(name));
    const answers: number[] = [];
    for (const name of ['a', 'b', 'a']) join(batches, () => answers.push(lengthOf(name)));
    await setImmediate();
    expect([asked, answers]).toEqual([
      ['a', 'b'],
      [1, 2, 1],
    ]);
  });

  it('asks every time outside of a batch, where a request may have arrived since', () => {
    let asked = 0;
    const version = new RequestBatches().once(() => ++asked);
    expect([version(), version()]).toEqual([1, 2]);
  });

  it('does not remember an error', async () => {
    const batches = new RequestBatches();
    let asked = 0;
    const version = batches.once(() => {
      asked++;
      if (asked === 1) throw new Error('locked');
      return asked;
    });
    const answers: unknown[] = [];
    for (let i = 0; i < 2; i++) {
      join(batches, () => {
        try {
          answers.push(version());
        } catch (thrown) {
          answers.push(String(thrown));
        }
      });
    }
    await setImmediate();
    expect(answers).toEqual(['Error: locked', 2]);
  });
});
