import { describe, expect, it } from 'vitest';
import { Budget, type Reservation } from '../../../src/http/fairness/budget.ts';

/** Longer than any test lasts. */
const waitMs = 60_000;

/** Whether a reservation is granted without further events. */
async function isGranted(reservation: Promise<Reservation>): Promise<boolean> {
  const late = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([reservation.then(() => true), late]);
}

describe('a budget of several holders', () => {
  it('lets a holder hold no more than it leaves free, and lets no other holder wait for that', async () => {
    const budget = new Budget(100, waitMs);
    const first = await budget.reserve(40, 'a');
    const second = budget.reserve(30, 'a');
    expect(await isGranted(second)).toBe(false);
    const other = await budget.reserve(40, 'b');
    const third = await budget.reserve(20, 'c');
    expect(budget.held).toBe(100);
    other.release();
    // There are enough bytes now, but the holder would leave less than it holds.
    expect(await isGranted(second)).toBe(false);
    first.release();
    expect(await isGranted(second)).toBe(true);
    third.release();
    (await second).release();
    expect(budget.held).toBe(0);
  });

  it('refuses no share to a holder that holds nothing, however large it is', async () => {
    const budget = new Budget(100, waitMs);
    const large = await budget.reserve(90, 'a');
    const next = budget.reserve(20, 'b');
    expect(await isGranted(next)).toBe(false);
    large.resize(50);
    expect(await isGranted(next)).toBe(true);
    expect(await isGranted(budget.reserve(10, 'a'))).toBe(false);
  });

  it('refuses after the longest wait: for a used-up share, and for a used-up budget', async () => {
    const budget = new Budget(100, 20);
    const held = await budget.reserve(60, 'a');
    await expect(budget.reserve(10, 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
    held.release();
    const whole = await budget.reserve(100, 'b');
    await expect(budget.reserve(10, 'a')).rejects.toMatchObject({ code: 'unavailable' });
    whole.release();
    expect(await isGranted(budget.reserve(40, 'a'))).toBe(true);
  });
});

describe('the shares of a budget', () => {
  it('gives a holder as much as it leaves free, and others the rest by the same rule', async () => {
    const budget = new Budget(120, 10);
    const fill = (holder: string) => {
      const reservation = budget.hold(0, holder);
      while (budget.grow(reservation, 1));
      return reservation.bytes;
    };
    expect([fill('a'), fill('b'), fill('c')]).toEqual([60, 30, 15]);
    await expect(budget.reserve(61, 'd')).rejects.toThrow();
  });

  it('serves the holder with the least memory first', async () => {
    const budget = new Budget(100, 5_000);
    const others = budget.hold(90, 'c');
    budget.hold(10, 'a');
    const order: string[] = [];
    const [first, second] = [budget.reserve(40, 'a'), budget.reserve(60, 'b')];
    void first.then(() => order.push('a'));
    void second.then(() => order.push('b'));
    // There is enough for one of them, and not for both.
    others.release();
    (await second).release();
    await first;
    expect(order).toEqual(['b', 'a']);
  });
});
