import { afterEach, describe, expect, it, vi } from 'vitest';
import { networkOf } from '../../../src/http/auth/client-addresses.ts';
import { type Allowance, createLimiter } from '../../../src/http/auth/limits.ts';

describe('a limiter', () => {
  it('is none where the limit is off', () => {
    expect(createLimiter('requests', null)).toBeUndefined();
  });

  it('keeps a limited number of clients under a flood of others', () => {
    const limiter = createLimiter('failed-checks', { requests: 2, windowSeconds: 60 }, 1000);
    for (let i = 0; i < 20_000; i++) limiter?.consume(`client ${i}`);
    expect(limiter?.size()).toBe(1000);
    limiter?.consume('client 19999');
    expect(limiter?.consume('client 19999').allowed).toBe(false);
  });

  it('starts again with a client that it had to drop', () => {
    const limiter = createLimiter('failed-checks', { requests: 1, windowSeconds: 60 }, 1);
    const allowed = (client: string) => limiter?.consume(client).allowed;
    expect([allowed('one'), allowed('one')]).toEqual([true, false]);
    expect(allowed('other')).toBe(true);
    expect(allowed('one')).toBe(true);
  });

  it('counts each client by itself, and reports the first refused call of a window', () => {
    const limiter = createLimiter('failed-checks', { requests: 3, windowSeconds: 60 });
    limiter?.consume('a');
    const calls = ['a', 'a', 'b', 'a', 'a'].map((client) => limiter?.consume(client));
    expect(
      calls.map((allowance) => [allowance?.allowed, allowance?.isFirstOver, allowance?.headers[3]]),
    ).toEqual([
      [true, false, '"failed-checks";r=1;t=60'],
      [true, false, '"failed-checks";r=0;t=60'],
      [true, false, '"failed-checks";r=2;t=60'],
      [false, true, '"failed-checks";r=0;t=60'],
      [false, false, '"failed-checks";r=0;t=60'],
    ]);
    expect(limiter?.consume('a').isFirstOver).toBe(false);
  });

  it('drops the window that began first', () => {
    const limiter = createLimiter('requests', { requests: 1, windowSeconds: 60 }, 2);
    expect(limiter?.consume('a')).toMatchObject({ allowed: true, resetSeconds: 60 });
    expect(limiter?.consume('a').allowed).toBe(false);
    expect(limiter?.consume('b').allowed).toBe(true);
    expect(limiter?.consume('c').allowed).toBe(true);
    expect(limiter?.size()).toBe(2);
    expect(limiter?.consume('a').allowed).toBe(true);
  });

  it('marks the first refusal of a window, and only that', () => {
    const limiter = createLimiter('requests', { requests: 1, windowSeconds: 60 });
    const marks = [1, 2, 3].map(() => limiter?.consume('a').isFirstOver);
    expect(marks).toEqual([false, true, false]);
  });
});

describe('the cost of a request that is known only later', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const limited = (requests: number) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const limiter = createLimiter('requests', { requests, windowSeconds: 60 });
    if (!limiter) throw new Error('there is a limit');
    return limiter;
  };
  const stateOf = ({ allowed, headers, resetSeconds }: Allowance) => [
    allowed,
    headers[3],
    resetSeconds,
  ];

  it('counts as further requests', () => {
    const limiter = limited(10);
    limiter.consume('a');
    expect(stateOf(limiter.charge('a', 4))).toEqual([true, '"requests";r=5;t=60', 60]);
    expect(stateOf(limiter.charge('a', 0))).toEqual([true, '"requests";r=5;t=60', 60]);
    expect(stateOf(limiter.charge('a', 5))).toEqual([true, '"requests";r=0;t=60', 60]);
    expect(stateOf(limiter.consume('a'))).toEqual([false, '"requests";r=0;t=60', 60]);
    expect(limiter.consume('b').allowed).toBe(true);
    vi.advanceTimersByTime(59_700);
    expect(stateOf(limiter.consume('a'))).toEqual([false, '"requests";r=0;t=1', 1]);
  });

  it('is taken from later windows where one cannot cover it, with the time at which the next request is allowed', () => {
    const limiter = limited(10);
    limiter.consume('a');
    expect(stateOf(limiter.charge('a', 34))).toEqual([false, '"requests";r=0;t=180', 180]);
    // Refused requests cost nothing more.
    for (let asked = 0; asked < 50; asked++) expect(limiter.consume('a').allowed).toBe(false);
    vi.advanceTimersByTime(90_000);
    expect(stateOf(limiter.consume('a'))).toEqual([false, '"requests";r=0;t=90', 90]);
    vi.advanceTimersByTime(89_000);
    expect(stateOf(limiter.consume('a'))).toEqual([false, '"requests";r=0;t=1', 1]);
    vi.advanceTimersByTime(1_000);
    // 35 in all: three windows of ten, and five in this one.
    expect(stateOf(limiter.consume('a'))).toEqual([true, '"requests";r=4;t=60', 60]);
  });

  it('is paid off by windows without requests', () => {
    const limiter = limited(10);
    limiter.consume('a');
    limiter.charge('a', 34);
    vi.advanceTimersByTime(600_000);
    expect(stateOf(limiter.consume('a'))).toEqual([true, '"requests";r=9;t=60', 60]);
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:0DB8:0:0:1:2:3:4', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::', 'fe80::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ])('%s → %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
