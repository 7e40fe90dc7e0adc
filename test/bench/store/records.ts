import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditDraft } from '../../../src/core/domain/actors.ts';
import type { Domain } from '../../../src/core/domain/domain.ts';
import type { ImportBatch } from '../../../src/core/fields/import-batch.ts';
import { initialise } from '../../../src/core/organization/tenants.ts';
import type { RecordPosition } from '../../../src/core/port/records.ts';
import { createPageReader, pageParameters } from '../../../src/core/records/queries.ts';
import { createRecordValidator } from '../../../src/core/records/validator.ts';
import { secureRandom } from '../../../src/core/secrets.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { createStore } from '../../../src/store/sqlite/creation.ts';
import { steadyBy } from '../../core/steady.ts';
import { type BenchReport, type BenchRow, median, paired } from '../harness.ts';

const few = 5000;
const many = 5_000_000;
const rounds = 31;
const perRound = 20;

/** Pages of 50 parts by every filter that there is, with 5,000,000 parts in the store, against 5,000. */
export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-records-'));
  try {
    const large = await createRecords(join(folder, 'many', 'hkctl.db'), many);
    const small = await createRecords(join(folder, 'few', 'hkctl.db'), few);
    const rows: BenchRow[] = [];
    for (const [name, query] of Object.entries(queries())) {
      const { ours, baseline, ratio } = await paired(
        rounds,
        timed(large, query),
        timed(small, query),
      );
      const shown = (us: number) => `${us.toFixed(0)} µs`;
      rows.push({ name, ours: shown(ours), baseline: shown(baseline), ratio, bound: '<= 1.3' });
    }
    await large.close();
    await small.close();
    return {
      title: 'Pages of 50 parts out of 5,000,000 (medians of paired runs)',
      baseline: 'of 5,000',
      rows,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Records {
  count: number;
  /** Reads a page. */
  page(query: Query, after: RecordPosition | undefined): Promise<unknown>;
  close(): Promise<void>;
}

type Query = readonly (readonly [name: string, value: string])[];
/** A query that asks for something else every time: `n` is any number, `count` how many records there are. */
type MakeQuery = (n: number, count: number) => { query: Query; after?: RecordPosition };

const nowMs = Date.UTC(2026, 10, 20);

/** How a value of each filter is chosen; a filter without one here stops the benchmark, so that none is forgotten. */
const values: Record<string, (n: number, count: number) => string> = {
  updated_since: () => new Date(nowMs - 1000).toISOString(),
  part_number: (n, count) => `PN-${n % count}`,
  is_active: (n) => String(n % 2 === 0),
  category: (n) => `Category ${n % categories}`,
};
const categories = 50;

function queries(): Record<string, MakeQuery> {
  const filters = pageParameters(parts).filter(({ on }) => on);
  const all: Record<string, MakeQuery> = {
    'no filter': () => ({ query: [] }),
    'no filter, deep inside': (n, count) => ({ query: [], after: positionOf(n % count) }),
  };
  for (const { name } of filters) {
    const value = values[name];
    if (!value) throw new Error(`the benchmark has no value for the filter ${name}`);
    all[name] = (n, count) => ({ query: [[name, value(n, count)]] });
  }
  all['is_active, deep inside'] = (n, count) => ({
    query: [['is_active', 'true']],
    after: positionOf(n % count),
  });
  return all;
}

function positionOf(n: number): RecordPosition {
  return { value: idOf(n), id: idOf(n) };
}

function timed(records: Records, make: MakeQuery): () => Promise<number> {
  let n = 1;
  return async () => {
    const times: number[] = [];
    for (let i = 0; i < perRound; i++) {
      // A step that shares no factor with the counts: all over the table.
      n += 7_368_787;
      const { query, after } = make(n, records.count);
      const before = performance.now();
      await records.page(query, after);
      times.push((performance.now() - before) * 1000);
    }
    return median(times);
  };
}

async function createRecords(path: string, count: number): Promise<Records> {
  const clock = () => nowMs;
  const migrationsFolder = join(process.cwd(), 'migrations');
  const store = await createStore(path, { clock, migrationsFolder });
  const domain: Domain = { store, ...steadyBy(clock), random: secureRandom, newId: randomUUID };
  const first = {
    name: 'Bench',
    weekStart: 'monday' as const,
    entity: { code: 'ONE', name: 'One', timezone: 'UTC' },
    admin: { login: 'bench', name: 'Bench' },
  };
  const { entity, user } = await initialise(domain, first, 'bench');
  await store.records.import({
    resource: parts,
    entityId: entity.id,
    replace: false,
    dryRun: false,
    nowUs: nowMs * 1000,
    rows: rowsOf(count),
    audit: () => auditDraft(domain, { user, osAccount: 'bench' }, 'records.import', 'parts'),
  });
  const reader = createPageReader(parts);
  return {
    count,
    async page(query, after) {
      const { request } = reader(query, {
        entityId: entity.id,
        timezone: 'UTC',
        weekStart: 'monday',
      });
      return store.records.page(after ? { ...request, after } : request);
    },
    close: async () => store.close(),
  };
}

function* rowsOf(count: number): Generator<ImportBatch> {
  const validator = createRecordValidator(parts);
  for (let from = 0; from < count; from += 1000) {
    for (let n = from; n < Math.min(count, from + 1000); n++) {
      const given = {
        id: idOf(n),
        name: `Part ${n}`,
        part_number: `PN-${n}`,
        is_active: n % 10 !== 0,
        category: `Category ${n % categories}`,
        revision: 'C',
        description: 'Cast housing, machined, with two bearing seats',
        unit: '{piece}',
        weight_kg: 12.4,
        standard_cost: 48.5,
        currency: 'EUR',
      };
      validator.validateObject(given, n + 2);
    }
    yield validator.take();
  }
}

function idOf(n: number): string {
  return `P-${String(n).padStart(8, '0')}`;
}
