import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import createClient from 'openapi-fetch';
import { deviations } from '../http/documented.ts';
import type { ApiPaths, Reading, ReadingBucket } from './api-types.ts';

/** An answer, read to its end. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json<T>(): T;
}

export interface Call {
  method?: string;
  secret?: string;
  /** Sent as JSON, a text as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Connections are kept alive and used again. */
  agent?: Agent;
  timeoutMs?: number;
}

/** Makes one HTTP request; rejects where the connection breaks before the answer has come whole, or is not as documented. */
export function call(
  url: string,
  { method, secret, body, headers, agent, timeoutMs = 15_000 }: Call = {},
): Promise<Answer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: method ?? (sent === undefined ? 'GET' : 'POST'),
      agent: agent ?? false,
      timeout: timeoutMs,
      headers: {
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
        ...(sent !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(sent),
        }),
        ...headers,
      },
    });
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('close', () => {
        if (!response.complete) return reject(new Error('the answer was cut off'));
        const { statusCode: status = 0, headers } = response;
        const received = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) received.append(name, value);
        }
        const target = url.replace(/^\w+:\/\/[^/]+/, '');
        const wrong = deviations(target, outgoing.method, { status, headers: received, text });
        if (wrong.length > 0)
          return reject(new Error(`${url} is not answered as documented: ${wrong.join('; ')}`));
        resolve({ status, headers, text, json: () => JSON.parse(text) });
      });
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`${url} did not answer within ${timeoutMs} ms`)),
    );
    outgoing.on('error', reject);
    outgoing.end(sent);
  });
}

/** An agent that keeps so many connections alive. */
export function keptAlive(connections = 1): Agent {
  return new Agent({ keepAlive: true, maxSockets: connections });
}

/** The API as a typed client has it: paths, parameters, bodies and answers. */
export type Api = ReturnType<typeof createApi>;

/** A client of the API at an address, with a key. */
export function createApi(
  url: string,
  secret: string,
  { agent, timeoutMs }: Pick<Call, 'agent' | 'timeoutMs'> = {},
) {
  return createClient<ApiPaths, 'application/json' | 'application/problem+json'>({
    baseUrl: url,
    headers: { authorization: `Bearer ${secret}` },
    querySerializer: { array: { style: 'form', explode: false } },
    // Over our own request, so that a test chooses the connection and sees how it broke.
    fetch: async (request) => {
      const answer = await call(request.url, {
        method: request.method,
        body: request.body === null ? undefined : await request.text(),
        headers: Object.fromEntries(request.headers),
        agent,
        timeoutMs,
      });
      return new Response(answer.text === '' ? null : answer.text, {
        status: answer.status,
        headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      });
    },
  });
}

interface Page<T> {
  data?: { data: T[]; next_cursor: string | null };
  error?: unknown;
}

/** Reads every page of a list by its cursors. */
export async function readAll<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { data: page, error } = await read(cursor);
    if (!page) throw new Error(`no page: ${JSON.stringify(error)}`);
    all.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** Reads all readings of a sensor, so many a page, on one connection. */
export async function readReadings(
  url: string,
  secret: string,
  id: string,
  limit: number,
): Promise<Reading[]> {
  const agent = keptAlive();
  const api = createApi(url, secret, { agent });
  const readings = await readAll<Reading | ReadingBucket>((cursor) =>
    api.GET('/api/v1/sensors/{id}/readings', {
      params: { path: { id }, query: { limit, cursor } },
    }),
  );
  agent.destroy();
  return readings.filter((reading): reading is Reading => 'value' in reading);
}

/** One connection on which requests are written as they are and answers read as they come. */
export class Wire {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #received = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => resolve());
    });
    // What becomes of the connection is seen from what was received.
    this.socket.on('error', () => {});
  }

  write(text: string): void {
    this.socket.write(text, 'latin1');
  }

  get received(): string {
    return this.#received;
  }

  /** The status of each answer so far, in order. */
  get statuses(): number[] {
    return [...this.#received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  }

  /** Waits for so many answers and gives the status of each; the next call looks for those after them. */
  async take(count: number): Promise<number[]> {
    for (let statuses = this.statuses; ; statuses = this.statuses) {
      if (statuses.length >= count) {
        this.#received = '';
        return statuses;
      }
      await new Promise<void>((resolve, reject) => {
        const wake = () => {
          this.socket.off('data', wake).off('close', lost);
          resolve();
        };
        const lost = () =>
          reject(
            new Error(`the connection was closed after ${statuses.length} of ${count} answers`),
          );
        this.socket.on('data', wake).on('close', lost);
      });
    }
  }

  end(): void {
    this.socket.destroy();
  }
}

/** The text of a GET with a key, as it goes over the wire. */
export function getText(path: string, secret: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
}

/** The head of a POST of JSON with a key, as it goes over the wire. */
export function postHead(path: string, secret: string, length: number): string {
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
  ];
  return `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`;
}
