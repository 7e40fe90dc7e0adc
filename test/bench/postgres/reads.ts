import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, Pool } from 'pg';
import { startServer } from '../../store/postgres/server.ts';
import { createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, isShort } from '../harness.ts';
import {
  type Ask,
  client,
  dashboardReads,
  daySeconds,
  days,
  distanceSeconds,
  instant,
  type MeasuredRead,
  pairedTimes,
  panels,
  type Query,
  read,
  shownMs,
  startMs,
} from '../readings/dashboards.ts';

const sensors = panels;
const daysOfLongSensor = isShort ? 60 : 365;
const leastSpeed = 0.8;

const longRead = { sensor: sensors, fromSeconds: 0, toSeconds: daysOfLongSensor * daySeconds };
const longReads: readonly Omit<MeasuredRead, 'ofInflux'>[] = [
  { name: `${daysOfLongSensor} days in hours`, queries: [{ ...longRead, bucket: '1h' }] },
  { name: `${daysOfLongSensor} days in days`, queries: [{ ...longRead, bucket: '1d' }] },
];

/** Readings as dashboards read them, of a store on PostgreSQL, beside `pg` with the best statement known behind a bare server. */
export async function run(): Promise<BenchReport> {
  const server = await startServer(['shared_buffers=512MB', 'max_wal_size=4GB']);
  const plant = createPlant(server.address);
  let bare: BareReader | undefined;
  try {
    plant.importSensors(sensors + 1);
    // The first list gives each sensor its number.
    plant.hkctl(['sensors', 'list', '--entity', 'ONE']);
    await fill(server.address);
    bare = await startBareReader(server.address);
    const get = await client(plant);
    const askBare = askAt(bare.url);
    const rows: BenchRow[] = [];
    for (const measured of [...dashboardReads, ...longReads]) {
      const { ours, baseline, ratio } = await pairedTimes(measured, get, askBare);
      const bound = `>= ${leastSpeed}`;
      rows.push({
        name: measured.name,
        ours: shownMs(ours),
        baseline: shownMs(baseline),
        ratio: 1 / ratio,
        bound,
      });
    }
    return {
      title: `Readings of ${sensors} sensors in ${days} days and of one in ${daysOfLongSensor} on PostgreSQL, one each ${distanceSeconds} s`,
      baseline: 'pg behind node:http',
      rows,
    };
  } finally {
    await bare?.close();
    await plant.remove();
    await server.stop();
  }
}

/** Writes the readings straight into their table, and into the one of the bare server as one would declare it. */
async function fill(address: string): Promise<void> {
  const database = new Client({ connectionString: address });
  await database.connect();
  const fillOne = `insert into hkctl.readings (entity, series, at_us, value, quality)
    select entity, series, $2::int8 + n * $3::int8, (5000 + sum(floor(random() * 41) - 20) over (order by n)) / 100, 0
    from hkctl.series, generate_series(0, $4::int8 - 1) as n where sensor_id = $1`;
  for (let sensor = 0; sensor <= sensors; sensor++) {
    const seconds = (sensor === sensors ? daysOfLongSensor : days) * daySeconds;
    const numbers = [startMs * 1000, distanceSeconds * 1e6, seconds / distanceSeconds];
    await database.query(fillOne, [`S-${sensor}`, ...numbers]);
  }
  await database.query(`create table bare_readings (sensor text collate "C", at timestamptz, value float8, primary key (sensor, at));
    insert into bare_readings select sensor_id, timestamptz 'epoch' + at_us * interval '1 microsecond', value
      from hkctl.readings join hkctl.series using (entity, series) order by sensor_id, at_us`);
  await database.query('vacuum analyze');
  await database.end();
}

interface BareReader {
  url: string;
  close(): Promise<void>;
}

const ofSensor = 'from bare_readings where sensor = $1 and at >= $2 and at < $3';
const rawSql = `select at, value ${ofSensor} order by at`;
const bucketsSql = `select date_bin($4::interval, at, 'epoch') as start, avg(value), min(value), max(value) ${ofSensor}
  group by start order by start`;
const lastSql = `select id, last.at, last.value from hkctl.sensors left join lateral (
  select at, value from bare_readings where sensor = id order by at desc limit 1) as last on true`;

/** What the driver alone does: a bare server without keys, validation or limits, and with as many connections as it likes. */
async function startBareReader(address: string): Promise<BareReader> {
  const pool = new Pool({ connectionString: address });
  const rowsOf = async (url: string): Promise<unknown[]> => {
    const query = new URL(url, 'http://bare').searchParams;
    const range = ['sensor', 'from', 'to'].map((name) => query.get(name));
    const bucket = query.get('bucket');
    if (range[0] === null) return (await pool.query({ name: 'last', text: lastSql })).rows;
    const statement = bucket
      ? { name: 'buckets', text: bucketsSql, values: [...range, bucket] }
      : { name: 'raw', text: rawSql, values: range };
    return (await pool.query(statement)).rows;
  };
  const server = createServer((request, response) => {
    rowsOf(request.url ?? '').then(
      (rows) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: rows })),
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a listening TCP server
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
      await pool.end();
    },
  };
}

function askAt(url: string): Ask {
  const pathOf = ({ sensor, fromSeconds, toSeconds, bucket }: Query) => {
    if (sensor === undefined) return url;
    const range = `from=${instant(fromSeconds)}&to=${instant(toSeconds)}`;
    return `${url}?sensor=S-${sensor}&${range}${bucket ? `&bucket=${intervals[bucket]}` : ''}`;
  };
  return async (queries) => {
    await Promise.all(queries.map((query) => read(pathOf(query))));
  };
}

const intervals = { '1m': '1 minute', '5m': '5 minutes', '1h': '1 hour', '1d': '1 day' } as const;
