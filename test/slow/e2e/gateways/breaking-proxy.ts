import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A stretch of network between gateway and daemon that breaks. */
export interface BreakingProxy {
  readonly url: string;
  /** How many connections were cut while a request was on its way, and while an answer was. */
  readonly cuts: { inRequest: number; inAnswer: number };
  /** From now on nothing is cut any more. */
  mend(): void;
  close(): Promise<void>;
}

/**
 * Passes connections on to the port that `upstream` returns. Of three connections the first is cut within a request, the
 * second within an answer (also before its first byte, when the daemon has already committed), the third some answers later.
 */
export async function createBreakingProxy(
  upstream: () => number,
  random: (bound: number) => number,
): Promise<BreakingProxy> {
  const cuts = { inRequest: 0, inAnswer: 0 };
  const open = new Set<Socket>();
  let count = 0;
  let mended = false;

  const server = createServer((client) => {
    const daemon = connect(upstream(), '127.0.0.1');
    const kind = count++ % 3;
    // How many bytes pass before the cut; an answer to a batch has some 500 bytes, a request some thousands.
    let requestBytes = kind === 0 && !mended ? 1 + random(12_000) : Number.POSITIVE_INFINITY;
    let answerBytes =
      kind === 1 && !mended
        ? random(600)
        : kind === 2 && !mended
          ? random(6000)
          : Number.POSITIVE_INFINITY;
    const cut = () => {
      // A reset and no orderly end, as when a cable is pulled and the other side comes back without knowing.
      client.resetAndDestroy();
      daemon.resetAndDestroy();
    };
    client.on('data', (chunk) => {
      if (mended || chunk.length < requestBytes) {
        requestBytes -= chunk.length;
        daemon.write(chunk);
        return;
      }
      daemon.write(chunk.subarray(0, requestBytes));
      cuts.inRequest++;
      setImmediate(cut);
      client.pause();
    });
    daemon.on('data', (chunk) => {
      if (mended || chunk.length < answerBytes) {
        answerBytes -= chunk.length;
        client.write(chunk);
        return;
      }
      cuts.inAnswer++;
      client.write(chunk.subarray(0, answerBytes), cut);
    });
    for (const [one, other] of [
      [client, daemon],
      [daemon, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    cuts,
    mend() {
      mended = true;
    },
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
