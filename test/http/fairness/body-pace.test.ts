import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { BodyPace } from '../../../src/http/fairness/body-pace.ts';
import { Iterations } from '../../../src/http/fairness/iterations.ts';

const KiB = 1024;

/** Bodies, each of its own connection unless `socket` is given, of which a step has arrived. */
function begunBodies(count: number, begin: (body: IncomingMessage) => void, socket?: Socket) {
  const bodies = Array.from({ length: count }, () => new IncomingMessage(socket ?? new Socket()));
  for (const body of bodies) {
    begin(body);
    body.emit('data', Buffer.alloc(64 * KiB));
  }
  return { waiting: () => bodies.filter((body) => body.isPaused()).length };
}

it('reports every thousand small pieces of a body, whether it is wanted or not', () => {
  for (const method of ['readInSteps', 'discard'] as const) {
    const reported: unknown[] = [];
    const pace = new BodyPace(new Iterations(), (socket) => reported.push(socket));
    const req = new IncomingMessage(new Socket());
    pace[method](req);
    const bring = (pieces: number, bytes: number) => {
      for (let piece = 0; piece < pieces; piece++) req.emit('data', Buffer.alloc(bytes));
    };
    bring(1023, 1);
    bring(500, 512);
    expect(reported).toEqual([]);
    bring(1, 511);
    bring(1024, 1);
    expect(reported).toEqual([req.socket, req.socket]);
  }
});

it('reads a step of eight bodies in an iteration, however many have begun', async () => {
  const pace = new BodyPace(new Iterations(), () => {});
  const { waiting } = begunBodies(20, (body) => pace.readInSteps(body));
  expect(waiting()).toBe(20);
  for (const left of [12, 4, 0]) {
    await nextIteration();
    expect(waiting()).toBe(left);
  }
});

it('reads a step of each client in turn', async () => {
  const pace = new BodyPace(new Iterations(), () => {});
  const busy = begunBodies(20, (body) => pace.readInSteps(body), new Socket());
  const other = begunBodies(1, (body) => pace.readInSteps(body));
  await nextIteration();
  expect([busy.waiting(), other.waiting()]).toEqual([13, 0]);
});

it('drops the steps of refused bodies one after the other', async () => {
  const pace = new BodyPace(new Iterations(), () => {});
  const { waiting } = begunBodies(3, (body) => pace.discard(body));
  const seen = new Set([waiting()]);
  while (waiting() > 0) {
    await nextIteration();
    seen.add(waiting());
  }
  expect([...seen]).toEqual([3, 2, 1, 0]);
});

it('reads the rest of a body that is answered before its end, and then serves the next request', async () => {
  const length = 4 * 1024 * KiB;
  const pace = new BodyPace(new Iterations(), () => {});
  const server = createServer((req, res) => {
    if (!req.complete) pace.discard(req);
    res.end('refused');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  const client = connect(port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  let received = '';
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`);
  client.write(' '.repeat(length));
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  while (received.split('refused').length < 3) await once(client, 'data');
  expect(received.match(/refused/g)).toHaveLength(2);
});
