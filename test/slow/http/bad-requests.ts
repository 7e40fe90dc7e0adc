import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a bad request may be answered with; 0 stands for a connection that was closed without an answer, as for CONNECT. */
export const documentedStatuses: ReadonlySet<number> = new Set([
  0, 200, 304, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 503,
]);

/**
 * Sends wrong requests over one connection, one after the other and each unlike the one before: wrong keys, headers,
 * queries, bodies, what is no HTTP at all, each as if from another address behind a proxy.
 */
export class BadClient {
  readonly #port: number;
  readonly #secret: string;
  readonly #firstAddress: number;
  readonly #addresses: number;
  #count = 0;
  #socket: Socket | undefined;
  #answered: ((status: number) => void) | undefined;
  #received = '';

  /** `number` distinguishes it from other clients: each claims `addresses` of its own, one after the other. */
  constructor(url: string, secret: string, number: number, addresses: number) {
    this.#port = Number(new URL(url).port);
    this.#secret = secret;
    this.#firstAddress = number * addresses;
    this.#addresses = addresses;
  }

  /** Sends the next one and gives the status of its answer; 0 where the connection was closed without one. */
  next(): Promise<number> {
    const n = this.#count++;
    const make = kinds[n % kinds.length] ?? notHttp;
    const bytes = make({
      n,
      secret: this.#secret,
      from: addressOf(this.#firstAddress + (n % this.#addresses)),
    });
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`no answer to:\n${bytes.toString().slice(0, 500)}`)),
        20_000,
      );
      this.#received = '';
      this.#answered = (status) => {
        clearTimeout(late);
        this.#answered = undefined;
        resolve(status);
      };
      this.#socket ??= this.#open();
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    socket.on('data', (chunk: Buffer) => this.#take(chunk, socket));
    // What became of it shows in what was received.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#answered?.(statusOf(this.#received));
    });
    return socket;
  }

  #take(chunk: Buffer, socket: Socket): void {
    this.#received += chunk.toString('latin1');
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#received.slice(0, end).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    // The daemon closes after what it could not read; what follows needs a connection of its own.
    if (head.includes('connection: close') || statusOf(head.toUpperCase()) === 413) {
      this.#socket = undefined;
      socket.destroy();
    }
    this.#answered?.(statusOf(this.#received));
  }
}

function statusOf(received: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
}

interface Bad {
  n: number;
  secret: string;
  /** The address it says to be from. */
  from: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Letters that are other ones for each number. */
function letters(n: number, length: number): string {
  let state = (n + 1) * 2_654_435_761;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[state % 62];
  }
  return text;
}

function addressOf(number: number): string {
  return `${10 + (number >>> 24)}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

function get({ from }: Bad, path: string, ...headers: string[]): Buffer {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: a', `X-Forwarded-For: ${from}`, ...headers];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function post(bad: Bad, path: string, body: string | Buffer, ...headers: string[]): Buffer {
  const bytes = Buffer.from(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `X-Forwarded-For: ${bad.from}`,
    key(bad),
    ...headers,
  ];
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${bytes.length}\r\n\r\n`),
    bytes,
  ]);
}

const key = ({ secret }: Bad) => `Authorization: Bearer ${secret}`;
const json = 'Content-Type: application/json';
const readings = '/api/v1/sensors/readings';

const notHttp = ({ n }: Bad) => Buffer.from(`${letters(n, 20)}\r\nnonsense\x00\r\n\r\n`, 'latin1');

/** Each kind takes its turn; those of keys more often, since they are what an attacker sends. */
const kinds: readonly ((bad: Bad) => Buffer)[] = [
  (bad) => get(bad, '/api/v1/me', `Authorization: Bearer hk_${letters(bad.n, 49)}`),
  (bad) => get(bad, '/api/v1/parts', `Authorization: Bearer ${letters(bad.n, 1 + (bad.n % 3000))}`),
  (bad) => get(bad, `/api/v1/parts/${letters(bad.n, 12)}`, key(bad)),
  (bad) => get(bad, '/api/v1/me', `Authorization: Basic ${letters(bad.n, 40)}`),
  (bad) => get(bad, `/api/v1/parts?${letters(bad.n, 8)}=${letters(bad.n + 1, 30)}`, key(bad)),
  (bad) => get(bad, `/api/v1/parts?part_number=${letters(bad.n, 20)}`, key(bad)),
  (bad) => get(bad, `/api/v1/parts?cursor=${letters(bad.n, 60)}`, key(bad)),
  (bad) => get(bad, `/${letters(bad.n, 30)}`),
  (bad) =>
    get(
      bad,
      '/api/v1/me',
      `Authorization: Bearer hk_${letters(bad.n, 49)}`,
      `${letters(bad.n, 10)}: ${letters(bad.n, 200)}`,
    ),
  (bad) =>
    get(
      bad,
      '/api/v1/me',
      key(bad),
      `If-None-Match: "${letters(bad.n, 22)}"`,
      `Accept-Encoding: ${letters(bad.n, 9)};q=x`,
    ),
  (bad) =>
    post(
      bad,
      readings,
      `{"readings":[{"sensor":"${letters(bad.n, 10)}","at":${bad.n},"value":1}]}`,
      json,
    ),
  (bad) =>
    post(
      bad,
      readings,
      `{"readings":[{"sensor":"OVEN","at":"${letters(bad.n, 10)}","value":"x"}]}`,
      json,
    ),
  (bad) => post(bad, readings, `{"readings": ${letters(bad.n, 100)}`, json),
  (bad) => post(bad, readings, `{"__proto__":{"${letters(bad.n, 5)}":1},"readings":[]}`, json),
  (bad) =>
    post(bad, readings, letters(bad.n, 50), `Content-Type: application/${letters(bad.n, 12)}`),
  (bad) =>
    post(
      bad,
      readings,
      gzipSync(letters(bad.n, 300)).subarray(0, -9),
      json,
      'Content-Encoding: gzip',
    ),
  (bad) => post(bad, `/api/v1/sensors/heartbeats?${letters(bad.n, 6)}`, '{"heartbeats":[]}', json),
  (bad) => post(bad, `/api/v1/${letters(bad.n, 9)}`, letters(bad.n, 500), json),
  (bad) => get(bad, `/api/v1/sensors/${letters(bad.n, 12)}/readings?limit=100000`, key(bad)),
  (bad) => get(bad, '/api/v1/me', `Authorization: Bearer hk_${letters(bad.n, 20)}`),
  (bad) => (bad.n % 40 === 20 ? notHttp(bad) : get(bad, '/api/v1/me')),
  (bad) =>
    get(
      bad,
      `/api/v1/../${letters(bad.n, 9)}`,
      ...(bad.n % 44 === 21 ? [key(bad)] : [`X: ${letters(bad.n, 9)}`]),
    ),
  (bad) => get(bad, '/api/v1/me', `X: ${letters(bad.n, bad.n % 110 === 22 ? 20_000 : 100)}`),
];
