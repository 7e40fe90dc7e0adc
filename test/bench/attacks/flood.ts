import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where an attack goes: a daemon on this machine, and the key that the attacker has. */
export interface Target {
  host: string;
  port: number;
  tls: boolean;
  key: string;
}

/** An attack, which goes on until it is aborted and then resolves with every connection of its own closed. */
export type Attack = (target: Target, signal: AbortSignal) => Promise<void>;

/** What an attacker does with one connection, once it is open; what it starts must end when the socket closes. */
export type Play = (socket: Socket, index: number) => void;

/** So long a lost connection stays lost: an attacker that reconnects in a tight loop measures only itself. */
const reconnectMs = 20;
/** So many connections are opened at once; more would overflow the queue of the listening socket. */
const openedAtOnce = 100;

export interface Flood {
  /** How many connections are held. */
  connections: number;
  play: Play;
  /** Without a handshake even where the target speaks TLS. */
  raw?: boolean;
}

/** Holds some connections, plays the same on each and opens lost ones again, until it is aborted. */
export async function flood(
  target: Target,
  signal: AbortSignal,
  { connections, play, raw }: Flood,
): Promise<void> {
  const open = new Map<number, Socket>();
  const lostAt = new Map<number, number>();
  const start = (index: number): void => {
    const socket = openSocket(target, raw === true, () => play(socket, index));
    open.set(index, socket);
    socket.once('close', () => {
      open.delete(index);
      lostAt.set(index, Date.now());
    });
  };
  while (!signal.aborted) {
    let opened = 0;
    for (let index = 0; index < connections && opened < openedAtOnce; index++) {
      if (open.has(index) || Date.now() - (lostAt.get(index) ?? 0) < reconnectMs) continue;
      start(index);
      opened++;
    }
    await pauseOrAbort(signal, reconnectMs);
  }
  for (const socket of open.values()) socket.destroy();
}

function openSocket({ host, port, tls }: Target, isRaw: boolean, isOpen: () => void): Socket {
  const socket =
    tls && !isRaw
      ? connectTls({ host, port, rejectUnauthorized: false }, isOpen)
      : connectPlain({ host, port, allowHalfOpen: true }, isOpen);
  socket.setNoDelay(true);
  // A connection that the target cuts off is what an attacker expects; it is opened again.
  socket.on('error', () => {});
  return socket;
}

/** Writes the same bytes again as soon as the target has taken them, and throws away what it answers. */
export function writeForever(socket: Socket, bytes: string | Buffer): void {
  socket.resume();
  const next = (): void => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', next);
  next();
}

/** Sends a request, waits for its whole answer by its Content-Length, and sends the next. */
export function askForever(socket: Socket, request: string | Buffer): void {
  let received = '';
  let missing = 0;
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) missing -= chunk.length;
    else {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
      missing = length - (received.length - end - 4);
    }
    if (missing > 0) return;
    received = '';
    missing = 0;
    socket.write(request);
  });
  socket.on('end', () => socket.destroy());
  socket.write(request);
}

/** Writes a piece now and then, for as long as the connection is open. */
export function drip(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

function pauseOrAbort(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
