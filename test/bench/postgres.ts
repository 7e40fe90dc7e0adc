import { startServer } from '../store/postgres/server.ts';
import { type BenchPlant, createPlant } from './daemon.ts';
import { type BenchReport, type BenchRow, paired } from './harness.ts';
import { load } from './load/load.ts';

const connections = 64;
const seconds = 3;
const rounds = 3;

/** Small requests of a store on PostgreSQL against one on SQLite, on one machine over a Unix socket. */
export async function run(): Promise<BenchReport> {
  const server = await startServer(['shared_buffers=512MB']);
  const plants = [createPlant(server.address), createPlant()] as const;
  try {
    const [ours, sqlite] = await Promise.all(plants.map(open));
    if (!ours || !sqlite) throw new Error('a side is missing');
    const rows: BenchRow[] = [];
    for (const [name, path, bound] of [
      ['GET /me', '/me', '>= 0.6'],
      ['a kept page of 50', '/parts?limit=50', '>= 0.6'],
    ] as const) {
      const measured = await paired(rounds, ours(path), sqlite(path));
      const shown = (figure: number) => Math.round(figure).toLocaleString('en');
      rows.push({
        name,
        ours: shown(measured.ours),
        baseline: shown(measured.baseline),
        ratio: measured.ratio,
        bound,
      });
    }
    const title = `PostgreSQL: requests/s at ${connections} connections`;
    return { title, baseline: 'hkctl on SQLite', rows };
  } finally {
    for (const plant of plants) await plant.remove();
    await server.stop();
  }
}

/** Serves a plant with a page of parts; gives what measures a path of it. */
async function open(plant: BenchPlant): Promise<(path: string) => () => Promise<number>> {
  const parts = Array.from({ length: 50 }, (_, n) => `P-${n},Part ${n},PN-${n},true`);
  const file = ['id,name,part_number,is_active', ...parts].join('\n');
  plant.hkctl(['import', 'parts', '-', '--entity', 'ONE', '--format', 'csv'], file);
  const headers = { authorization: `Bearer ${plant.key('operational-core')}` };
  const url = `${await plant.serve()}/api/v1`;
  return (path) => async () =>
    (await load({ url: `${url}${path}`, headers, seconds, connections })).requestsPerSecond;
}
