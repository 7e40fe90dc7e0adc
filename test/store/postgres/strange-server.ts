import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Something that listens where a PostgreSQL server is expected. */
export interface StrangeServer {
  port: number;
  close(): Promise<void>;
}

/** Answers each connection in its own way. */
export async function startStrangeServer(answer: (socket: Socket) => void): Promise<StrangeServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    port,
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Answers as a PostgreSQL server of an older version does, as far as the start of a connection. One without JIT does not know
 * that setting.
 */
export function answerAsOld(version: number): (socket: Socket) => void {
  return (socket) => {
    let isStarted = false;
    socket.on('data', (chunk) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message('R', int32(0)), ready]));
        return;
      }
      const setsSettings = chunk.includes('set_config');
      if (!setsSettings)
        socket.write(Buffer.concat([...row(['server_version_num'], [String(version)]), ready]));
      else if (version < 110_000) {
        const fields = 'SERROR\0C42704\0Munrecognized configuration parameter "jit"\0\0';
        socket.write(Buffer.concat([message('E', Buffer.from(fields)), ready]));
      } else {
        const names = ['version', 'standby', 'startedAt', 'readonly', 'encoding'];
        const found = row(names, [String(version), 'f', 'now', 'f', 'UTF8']);
        socket.write(Buffer.concat([...found, ready]));
      }
    });
  };
}

/** Types that are not texts, by the name of the column. */
const types: Readonly<Record<string, number>> = { version: 23, pid: 23, standby: 16, readonly: 16 };

/** The description of columns and one row of them. */
function row(names: readonly string[], values: readonly string[]): Buffer[] {
  const described = names.map((name) =>
    Buffer.concat([
      Buffer.from(`${name}\0`),
      int32(0),
      int16(0),
      int32(types[name] ?? 25),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  const data = values.map((value) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  return [
    message('T', Buffer.concat([int16(names.length), ...described])),
    message('D', Buffer.concat([int16(values.length), ...data])),
    message('C', Buffer.from('SELECT 1\0')),
  ];
}

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

/** A number of four bytes. */
function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

/** A number of two bytes. */
function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

/** The server waits for a statement. */
const ready = message('Z', Buffer.from('I'));
