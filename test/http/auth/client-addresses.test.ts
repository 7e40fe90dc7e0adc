import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createAddressBook,
  isLoopbackAddress,
  networkOf,
} from '../../../src/http/auth/client-addresses.ts';
import type { Exchange } from '../../../src/http/request/exchange.ts';

/** The network of a request in which a trusted proxy names an address. */
function countedAs(forwarded: string): string {
  return networkOf(clientNamed(forwarded));
}

/** The client of a request in which a trusted proxy names an address. */
function clientNamed(forwarded: string): string {
  const book = createAddressBook(['127.0.0.1']);
  // Only the peer and the headers are read.
  const exchange = {
    peer: '127.0.0.1',
    header: (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined),
  };
  book.readForwarded(exchange as Exchange);
  return book.clientOf(exchange as Exchange);
}

describe('a connection that has closed', () => {
  // Only the peer and the headers are read.
  const closed = {
    peer: undefined,
    header: (name: string) => (name === 'x-forwarded-for' ? '127.0.0.1' : undefined),
  };
  const silent = { peer: undefined, header: () => undefined };

  it('is of no client: neither of this machine nor behind a trusted proxy', () => {
    const book = createAddressBook(['127.0.0.0/8', '10.0.0.0/8']);
    book.readForwarded(closed as unknown as Exchange);
    expect(book.clientOf(closed as unknown as Exchange)).toBe('0.0.0.0');
    expect(book.clientOf(silent as unknown as Exchange)).toBe('0.0.0.0');
    expect(book.isLoopback(silent as unknown as Exchange)).toBe(false);
  });
});

describe('the network that an address counts as', () => {
  it.each([
    '8.8.8.2',
    '::ffff:8.8.8.2',
    '::FFFF:8.8.8.2',
    '::ffff:808:802',
    '::ffff:0808:0802',
    '0:0:0:0:0:ffff:808:802',
    '0000:0000:0000:0000:0000:ffff:0808:0802',
    '0::ffff:8.8.8.2',
    '::0:ffff:808:802',
    '0:0:0:0:0:FFFF:8.8.8.2',
    '[::ffff:808:802]:4711',
    '8.8.8.2:4711',
  ])('is one for 8.8.8.2, written as %s', (address) => {
    expect(countedAs(address)).toBe('8.8.8.2');
  });

  it.each([
    ['::1', '::/64'],
    ['::ffff:0:808:802', '::/64'],
    ['ffff::808:802', 'ffff::/64'],
    ['2001:db8:1:2:ffff::2', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['64:ff9b::8.8.8.8', '64:ff9b::/64'],
  ])('of %s is %s', (address, network) => {
    expect(countedAs(address)).toBe(network);
  });

  it.each(['2001:db8::1', '2001:DB8:0::1', '[2001:0db8::0001]:4711', '2001:db8:0:0:0:0:0.0.0.1'])(
    'is that of one client, written as %s',
    (address) => {
      expect(clientNamed(address)).toBe('2001:db8::1');
    },
  );

  it('is that of the proxy where this names no address', () => {
    expect(['unknown', '', '010.0.0.1', '10.0.0.256'].map(clientNamed)).toEqual(
      Array(4).fill('127.0.0.1'),
    );
  });

  it('is the same however an IPv4 address is mapped', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const form of [
          address,
          `::ffff:${address}`,
          `::ffff:${hex}`,
          `0:0:0:0:0:ffff:${hex}`,
        ]) {
          expect(countedAs(form)).toBe(address);
        }
      }),
    );
  });

  it('is found in a header that no proxy writes, however long that is', () => {
    // Minutes, and so beyond the time that a test has, where the time grows with the square of the length.
    const dots = '.'.repeat(200_000);
    for (const hop of [`:${dots}x`, `1:${dots}:`, `[::${dots}x]`, `::${dots}1`]) {
      expect(clientNamed(hop)).toBe('127.0.0.1');
    }
  });
});

describe('proxies in a row', () => {
  const proxies = (count: number) => ['8.8.8.2', ...Array(count - 1).fill('127.0.0.1')].join(' , ');

  it('are believed up to 32 addresses, and more are refused', () => {
    expect(clientNamed(proxies(32))).toBe('8.8.8.2');
    expect(() => clientNamed(proxies(33))).toThrow(
      expect.objectContaining({ code: 'bad_parameter' }),
    );
  });
});

describe('a client of this machine', () => {
  const isLoopback = (peer: string, header?: string) =>
    // Only the peer and the headers are read.
    createAddressBook([]).isLoopback({
      peer,
      header: (name: string) => (name === header ? 'x' : undefined),
    } as Exchange);

  it('has a loopback address, and no header of a proxy', () => {
    for (const peer of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
      expect([peer, isLoopback(peer), isLoopback(peer, 'accept')]).toEqual([peer, true, true]);
    for (const peer of ['10.0.0.1', '::2', '::ffff:10.0.0.1'])
      expect([peer, isLoopback(peer)]).toEqual([peer, false]);
  });

  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-server',
    'x-real-ip',
  ])('is none behind a proxy, which adds %s', (header) => {
    expect(isLoopback('127.0.0.1', header)).toBe(false);
  });

  it('is all that reaches a server that listens on such a host', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])
      expect([host, isLoopbackAddress(host)]).toEqual([host, true]);
    for (const host of ['0.0.0.0', '::', '[::]', '10.0.0.1', 'plant', 'x[::1]', '[::1]x', ''])
      expect([host, isLoopbackAddress(host)]).toEqual([host, false]);
  });
});
