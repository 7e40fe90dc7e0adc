import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A property of the socket, since every request writes it and a map would be slower. */
const answer = Symbol('answer');
interface Tagged {
  [answer]?: ServerResponse;
}

/** Notes that the answer to a request is the next one on its connection. */
export function noteAnswer(response: ServerResponse): void {
  const { socket } = response;
  if (socket) (socket as Tagged)[answer] = response;
}

/** The answer under way on a connection: Node takes the socket away from one that was sent. */
export function currentAnswer(socket: Duplex): ServerResponse | undefined {
  const found = (socket as Tagged)[answer];
  return found?.socket ? found : undefined;
}
