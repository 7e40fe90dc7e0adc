import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/http/request/exchange.ts';
import { createMemory } from '../../../src/http/request/memory.ts';

const MiB = 1024 * 1024;

function settled(socket: { destroyed: boolean }, res = new EventEmitter()) {
  const memory = createMemory({ answerBytes: 10 * MiB, bodyBytes: MiB, waitMs: 10 });
  const exchange = { method: 'GET', keyPrefix: 'hk_aaaaa', node: { req: { socket }, res } };
  const answer = { status: 200, headers: [], body: Buffer.alloc(MiB) };
  memory.reserveAnswer(exchange as unknown as Exchange, answer); // nothing else is read
  return memory.answers;
}

it('an answer is released once it was sent, or its connection has closed', () => {
  const res = new EventEmitter();
  const answers = settled({ destroyed: false }, res);
  expect(answers.held).toBe(MiB);
  res.emit('close');
  expect(answers.held).toBe(0);
});

it('an answer for a connection that has closed already holds nothing', () => {
  expect(settled({ destroyed: true }).held).toBe(0);
});
