import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { toBinaryArray } from '../../../src/store/postgres/readings/writer/binary.ts';

/** What the driver alone does with the best statement known: a bare server without keys, validation, duplicates or limits. */
export interface BareServer {
  url: string;
  close(): Promise<void>;
}

interface Body {
  readings: { sensor: string; at: string; value: number }[];
}

interface Waiting {
  rows: Body['readings'];
  answer(): void;
  fail(): void;
}

const mostInGroup = 20_000;

const insert = `insert into bare_readings
  select 1, s, t, v, 0 from unnest($1::int4[], $2::int8[], $3::float8[]) as u (s, t, v) on conflict do nothing`;

/** Rows a second that two connections insert without any server before them, `size` rows in a statement. */
export async function insertRate(address: string, size: number, seconds: number): Promise<number> {
  const clients = [
    new Client({ connectionString: address }),
    new Client({ connectionString: address }),
  ];
  for (const client of clients) await client.connect();
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const run = async (client: Client) => {
    for (; performance.now() < end; count += size) {
      const second = ++lastSecond * 1_000_000;
      const values = [
        toBinaryArray('int4', size, (index) => index % 5000),
        toBinaryArray('int8', size, (index) => second + index),
        toBinaryArray('float8', size, (index) => 180 + (index % 100) / 10),
      ];
      await client.query({ name: 'insert', text: insert, values });
    }
  };
  await Promise.all(clients.map(run));
  for (const client of clients) await client.end();
  return count / seconds;
}

/** Every statement of `insertRate` has an instant of its own: nothing is a duplicate. */
let lastSecond = 0;

/** Starts it beside a store, in a table of its own; two connections write what has gathered meanwhile. */
export async function startBareServer(
  address: string,
  series: ReadonlyMap<string, number>,
): Promise<BareServer> {
  const clients = [
    new Client({ connectionString: address }),
    new Client({ connectionString: address }),
  ];
  for (const client of clients) await client.connect();
  await clients[0]?.query(`drop table if exists bare_readings; create table bare_readings (entity int not null, series int not null,
    at_us int8 not null, value float8 not null, quality int2 not null, primary key (entity, series, at_us))`);
  const idle = [...clients];
  const waiting: Waiting[] = [];
  const flush = async () => {
    const client = waiting.length > 0 ? idle.pop() : undefined;
    if (!client) return;
    // As many as one statement takes best; the rest waits for the next.
    let size = 0;
    const end = waiting.findIndex((one, index) => {
      size += one.rows.length;
      return index > 0 && size > mostInGroup;
    });
    const group = waiting.splice(0, end === -1 ? waiting.length : end);
    const rows = group.flatMap(({ rows: own }) => own);
    const at = (index: number) => rows[index] ?? { sensor: '', at: '', value: 0 };
    const values = [
      toBinaryArray('int4', rows.length, (index) => series.get(at(index).sensor) ?? 0),
      toBinaryArray('int8', rows.length, (index) => Date.parse(at(index).at) * 1000),
      toBinaryArray('float8', rows.length, (index) => at(index).value),
    ];
    await client.query({ name: 'insert', text: insert, values }).then(
      () => {
        for (const { answer } of group) answer();
      },
      () => {
        for (const { fail } of group) fail();
      },
    );
    idle.push(client);
    void flush();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { readings }: Body = JSON.parse(Buffer.concat(chunks).toString());
      const text = JSON.stringify({ accepted: readings.length, duplicates: 0, rejected: [] });
      const end = (status: number) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      waiting.push({ rows: readings, answer: () => end(200), fail: () => end(500) });
      setImmediate(flush);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a listening TCP server
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
      for (const client of clients) await client.end();
    },
  };
}
