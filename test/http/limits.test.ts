import { describe, expect, it } from 'vitest';
import { networkOf } from '../../src/http/addresses.ts';
import { createLimiter } from '../../src/http/limits.ts';

describe('a limiter', () => {
  it('is none where the limit is off', () => {
    expect(createLimiter('requests', null)).toBeUndefined();
  });

  it('keeps so many clients and no more under a flood of others', async () => {
    const limiter = createLimiter('failed-checks', { requests: 2, windowSeconds: 60 }, 1000);
    for (let i = 0; i < 20_000; i++) await limiter?.consume(`client ${i}`);
    expect(limiter?.size()).toBe(1000);
    await limiter?.consume('client 19999');
    expect((await limiter?.consume('client 19999'))?.allowed).toBe(false);
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
