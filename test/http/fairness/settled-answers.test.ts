import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { createMemory } from '../../../src/http/fairness/memory.ts';
import type { Exchange } from '../../../src/http/request/exchange.ts';

const MiB = 1024 * 1024;

class Connection extends EventEmitter {
  destroyed = false;
}

function settled(socket: Connection, res = new EventEmitter()) {
  const memory = createMemory({ answerBytes: 10 * MiB, bodyBytes: MiB, waitMs: 10 });
  const exchange = { method: 'GET', keyPrefix: 'hk_aaaaa', node: { req: { socket }, res } };
  const answer = { status: 200, headers: [], body: Buffer.alloc(MiB) };
  memory.settle(exchange as unknown as Exchange, answer); // nothing else is read
  return memory.answers;
}

it('an answer that waits behind another one is released with its connection: Node emits no event for the answer', () => {
  const socket = new Connection();
  const answers = settled(socket);
  expect(answers.held).toBe(MiB);
  socket.emit('close');
  expect(answers.held).toBe(0);
});

it('an answer that was sent is released, and once only', () => {
  const [socket, res] = [new Connection(), new EventEmitter()];
  const answers = settled(socket, res);
  res.emit('close');
  expect(answers.held).toBe(0);
  socket.emit('close');
  expect(answers.held).toBe(0);
});

it('an answer for a connection that has closed already holds nothing', () => {
  const socket = new Connection();
  socket.destroyed = true;
  expect(settled(socket).held).toBe(0);
});
