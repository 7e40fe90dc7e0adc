import { createPlant } from './daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, load, paired } from './harness.ts';
import { startInflux } from './influx.ts';

/** Readings a POST, and how much of InfluxDB's rate is asked for. */
const sizes = [
  { size: 1, floor: 1.1 },
  { size: 10, floor: 0.4 },
  { size: 100, floor: 0.4 },
  { size: 1000, floor: 0.6 },
  { size: 5000, floor: 0.75 },
] as const;

const sensorCount = 50;
const sensorsInBody = 10;
const connections = 32;
const seconds = 3;
const rounds = 3;

/**
 * Ingest over HTTP, each answer after the readings are synced to disk, against InfluxDB in the same run: 32 connections,
 * 50 sensors, up to 10 of them by turns in a body, every reading new.
 */
export async function run(): Promise<BenchReport> {
  const title = `Ingest, readings/s at 32 connections, answered after fsync (medians of ${rounds} paired runs)`;
  if (!hasProgram('wrk') || !hasProgram('influxd')) {
    const note = "skipped: it needs wrk and InfluxDB 1.6 (Debian's packages wrk and influxdb)";
    return { title, baseline: 'InfluxDB', rows: [], notes: [note] };
  }
  const plant = createPlant();
  const influx = await startInflux();
  try {
    plant.hkctl(['import', 'sensors', '-', '--entity', 'ONE', '--format', 'csv'], sensorsCsv());
    const create = ['keys', 'create', '--name', 'gateway', '--entity', 'ONE', '--preset', 'sensor-gateway'];
    const secret = plant.hkctl(create).trim();
    const url = `${await plant.serve()}/api/v1/sensors/readings`;
    const rows: BenchRow[] = [];
    let errors = 0;
    for (const { size, floor } of sizes) {
      let start = Date.UTC(2001, 0, 1) / 1000 + size * 40_000;
      const measure = (request: { url: string; headers?: Record<string, string>; body: BodyShape }) => async () => {
        // Another stretch of time for every run: nothing is a duplicate.
        start += 2_000_000;
        const script = scriptOf(request.body, size, start);
        const result = await load({ ...request, seconds, connections, script });
        errors += result.errors;
        return result.requestsPerSecond * size;
      };
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const hkctl = measure({ url, headers, body: jsonBody });
      const influxdb = measure({ url: influx.writeUrl, body: lineBody });
      // Both sides are warm when the first figure is taken.
      if (rows.length === 0) for (const warmUp of [hkctl, influxdb]) await warmUp();
      const { ours, baseline, ratio } = await paired(rounds, hkctl, influxdb);
      rows.push({
        name: `${size} a POST`,
        ours: Math.round(ours).toLocaleString('en'),
        baseline: Math.round(baseline).toLocaleString('en'),
        ratio,
        bound: `>= ${floor}`,
      });
    }
    return { title, baseline: 'InfluxDB', rows, notes: errors > 0 ? [`${errors} answers were errors`] : [] };
  } finally {
    await plant.remove();
    await influx.remove();
  }
}

function sensorsCsv(): string {
  const lines = Array.from({ length: sensorCount }, (_, n) => `S-${n},SENSOR-${n},Sensor ${n},Cel,true`);
  return `id,code,name,unit,is_active\n${lines.join('\n')}\n`;
}

/** How a body is put together; `@` in a reading stands for the second, which is another one in every request. */
interface BodyShape {
  reading(sensor: number, n: number): string;
  separator: string;
  before: string;
  after: string;
  /** Lua that makes the text for `@` from `second`. */
  second: string;
}

const jsonBody: BodyShape = {
  reading: (sensor, n) => `{"sensor":"SENSOR-${sensor}","at":"@.${digits(n, 6)}Z","value":${measureOf(n)}}`,
  separator: ',',
  before: '{"readings":[',
  after: ']}',
  second: 'os.date("!%Y-%m-%dT%H:%M:%S", second)',
};

const lineBody: BodyShape = {
  reading: (sensor, n) => `temperature,sensor=SENSOR-${sensor} value=${measureOf(n)} @${digits(n * 1000, 9)}`,
  separator: '\\n',
  before: '',
  after: '',
  second: 'string.format("%d", second)',
};

/** The bodies lie ready in pieces, between which only the second is put: the client must cost little. */
function scriptOf({ reading, separator, before, after, second }: BodyShape, size: number, start: number): string {
  const bodies = Array.from({ length: sensorCount / sensorsInBody }, (_, group) => {
    const readings = Array.from({ length: size }, (_, n) =>
      reading(group * sensorsInBody + (n % Math.min(size, sensorsInBody)), n),
    );
    const pieces = `${before}${readings.join(separator)}${after}`.split('@');
    return `{${pieces.map((piece) => `'${piece}'`).join(",'',")}}`;
  });
  return `
local bodies = {${bodies.join(',')}}
local second, turn = ${start}, 0
request = function()
  second = second + 1
  turn = turn % #bodies + 1
  local body, text = bodies[turn], ${second}
  for place = 2, #body, 2 do body[place] = text end
  return wrk.format("POST", nil, nil, table.concat(body))
end
`;
}

function digits(n: number, length: number): string {
  return String(n).padStart(length, '0');
}

function measureOf(n: number): string {
  return (180 + (n % 100) / 10).toFixed(1);
}
