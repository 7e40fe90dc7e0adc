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
