import type { Socket } from 'node:net';
import type { FlowControl } from '../request/batches.ts';
import type { Connections } from './connections.ts';

/** The handle through which Node reads a connection. */
interface Handle {
  reading?: boolean;
  readStart(): number;
  readStop(): number;
}

/**
 * Builds the functions that pause, resume and close connections. Node resumes reading by itself at the end of every request,
 * so that `socket.pause()` has no effect; stopping the handle below the socket has, and leaves Node's own pausing intact.
 */
export function createFlowControl(connections: Connections): FlowControl<Socket> {
  return {
    hold(socket) {
      const handle = handleOf(socket);
      if (!handle) return;
      handle.readStop();
      handle.readStart = () => 0;
    },
    release(socket) {
      const handle = handleOf(socket);
      if (!handle) return;
      Reflect.deleteProperty(handle, 'readStart');
      if (handle.reading) handle.readStart();
    },
    shed(socket) {
      connections.shed(socket);
    },
    clientOf(socket) {
      const connection = connections.table.of(socket);
      return connection === undefined ? socket : (connection.keyId ?? connection.network);
    },
  };
}

function handleOf(socket: Socket): Handle | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null ? (handle as Handle) : undefined; // every handle of a socket has these
}
