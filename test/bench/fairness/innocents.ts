import { type Agent, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import type { Target } from '../attacks/flood.ts';

/** What innocent clients saw in a stretch of time. */
export interface Experience {
  /** Requests that were answered with 200, a second. */
  answered: number;
  /** From the instant at which a request was due to the end of its answer; what got none counts until it was given up. */
  me: Delays;
  ingest: Delays;
  /** What went wrong, and how often. */
  failures: ReadonlyMap<string, number>;
}

export interface Delays {
  p50: number;
  p99: number;
  max: number;
}

/** Keys and sensors of the innocent, and where they send from: not the address of the attacker. */
export interface Innocents {
  target: Omit<Target, 'key'>;
  /** Each asks so seldom that no limit is near. */
  keys: readonly string[];
  gatewayKey: string;
  sensors: readonly string[];
}

/** An open loop: requests go out at these rates, however long the answers take. */
export const mePerSecond = 200;
export const postsPerSecond = 20;
export const readingsPerPost = 20;

/** So long an innocent waits for an answer before it counts as none. */
const givenUpMs = 10_000;
/** Connections of its own for each, as separate gateways and services have. */
const localAddress = '127.0.0.2';

let lastAtMs = Date.UTC(2001, 0, 1);

/** Lets innocent clients ask for so many seconds, and reports what they saw. */
export async function experience(innocents: Innocents, seconds: number): Promise<Experience> {
  const { keys, gatewayKey, sensors, target } = innocents;
  const agent = target.tls
    ? new TlsAgent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false })
    : new PlainAgent({ keepAlive: true, maxSockets: 64 });
  const failures = new Map<string, number>();
  let answered = 0;
  const timed = async (
    delays: number[],
    dueAt: number,
    send: () => Promise<string>,
  ): Promise<void> => {
    const outcome = await send();
    delays.push(performance.now() - dueAt);
    if (outcome === '200') answered++;
    else failures.set(outcome, (failures.get(outcome) ?? 0) + 1);
  };
  const me: number[] = [];
  const ingest: number[] = [];
  const [asked] = await Promise.all([
    openLoop(mePerSecond, seconds, (n, dueAt) =>
      timed(me, dueAt, () => send(target, agent, 'GET', '/api/v1/me', keys[n % keys.length] ?? '')),
    ),
    openLoop(postsPerSecond, seconds, (_, dueAt) =>
      timed(ingest, dueAt, () =>
        send(target, agent, 'POST', '/api/v1/sensors/readings', gatewayKey, batch(sensors)),
      ),
    ),
  ]);
  agent.destroy();
  return { answered: answered / asked, me: delaysOf(me), ingest: delaysOf(ingest), failures };
}

/** Calls at a fixed rate and waits for all of it; resolves with the seconds for which it called. */
async function openLoop(
  perSecond: number,
  seconds: number,
  call: (n: number, dueAt: number) => Promise<void>,
) {
  const startedAt = performance.now();
  const calls: Promise<void>[] = [];
  const total = perSecond * seconds;
  while (calls.length < total) {
    const due = Math.min(
      total,
      Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1,
    );
    while (calls.length < due)
      calls.push(call(calls.length, startedAt + (calls.length * 1000) / perSecond));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(calls);
  return seconds;
}

function send(
  { host, port, tls }: Omit<Target, 'key'>,
  agent: Agent,
  method: string,
  path: string,
  key: string,
  body?: string,
): Promise<string> {
  const type =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve) => {
    const options = { host, port, path, method, agent, localAddress, timeout: givenUpMs };
    const headers = { authorization: `Bearer ${key}`, ...type };
    const outgoing = (tls ? requestTls : requestPlain)({ ...options, headers }, (response) => {
      response.on('end', () => resolve(String(response.statusCode))).resume();
      response.on('error', () => resolve('cut off'));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', (error) =>
      resolve(`error: ${'code' in error ? error.code : error.message}`),
    );
    outgoing.end(body);
  });
}

/** New readings each time, in order of time. */
function batch(sensors: readonly string[]): string {
  const readings = Array.from({ length: readingsPerPost }, (_, n) => ({
    sensor: sensors[n % sensors.length],
    at: ++lastAtMs,
    value: n / 7,
  }));
  return JSON.stringify({ readings });
}

function delaysOf(ms: number[]): Delays {
  const sorted = ms.sort((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
