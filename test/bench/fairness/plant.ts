import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { openFile } from '../../../src/store/sqlite/connection/files.ts';
import { fillSeries } from '../../store/sqlite/readings/filled.ts';
import { longSensor } from '../attacks/reads.ts';
import { type BenchPlant, createPlant } from '../daemon.ts';

const sensorCount = 40;
const partCount = 100_000;
/** Orders have as many services as fit into a row of a few kilobytes. */
const [orderCount, servicesOfOrder] = [5_000, 25];

/** Sensors that innocent gateways send readings of. */
export const gatewaySensors = Array.from({ length: 10 }, (_, n) => `S-${n + 2}`);

/** A plant with records and readings, and a certificate. */
export interface FairnessPlant extends BenchPlant {
  tls: readonly string[];
}

/** Makes it; the readings are written straight into their file, or the tables of the database at `address`: a minute for 50,000,000. */
export async function createFairnessPlant(
  stored: number,
  address?: string,
): Promise<FairnessPlant> {
  const plant = createPlant(address);
  const site = ['--entity', 'ONE'];
  plant.hkctl(['import', 'sensors', '-', ...site, '--format', 'ndjson'], sensors());
  plant.hkctl(['import', 'parts', '-', ...site, '--format', 'ndjson'], parts());
  plant.hkctl(['import', 'orders', '-', ...site, '--format', 'ndjson'], orders());
  // The first look at the sensors gives them their numbers.
  plant.hkctl(['sensors', 'list', ...site, '--json']);
  if (address === undefined) fill(join(plant.folder, 'hkctl.readings.db'), stored);
  else await fillDatabase(address, stored);
  const [tlsKey, tlsCert] = ['tls.key', 'tls.crt'].map((name) => join(plant.folder, name)) as [
    string,
    string,
  ]; // two of two
  const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  const paths = ['-subj', '/CN=bench', '-keyout', tlsKey, '-out', tlsCert];
  execFileSync('openssl', [...options.split(' '), ...paths], { stdio: 'pipe' });
  return { ...plant, tls: ['--tls-cert', tlsCert, '--tls-key', tlsKey] };
}

function sensors(): string {
  const rows = Array.from({ length: sensorCount }, (_, n) => ({
    id: `S-${n + 1}`,
    code: `S-${n + 1}`,
    unit: 'Cel',
  }));
  return rows.map((row) => JSON.stringify({ ...row, name: row.code, is_active: true })).join('\n');
}

function parts(): string {
  return Array.from({ length: partCount }, (_, n) =>
    JSON.stringify({
      id: `P-${n}`,
      name: `Part ${n}`,
      part_number: `PN-${n}`,
      is_active: n % 50 !== 0,
      // Never where it is inactive: looked for together, they are found nowhere.
      category: `Category ${n % 50 === 0 ? 0 : n % 2}`,
      description: 'Cast housing, machined, with two bearing seats',
      unit: '{piece}',
    }),
  ).join('\n');
}

function orders(): string {
  const services = Array.from({ length: servicesOfOrder }, (_, n) => ({
    row_id: `SVC-${String(n + 1).padStart(2, '0')}`,
    service_code: 'ANNEAL-S',
    description: 'Stress-relief annealing, 4 h at 600 degrees, with a certificate for each batch',
    quantity: n + 1,
    unit_price: 12.5,
  }));
  return Array.from({ length: orderCount }, (_, n) =>
    JSON.stringify({ id: `O-${n}`, order_number: `SO-${n}`, status: 'in_progress', services }),
  ).join('\n');
}

/** The time between two readings from 2010 on: of the sensor of years ten seconds; those of another one fill a year. */
function distanceUs(sensor: string, stored: number): number {
  const secondsOfYear = 365 * 86_400;
  if (sensor === longSensor) return 1e7;
  return Math.floor(secondsOfYear / shareOf(sensor, stored)) * 1e6;
}

function fill(file: string, stored: number): void {
  const connection = openFile(file, { busyTimeoutMs: 5000, create: false });
  connection.pragma('synchronous = off');
  const numbers = connection
    .prepare<[], { sensor: string; series: number }>(
      'select sensor_id as sensor, series from series order by series',
    )
    .all();
  for (const { sensor, series } of numbers) {
    const share = Math.floor(shareOf(sensor, stored));
    const distance = distanceUs(sensor, stored);
    fillSeries(connection, series, share, (i) => [
      1_262_304_000_000_000 + i * distance,
      20 + (i % 1000) * 0.123,
      i % 4,
    ]);
  }
  connection.pragma('wal_checkpoint(truncate)');
  connection.close();
}

/** The same readings in the tables of a database. */
async function fillDatabase(address: string, stored: number): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query<{ entity: number; series: number; sensor: string }>(
    'select entity, series, sensor_id as sensor from hkctl.series order by series',
  );
  const insert = `insert into hkctl.readings (entity, series, at_us, value, quality)
    select $1, $2, 1262304000000000 + i * $4::int8, 20 + (i % 1000) * 0.123, i % 4 from generate_series(0, $3::int8 - 1) as i`;
  for (const { entity, series, sensor } of rows) {
    const share = Math.floor(shareOf(sensor, stored));
    await client.query(insert, [entity, series, share, distanceUs(sensor, stored)]);
  }
  await client.query('vacuum analyze');
  await client.end();
}

/** A fifth of all readings are of one sensor, over years; the others share the rest. */
function shareOf(sensor: string, stored: number): number {
  return sensor === longSensor ? stored / 5 : (stored * 4) / 5 / (sensorCount - 1);
}
