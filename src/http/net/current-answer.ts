import { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answer under way on a connection. Node keeps it in this private property; one of our own would cost each request more. */
export function currentAnswer(socket: Duplex): ServerResponse | undefined {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer instanceof ServerResponse ? answer : undefined;
}
