import { createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, median, threadsCpuUs } from '../harness.ts';
import { loadReadings, type ReadingsLoad } from '../load/load.ts';

const forms: readonly { name: string; format: ReadingsLoad['format']; type: string }[] = [
  { name: 'RFC 3339 with a fraction', format: 'json', type: 'application/json' },
  { name: 'RFC 3339 in seconds', format: 'seconds', type: 'application/json' },
  { name: 'epoch milliseconds', format: 'millis', type: 'application/json' },
  { name: 'SenML', format: 'senml', type: 'application/senml+json' },
  { name: 'line protocol, ns', format: 'line', type: 'text/plain' },
];
const sizes = [1, 10, 100, 1000, 5000];
const sensors = 200;
const connections = 16;
const rounds = 3;

/** Processor time of a reading by its form and the size of a body, of the main thread and of the others, among which the writer is. */
export async function run(): Promise<BenchReport> {
  const title = `Processor time of a reading in µs, main thread + others (${sensors} sensors, medians of ${rounds} runs)`;
  if (!hasProgram('cc'))
    return { title, baseline: '', rows: [], notes: ['skipped: it needs a C compiler'] };
  const plant = createPlant();
  try {
    plant.importSensors(sensors);
    const authorization = `Bearer ${plant.key('sensor-gateway')}`;
    const api = `${await plant.serve()}/api/v1`;
    let start = Date.UTC(2001, 0, 1) / 1000;
    const measure = async ({ format, type }: (typeof forms)[number], size: number) => {
      const threads = [String(plant.pid()), undefined].map((thread) => ({
        thread,
        before: threadsCpuUs(plant.pid(), thread),
      }));
      start += 2_000_000;
      const { requests } = await loadReadings({
        url: `${api}${format === 'line' ? '/influx/api/v2/write' : '/sensors/readings'}`,
        headers: { authorization, 'content-type': type },
        ...{ format, sensors, inBody: 20, size, start, connections, seconds: 1 },
      });
      const [main = 0, all = 0] = threads.map(
        ({ thread, before }) => (threadsCpuUs(plant.pid(), thread) - before) / (requests * size),
      );
      return { main, others: all - main };
    };
    const rows: BenchRow[] = [];
    // The first seconds of a daemon compile its code.
    for (const form of [...forms, ...forms]) await measure(form, 1);
    for (const form of forms) {
      for (const size of sizes) {
        await measure(form, size);
        const taken = [];
        for (let round = 0; round < rounds; round++) taken.push(await measure(form, size));
        const [main, others] = [taken.map(({ main }) => main), taken.map(({ others }) => others)];
        const ours = `${median(main).toFixed(2)} + ${median(others).toFixed(2)}`;
        const name = `${form.name}, ${size} a POST`;
        rows.push({ name, ours, baseline: '', ratio: null, bound: null });
      }
    }
    return { title, baseline: '', rows };
  } finally {
    await plant.remove();
  }
}
