import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ConnectionTable } from '../../../../src/http/net/connections/table.ts';

/** A table of connections of one address each, and how often it has looked at any of them. */
function fullTable(count: number, addressOf: (index: number) => string) {
  const table = new ConnectionTable();
  let looks = 0;
  const connections = Array.from({ length: count }, (_, index) => {
    const socket = { remoteAddress: addressOf(index) } as Socket; // the table reads nothing else of it
    const connection = table.add(socket, false);
    let keyId: string | undefined;
    Object.defineProperty(connection, 'keyId', {
      get: () => {
        looks++;
        return keyId;
      },
      set: (value) => {
        keyId = value;
      },
    });
    return connection;
  });
  const looksOf = (work: () => unknown): number => {
    looks = 0;
    work();
    return looks;
  };
  return { table, connections, looksOf };
}

it('chooses a connection to close without a look at every connection, since a client may open thousands a second', () => {
  const { table, connections, looksOf } = fullTable(2_000, () => '192.0.2.1');
  expect(looksOf(() => table.leastNeeded(1_500))).toBeLessThan(10);
  expect(table.leastNeeded(1_500)).toEqual({
    connection: connections[0],
    reason: 'unauthenticated',
  });
});

it('finds the connections of a client without a look at those of others', () => {
  const { table, connections, looksOf } = fullTable(2_000, (index) =>
    index < 2 ? '192.0.2.1' : '198.51.100.1',
  );
  const [first, second] = connections;
  if (!first || !second) throw new Error('There are two.');
  expect(looksOf(() => table.sameClient(first))).toBeLessThan(10);
  expect(table.sameClient(first)).toEqual([first, second]);
  table.identify(second.socket, 'key');
  expect(table.sameClient(first)).toEqual([first]);
  expect(table.sameClient(second)).toEqual([second]);
  table.remove(second);
  expect(table.sameClient(second)).toEqual([]);
});
