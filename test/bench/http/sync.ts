import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { type BenchPlant, createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, paired } from '../harness.ts';

const many = 1_000_000;
const changed = 1000;
const rounds = 200;

/** What a mirror of 1,000,000 parts costs on one connection: the full list, a call when nothing has changed, and a few changes. */
export async function run(): Promise<BenchReport> {
  const plant = createPlant();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    importParts(plant, 0, many, 'C');
    const create = [
      'keys',
      'create',
      '--name',
      'mirror',
      '--entity',
      'ONE',
      '--preset',
      'operational-core',
    ];
    const secret = plant.hkctl(create).trim();
    const url = `${await plant.serve()}/api/v1/parts`;
    const call = (query: string, headers = {}) =>
      answer(agent, `${url}?${query}`, { authorization: `Bearer ${secret}`, ...headers });

    const full = await mirror(call, 'limit=500');
    if (full.records !== many) throw new Error(`the mirror has ${full.records} records`);
    const etag = (await call('limit=500')).headers.etag ?? '';
    const empty = async () => {
      const { text, status } = await call(`limit=500&sync_token=${full.token}`);
      if (status !== 200 || !text.includes('"data":[]'))
        throw new Error(`the sync is not empty: ${status}`);
    };
    const unchanged = async () => {
      const { status } = await call('limit=500', { 'if-none-match': etag });
      if (status !== 304) throw new Error(`no 304, but ${status}`);
    };
    for (const work of [empty, unchanged]) for (let n = 0; n < rounds; n++) await work();
    const { ours, baseline, ratio } = await paired(rounds, timed(empty), timed(unchanged));
    const micros = (ms: number) => `${(ms * 1000).toFixed(0)} µs`;
    const rows: BenchRow[] = [
      {
        name: 'nothing has changed',
        ours: micros(ours),
        baseline: micros(baseline),
        ratio,
        bound: '<= 1.2',
      },
    ];
    importParts(plant, 0, changed, 'D');
    const few = await mirror(call, `limit=500&sync_token=${full.token}`);
    if (few.records !== changed) throw new Error(`the sync has ${few.records} records`);
    const seconds = ({ ms, calls }: Mirror) => `${(ms / 1000).toFixed(3)} s, ${calls} calls`;
    rows.push({
      name: 'the full list',
      ours: seconds(full),
      baseline: '',
      ratio: null,
      bound: null,
    });
    rows.push({
      name: `${changed} changes`,
      ours: seconds(few),
      baseline: '',
      ratio: null,
      bound: null,
    });
    return {
      title: `A mirror of ${many / 1_000_000} million parts, pages of 500, one connection`,
      baseline: '304',
      rows,
    };
  } finally {
    agent.destroy();
    await plant.remove();
  }
}

function importParts(plant: BenchPlant, from: number, count: number, revision: string): void {
  const head = 'id,name,part_number,is_active,revision,description\n';
  let rows = head;
  for (let n = from; n < from + count; n++) {
    rows += `P-${String(n).padStart(7, '0')},Part ${n},PN-${n},true,${revision},"Cast housing, with two bearing seats"\n`;
  }
  plant.hkctl(['import', 'parts', '-', '--entity', 'ONE', '--format', 'csv'], rows);
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Mirror {
  records: number;
  calls: number;
  ms: number;
  token: string;
}

/** Reads all pages, as a client of hkctl-api(7) does. */
async function mirror(call: (query: string) => Promise<Answer>, query: string): Promise<Mirror> {
  const read = { records: 0, calls: 0, token: '' };
  const beforeMs = performance.now();
  for (let next: string | null = ''; next !== null; ) {
    const { status, text } = await call(next === '' ? query : `${query}&cursor=${next}`);
    if (status !== 200) throw new Error(text);
    const page: { data: unknown[]; next_cursor: string | null; sync_token: string | null } =
      JSON.parse(text);
    read.records += page.data.length;
    read.calls++;
    read.token = page.sync_token ?? '';
    next = page.next_cursor;
  }
  return { ...read, ms: performance.now() - beforeMs };
}

function timed(work: () => Promise<void>): () => Promise<number> {
  return async () => {
    const beforeMs = performance.now();
    await work();
    return performance.now() - beforeMs;
  };
}

function answer(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    }).on('error', reject);
  });
}
