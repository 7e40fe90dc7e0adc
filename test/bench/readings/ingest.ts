import { createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, load, paired } from '../harness.ts';
import { startInflux } from './influx.ts';

/** Readings a POST, and how much of InfluxDB's rate is asked for. */
const sizes = [
  { size: 1, floor: 1.1 },
  { size: 10, floor: 0.4 },
  { size: 100, floor: 0.4 },
  { size: 1000, floor: 0.6 },
  { size: 5000, floor: 0.75 },
] as const;

/** The sensors of a plant, and how many of them take turns in one body. */
interface Plant {
  sensors: number;
  inBody(size: number): number;
}

const workshop: Plant = { sensors: 50, inBody: () => 10 };
/** 250 gateways of 20 sensors each; bodies of 5000 readings come from fewer and larger ones, so that all sensors are used. */
const factory: Plant = { sensors: 5000, inBody: (size) => Math.max(20, size / 50) };

const connections = 32;
const seconds = 3;
const rounds = 3;

/**
 * Ingest over HTTP, each answer after the readings are synced to disk, against InfluxDB in the same run: 32 connections with
 * one key, every reading new; with 50 sensors, and with those of 250 gateways.
 */
export async function run(): Promise<BenchReport[]> {
  return [await measurePlant(workshop), await measurePlant(factory)];
}

async function measurePlant(sensors: Plant): Promise<BenchReport> {
  const title = `Ingest from ${sensors.sensors} sensors, readings/s at ${connections} connections, answered after fsync (medians of ${rounds} paired runs)`;
  if (!hasProgram('wrk') || !hasProgram('influxd')) {
    const note = "skipped: it needs wrk and InfluxDB 1.6 (Debian's packages wrk and influxdb)";
    return { title, baseline: 'InfluxDB', rows: [], notes: [note] };
  }
  const plant = createPlant();
  const influx = await startInflux();
  try {
    plant.hkctl(['import', 'sensors', '-', '--entity', 'ONE', '--format', 'csv'], sensorsCsv(sensors.sensors));
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
        const script = scriptOf(request.body, sensors, size, start);
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
        // Bounds for thousands of sensors come with readings that are appended first.
        bound: sensors === workshop ? `>= ${floor}` : null,
      });
    }
    return { title, baseline: 'InfluxDB', rows, notes: errors > 0 ? [`${errors} answers were errors`] : [] };
  } finally {
    await plant.remove();
    await influx.remove();
  }
}

function sensorsCsv(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => `S-${n},SENSOR-${n},Sensor ${n},Cel,true`);
  return `id,code,name,unit,is_active\n${lines.join('\n')}\n`;
}

/** How a body is put together, in Lua: a reading is `before`, the second (another one in every request) and `after`. */
interface BodyShape {
  /** The first part of a reading, of `sensor`. */
  before: string;
  /** Its last part, of `n`, the number of the reading in the body, and `value`. */
  after: string;
  separator: string;
  open: string;
  close: string;
  /** The text of `second`. */
  second: string;
}

const jsonBody: BodyShape = {
  before: `string.format('{"sensor":"SENSOR-%d","at":"', sensor)`,
  after: `string.format('.%06dZ","value":%.1f}', n, value)`,
  separator: ',',
  open: '{"readings":[',
  close: ']}',
  second: 'os.date("!%Y-%m-%dT%H:%M:%S", second)',
};

const lineBody: BodyShape = {
  before: `string.format('temperature,sensor=SENSOR-%d value=%.1f ', sensor, value)`,
  after: `string.format('%09d', n * 1000)`,
  separator: '\\n',
  open: '',
  close: '',
  second: 'string.format("%d", second)',
};

/** The bodies are prepared in pieces, between which only the second is put: the client must cost little. */
function scriptOf(shape: BodyShape, plant: Plant, size: number, start: number): string {
  const inBody = plant.inBody(size);
  return `
local bodies = {}
for group = 0, ${plant.sensors / inBody - 1} do
  local body, before = {}, '${shape.open}'
  for n = 0, ${size - 1} do
    local sensor, value = group * ${inBody} + n % ${Math.min(size, inBody)}, 180 + n % 100 / 10
    body[#body + 1] = before .. ${shape.before}
    body[#body + 1] = ''
    before = ${shape.after} .. '${shape.separator}'
  end
  body[#body + 1] = before:sub(1, -2) .. '${shape.close}'
  bodies[#bodies + 1] = body
end
local second, turn = ${start}, 0
request = function()
  second = second + 1
  turn = turn % #bodies + 1
  local body, text = bodies[turn], ${shape.second}
  for place = 2, #body, 2 do body[place] = text end
  return wrk.format("POST", nil, nil, table.concat(body))
end
`;
}
