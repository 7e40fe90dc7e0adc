import type { Socket } from 'node:net';

/** The name of a property of the handle: how often it is held. */
const holds = Symbol('holds');

/** The handle through which Node reads a connection. */
interface Handle {
  [holds]?: number;
  reading?: boolean;
  readStart(): number;
  readStop(): number;
}

/**
 * Stops reading from a connection until {@link releaseReading} was called as often as this. Node resumes reading by itself at
 * the end of every request, so that `socket.pause()` has no effect; stopping the handle below the socket has, and leaves Node's
 * own pausing intact.
 */
export function holdReading(socket: Socket): void {
  const handle = handleOf(socket);
  if (!handle) return;
  handle[holds] = (handle[holds] ?? 0) + 1;
  if (handle[holds] > 1) return;
  handle.readStop();
  handle.readStart = () => 0;
}

/** Lets Node read from a connection again, unless it is held for another reason. */
export function releaseReading(socket: Socket): void {
  const handle = handleOf(socket);
  if (!handle?.[holds]) return;
  handle[holds]--;
  if (handle[holds] > 0) return;
  Reflect.deleteProperty(handle, 'readStart');
  if (handle.reading) handle.readStart();
}

function handleOf(socket: Socket): Handle | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null ? (handle as Handle) : undefined; // every handle of a socket has these
}
