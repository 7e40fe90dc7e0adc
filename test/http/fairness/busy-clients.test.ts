import { expect, it } from 'vitest';
import { BusyClients, newOf } from '../../../src/http/fairness/busy-clients.ts';

it('charges what a client brings to its next turns, one after the other, and never to those of others', () => {
  let nowMs = 0;
  const clients = new BusyClients(() => nowMs);
  for (let request = 0; request < 50; request++) clients.charge(0.2, 'one');
  nowMs = 9.9;
  expect([clients.hasRested('one'), clients.hasRested('other')]).toEqual([false, true]);
  nowMs = 10.1;
  expect(clients.hasRested('one')).toBe(true);
  for (let thousand = 0; thousand < 10; thousand++) clients.charge(8, 'one', 'another');
  nowMs = 90;
  expect([clients.hasRested('one'), clients.hasRested('another')]).toEqual([false, false]);
  nowMs = 90.2;
  expect([clients.hasRested('one'), clients.hasRested('another')]).toEqual([true, true]);
});

it('lets handshakes wait for each other and for what new connections brought, only while the client is busy', () => {
  let nowMs = 0;
  const clients = new BusyClients(() => nowMs);
  clients.noteHandshake('one');
  expect(clients.mayBegin('one')).toBe(true);
  clients.note('key', 'one');
  expect([clients.isBusy('key'), clients.isBusy('one'), clients.isBusy('other')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(clients.mayBegin('one')).toBe(true);
  clients.noteHandshake('one');
  expect(clients.mayBegin('one')).toBe(false);
  nowMs = 10;
  expect(clients.mayBegin('one')).toBe(true);
  clients.charge(0.2, newOf('one'));
  expect(clients.mayBegin('one')).toBe(false);
  nowMs = 10_000;
  for (let request = 0; request < 50; request++) clients.charge(0.2, newOf('one'));
  expect([clients.isBusy('one'), clients.mayBegin('one')]).toEqual([false, true]);
});

it('forgets clients while ever new ones come', () => {
  let nowMs = 0;
  const clients = new BusyClients(() => nowMs);
  const most = Array.from({ length: 5_000 }, (_, n) => {
    nowMs = n * 100;
    clients.note(`2001:db8:${n}::/64`);
    clients.charge(0.2, `2001:db8:${n}::/64`);
    return clients.size;
  });
  // At the most those of the last twenty seconds.
  expect(Math.max(...most)).toBeLessThanOrEqual(2 * 200 + 2);
  nowMs = 500_000;
  clients.note('another');
  expect(clients.isBusy('2001:db8:4990::/64')).toBe(true);
});
