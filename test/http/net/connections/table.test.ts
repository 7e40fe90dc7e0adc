import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ConnectionTable } from '../../../../src/http/net/connections/table.ts';

it('finds the connections of an address, and of a key once one has brought it', () => {
  const table = new ConnectionTable();
  const [first, second, other] = ['2001:db8::1', '2001:db8::2', '198.51.100.1'].map(
    // The table reads nothing else of it.
    (remoteAddress) => table.add({ remoteAddress } as Socket, false),
  );
  if (!first || !second || !other) throw new Error('There are three.');
  // A client has the /64 of an IPv6 address.
  expect([...table.ofAddress('2001:db8::/64')]).toEqual([first, second]);
  table.identify(second.socket, 'key');
  expect([...table.ofClient('2001:db8::/64')]).toEqual([first]);
  expect([...table.ofClient('key')]).toEqual([second]);
  table.remove(second);
  expect([...table.ofClient('key')]).toEqual([]);
  expect([...table.ofAddress('2001:db8::/64')]).toEqual([first]);
});
