import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/http/fairness/budget.ts';
import type { Reservation } from '../../src/http/fairness/reservation.ts';

/** Budgets that wait for nobody longer than a test lasts. */
const waitMs = 60_000;

/** Whether a reservation was given, once everything that can go on has. */
async function isGiven(reservation: Promise<Reservation>): Promise<boolean> {
  const late = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([reservation.then(() => true), late]);
}

describe('a budget of several holders', () => {
  it('lets a holder hold no more than it leaves free, and nobody else wait for that', async () => {
    const budget = new Budget(100, waitMs);
    const first = await budget.reserve(40, 'a');
    const second = budget.reserve(30, 'a');
    expect(await isGiven(second)).toBe(false);
    const other = await budget.reserve(40, 'b');
    const third = await budget.reserve(20, 'c');
    expect(budget.held).toBe(100);
    other.release();
    // There is room enough now, but the holder would leave less than it holds.
    expect(await isGiven(second)).toBe(false);
    first.release();
    expect(await isGiven(second)).toBe(true);
    third.release();
    (await second).release();
    expect(budget.held).toBe(0);
  });

  it('refuses nobody who holds nothing, however much it is', async () => {
    const budget = new Budget(100, waitMs);
    const large = await budget.reserve(90, 'a');
    const next = budget.reserve(20, 'b');
    expect(await isGiven(next)).toBe(false);
    large.resize(50);
    expect(await isGiven(next)).toBe(true);
    expect(await isGiven(budget.reserve(10, 'a'))).toBe(false);
  });

  it('refuses who waited too long: whose own share is used up, and for whom there is nothing left', async () => {
    const budget = new Budget(100, 20);
    const held = await budget.reserve(60, 'a');
    await expect(budget.reserve(10, 'a')).rejects.toMatchObject({ code: 'too_many_requests' });
    held.release();
    const whole = await budget.reserve(100, 'b');
    await expect(budget.reserve(10, 'a')).rejects.toMatchObject({ code: 'unavailable' });
    whole.release();
    expect(await isGiven(budget.reserve(40, 'a'))).toBe(true);
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
