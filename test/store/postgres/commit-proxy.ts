import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What happens to a commit whose answer is lost: the server never gets it, gets it as the last thing of the connection, or has
 * answered it; `gone` as that, and nobody reaches the server afterwards; `waiting` while the server itself waits, as for a standby.
 */
export type Loss = 'before' | 'forwarded' | 'after' | 'gone' | 'waiting';

/** A stretch of network in front of a PostgreSQL server that loses the answer to one commit. */
export interface CommitProxy {
  /** The same address by way of the proxy. */
  through(address: string): string;
  /** Loses the answer to the commit of this number from now on, the first is 0; undefined = none. */
  lose(loss: Loss | undefined, number?: number): void;
  /** The number of commits since then: those that were sent as such, and those that were answered, single statements too. */
  readonly counts: { sent: number; answered: number };
  /** Whether an answer was lost since then. */
  readonly hasLost: boolean;
  close(): Promise<void>;
}

const name = '.s.PGSQL.5432';

/** Starts it before the server whose sockets are in a folder. */
export async function createCommitProxy(sockets: string): Promise<CommitProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-commit-'));
  const open = new Set<Socket>();
  const state = {
    loss: undefined as Loss | undefined,
    number: 0,
    sent: 0,
    answered: 0,
    hasLost: false,
  };
  const isMeant = (count: number) =>
    state.loss !== undefined && !state.hasLost && count === state.number;

  const proxy = createServer((client) => {
    if (state.hasLost && state.loss === 'gone') {
      client.destroy();
      return;
    }
    const server = connect(join(sockets, name));
    const cut = () => {
      for (const socket of [client, server]) socket.destroy();
    };
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        open.delete(socket);
        cut();
      });
    }
    client.on('data', (chunk) => {
      const isCommit = chunk[0] === 0x51 && chunk.toString('latin1').endsWith('commit\0');
      if (isCommit && isMeant(state.sent++) && state.loss !== 'after' && state.loss !== 'gone') {
        state.hasLost = true;
        if (state.loss === 'before') return cut();
        // The server gets all of it, and an end of the connection behind it.
        server.end(chunk, () => client.destroy());
        return;
      }
      server.write(chunk);
    });
    const isLost = () => {
      if (!isMeant(state.answered++) || (state.loss !== 'after' && state.loss !== 'gone'))
        return false;
      state.hasLost = true;
      return true;
    };
    server.on(
      'data',
      answers((messages, isCommit) => {
        if (isCommit && isLost()) cut();
        else client.write(messages);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(join(folder, name), resolve));
  return {
    through: (address) => address.replace(/host=[^&]*/, `host=${encodeURIComponent(folder)}`),
    lose(loss, number = 0) {
      Object.assign(state, { loss, number, sent: 0, answered: 0, hasLost: false });
    },
    get counts() {
      return { sent: state.sent, answered: state.answered };
    },
    get hasLost() {
      return state.hasLost;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const writing = /^(COMMIT|INSERT|UPDATE|DELETE|COPY)/;

/** Passes on whole messages of a server; the completion of a statement that writes together with what tells that it was committed. */
function answers(pass: (messages: Buffer, isCommit: boolean) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let held: Buffer[] = [];
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const passed: Buffer[] = [];
    for (let end = endOf(rest); end !== undefined; end = endOf(rest)) {
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = String.fromCharCode(message[0] ?? 0);
      const text = message.subarray(5).toString('latin1');
      if (held.length === 0 && !(type === 'C' && writing.test(text))) {
        passed.push(message);
        continue;
      }
      held.push(message);
      if (type !== 'Z') continue;
      if (passed.length > 0) pass(Buffer.concat(passed.splice(0)), false);
      // Idle: the statement was a transaction of its own, or the end of one.
      pass(Buffer.concat(held), text === 'I');
      held = [];
    }
    if (passed.length > 0) pass(Buffer.concat(passed), false);
  };
}

function endOf(bytes: Buffer): number | undefined {
  if (bytes.length < 5) return undefined;
  const end = 1 + bytes.readUInt32BE(1);
  return bytes.length < end ? undefined : end;
}
