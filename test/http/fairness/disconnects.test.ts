import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { Disconnects } from '../../../src/http/fairness/disconnects.ts';
import type { Exchange } from '../../../src/http/request/exchange.ts';

class Connection extends EventEmitter {
  destroyed = false;
}

const requestOn = (socket: Connection) => ({ node: { req: { socket } } }) as unknown as Exchange; // only its socket is read

it('work of a connection that closes is aborted, all of it and none of another', async () => {
  const [one, other] = [new Connection(), new Connection()];
  const disconnects = new Disconnects();
  const aborted: string[] = [];
  const work = (name: string) => (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        aborted.push(name);
        resolve();
      });
    });
  const all = [
    disconnects.during(requestOn(one), work('a')),
    disconnects.during(requestOn(one), work('b')),
    disconnects.during(requestOn(other), work('c')),
  ];
  expect(one.listenerCount('close')).toBe(1);
  one.emit('close');
  await Promise.all(all.slice(0, 2));
  expect(aborted).toEqual(['a', 'b']);
  other.emit('close');
  await all[2];
  expect(aborted).toEqual(['a', 'b', 'c']);
});

it('work for a connection that has closed already is aborted at once', async () => {
  const socket = new Connection();
  socket.destroyed = true;
  expect(await new Disconnects().during(requestOn(socket), async (signal) => signal.aborted)).toBe(true);
});

it('work that has ended is not aborted later', async () => {
  const socket = new Connection();
  const signal = await new Disconnects().during(requestOn(socket), async (given) => given);
  socket.emit('close');
  expect(signal.aborted).toBe(false);
});
