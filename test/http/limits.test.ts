import { describe, expect, it } from 'vitest';
import { networkOf } from '../../src/http/addresses.ts';
import { type Allowance, createAddressLimiter, createKeyLimiter } from '../../src/http/limits.ts';

const itself = (allowance: Allowance): Allowance => allowance;

describe('a limiter', () => {
  it('is none where the limit is off', () => {
    expect(createKeyLimiter('requests', null)).toBeUndefined();
  });

  it('keeps so many clients and no more under a flood of others', async () => {
    const limiter = createAddressLimiter('failed-checks', { requests: 2, windowSeconds: 60 }, 1000);
    for (let i = 0; i < 20_000; i++) await limiter?.consume(`client ${i}`, itself);
    expect(limiter?.size()).toBe(1000);
    await limiter?.consume('client 19999', itself);
    expect((await limiter?.consume('client 19999', itself))?.allowed).toBe(false);
  });

  it('begins anew with a client that it had to forget', async () => {
    const limiter = createAddressLimiter('failed-checks', { requests: 1, windowSeconds: 60 }, 1);
    const allowed = async (client: string) => (await limiter?.consume(client, itself))?.allowed;
    expect([await allowed('one'), await allowed('one')]).toEqual([true, false]);
    expect(await allowed('other')).toBe(true);
    expect(await allowed('one')).toBe(true);
  });
});

describe('a limiter of addresses', () => {
  it('tells calls that come together apart, as if each had come by itself', async () => {
    const limiter = createAddressLimiter('failed-checks', { requests: 3, windowSeconds: 60 });
    await limiter?.consume('a', itself);
    const together = await Promise.all(['a', 'a', 'b', 'a', 'a'].map((client) => limiter?.consume(client, itself)));
    expect(together.map((allowance) => [allowance?.allowed, allowance?.isFirstOver, allowance?.headers[3]])).toEqual([
      [true, false, '"failed-checks";r=1;t=60'],
      [true, false, '"failed-checks";r=0;t=60'],
      [true, false, '"failed-checks";r=2;t=60'],
      [false, true, '"failed-checks";r=0;t=60'],
      [false, false, '"failed-checks";r=0;t=60'],
    ]);
    expect((await limiter?.consume('a', itself))?.isFirstOver).toBe(false);
  });
});

describe('a limiter of keys', () => {
  it('counts each key by itself and forgets the window that began first', () => {
    const limiter = createKeyLimiter('requests', { requests: 1, windowSeconds: 60 }, 2);
    expect(limiter?.consume('a')).toMatchObject({ allowed: true, resetSeconds: 60 });
    expect(limiter?.consume('a').allowed).toBe(false);
    expect(limiter?.consume('b').allowed).toBe(true);
    expect(limiter?.consume('c').allowed).toBe(true);
    expect(limiter?.size()).toBe(2);
    expect(limiter?.consume('a').allowed).toBe(true);
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ])('%s → %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
