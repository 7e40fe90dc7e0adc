import type { BenchPlant } from '../daemon.ts';
import { isShort, paired } from '../harness.ts';
import { load } from '../load/load.ts';

/** One reading each ten seconds of each sensor. */
export const distanceSeconds = 10;
export const daySeconds = 86_400;
export const days = isShort ? 10 : 30;
export const startMs = Date.UTC(2025, 0, 1);
export const rounds = isShort ? 5 : 15;
/** The first reads of a kind measure the compiler of V8: a day in 5 minutes takes 5 ms up to the twentieth, then 3. */
const warmUpMs = 1000;
export const panels = 20;
/** Where the panels begin: in the middle of what is stored. */
const middle = Math.floor(days / 2) * daySeconds;

/** What is read: the part of the time, and how long a bucket is. */
export interface Query {
  /** Undefined for the newest reading of each sensor. */
  sensor: number | undefined;
  fromSeconds: number;
  toSeconds: number;
  bucket?: '1m' | '5m' | '1h' | '1d';
}

type Ask = (queries: readonly Query[]) => Promise<void>;

export interface MeasuredRead {
  name: string;
  queries: readonly Query[];
  /** Of InfluxDB's time at most. */
  ofInflux: number;
  /** So short that `fetch` would take as long: asked for by the client in C, and not in the short form. */
  isBrief?: boolean;
  /** Whether hkctl is asked in one request. */
  isOne?: boolean;
}

const whole = { sensor: 7, fromSeconds: 0, toSeconds: days * daySeconds };
const oneDay = { sensor: 7, fromSeconds: middle, toSeconds: middle + daySeconds };
const panelQueries = Array.from({ length: panels }, (_, sensor): Query => {
  const toSeconds = middle + 6 * 3600;
  return { sensor, fromSeconds: middle, toSeconds, bucket: '1m' };
});
/** The reads of a dashboard. */
export const dashboardReads: readonly MeasuredRead[] = [
  { name: 'a day, raw', queries: [oneDay], ofInflux: 0.5 },
  {
    name: 'a day in 5 minutes',
    queries: [{ ...oneDay, bucket: '5m' }],
    ofInflux: 0.3,
    isBrief: true,
  },
  {
    name: `${days} days in hours`,
    queries: [{ ...whole, bucket: '1h' }],
    ofInflux: 0.1,
    isBrief: true,
  },
  { name: `${days} days, raw`, queries: [whole], ofInflux: 0.45 },
  {
    name: 'last value of every sensor',
    queries: [{ ...whole, sensor: undefined }],
    ofInflux: 0.2,
  },
  { name: `${panels} panels of 6 hours in 1 minute, at once`, queries: panelQueries, ofInflux: 1 },
  {
    name: 'the same panels in one request of hkctl',
    queries: panelQueries,
    ofInflux: 0.5,
    isOne: true,
  },
];

type Get = (path: string) => Promise<Response>;

/** The API of a daemon, with a key for it. */
export interface Api {
  url: string;
  headers: Record<string, string>;
  get: Get;
}

export async function apiOf(plant: BenchPlant): Promise<Api> {
  const secret = plant.key('operational-core');
  const url = `${await plant.serve()}/api/v1`;
  // Without compression, which fetch would ask for.
  const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' };
  const get: Get = async (path) => {
    const answer = await fetch(`${url}${path}`, { headers });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer;
  };
  return { url, headers, get };
}

export const instant = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();

const parametersOf = ({ fromSeconds, toSeconds, bucket }: Query) => {
  const range = `from=${instant(fromSeconds)}&to=${instant(toSeconds)}&limit=100000`;
  return bucket ? `${range}&bucket=${bucket}&agg=avg,min,max` : range;
};

const pathOf = (query: Query) =>
  query.sensor === undefined
    ? '/sensors?limit=500'
    : `/sensors/S-${query.sensor}/readings?${parametersOf(query)}`;

/** Reads all pages of a path. */
async function readAll(get: Get, path: string): Promise<void> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await get(`${path}${cursor}`);
    await answer.arrayBuffer();
    const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(answer.headers.get('link') ?? '');
    cursor = next ? `&cursor=${next[1]}` : null;
  }
}

function askEach(get: Get): Ask {
  return async (queries) => {
    await Promise.all(queries.map((query) => readAll(get, pathOf(query))));
  };
}

function askInOne(get: Get): Ask {
  return ([first, ...others]) => {
    if (!first) throw new Error('nothing is asked for');
    const names = [first, ...others].map(({ sensor }) => `S-${sensor}`).join(',');
    return readAll(get, `/readings?sensor=${names}&${parametersOf(first)}`);
  };
}

/** The times of a read, and those of a peer by turns, which has an address for each query. */
export function pairedTimes(
  { queries, isOne, isBrief }: MeasuredRead,
  { url, headers, get }: Api,
  peerUrl: (query: Query) => string,
): ReturnType<typeof paired> {
  const [firstQuery] = queries;
  if (isBrief && firstQuery) {
    const ours = { url: `${url}${pathOf(firstQuery)}`, headers };
    return warmPaired(
      () => briefMs(ours),
      () => briefMs({ url: peerUrl(firstQuery) }),
    );
  }
  const ask = isOne ? askInOne(get) : askEach(get);
  return warmPaired(
    () => timed(() => ask(queries)),
    () => timed(() => Promise.all(queries.map((query) => read(peerUrl(query))))),
  );
}

async function warmPaired(ours: () => Promise<number>, peers: () => Promise<number>) {
  await warmUp(() => Promise.all([ours(), peers()]));
  return paired(rounds, ours, peers);
}

async function briefMs(target: { url: string; headers?: Record<string, string> }) {
  return (await load({ ...target, connections: 1, seconds: 0.3 })).p50Ms;
}

/** Repeats a task for a while. */
export async function warmUp(task: () => Promise<unknown>): Promise<void> {
  for (const endMs = performance.now() + warmUpMs; performance.now() < endMs; ) await task();
}

export const shownMs = (ms: number): string => `${ms.toFixed(1)} ms`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

async function read(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
