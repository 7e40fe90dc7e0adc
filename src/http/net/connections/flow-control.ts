import type { Socket } from 'node:net';
import type { FlowControl } from '../../request/batches.ts';
import type { Connections } from './connections.ts';
import { holdReading, releaseReading } from './reading.ts';

/** Builds the functions that pause, resume and close connections, and that name the client of one. */
export function createFlowControl(connections: Connections): FlowControl<Socket> {
  return {
    hold: holdReading,
    release: releaseReading,
    // Node keeps the answer under way in this private property only.
    isAnswering: (socket) => Boolean(Reflect.get(socket, '_httpMessage')),
    shed(socket) {
      connections.shed(socket);
    },
    clientOf(socket) {
      const connection = connections.table.of(socket);
      return connection === undefined ? socket : (connection.keyId ?? connection.client);
    },
  };
}
