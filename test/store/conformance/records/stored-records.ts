import { expect } from 'vitest';
import {
  importFields,
  keptLists,
  type ResourceDefinition,
} from '../../../../src/core/fields/fields.ts';
import { folded, type ImportBatch } from '../../../../src/core/fields/import-batch.ts';
import type {
  ImportRequest,
  ImportSummary,
  RecordPageRequest,
  RecordPosition,
} from '../../../../src/core/port/records.ts';
import type { Store } from '../../../../src/core/port/store.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { draftOf, nowMs, type Plant } from '../../stores.ts';

type Values = Readonly<Record<string, unknown>>;

interface ImportOptions {
  replace?: boolean;
  dryRun?: boolean;
  nowUs?: number;
  /** How many rows a batch holds. */
  batch?: number;
  confirm?: ImportRequest['confirm'];
  correctsDates?: boolean;
}

/** Imports records, given by field name, into the entity of a plant. */
export function importInto<Result = ImportSummary>(
  store: { records: { import(request: ImportRequest): Promise<Result> } },
  { tenant, entity }: Plant,
  resource: ResourceDefinition,
  rows: Iterable<Values>,
  {
    replace = false,
    dryRun = false,
    nowUs = nowMs * 1000,
    batch = 100,
    confirm,
    correctsDates,
  }: ImportOptions = {},
): Promise<Result> {
  return store.records.import({
    resource,
    entityId: entity.id,
    replace,
    dryRun,
    nowUs,
    confirm,
    correctsDates,
    rows: inBatches(resource, rows, batch),
    audit: ({ inserted }) => ({
      ...draftOf(tenant.id, 'records.import', resource.name),
      detail: { inserted },
    }),
  });
}

function* inBatches(
  resource: ResourceDefinition,
  rows: Iterable<Values>,
  size: number,
): Generator<ImportBatch> {
  const names = Object.keys(importFields(resource));
  const kept = keptLists(resource);
  let line = 1;
  let batch: Values[] = [];
  const toBatch = (): ImportBatch => ({
    lines: batch.map(() => ++line),
    columns: names.map((name) => {
      const absent = kept.includes(name) ? undefined : null;
      return folded(batch.map((row) => row[name] ?? absent));
    }),
  });
  for (const row of rows) {
    batch.push(row);
    if (batch.length < size) continue;
    yield toBatch();
    batch = [];
  }
  yield toBatch();
}

/** A moment after that of other imports. */
export const laterUs = nowMs * 1000 + 7;

/** A part by its number. */
export const partRow = (n: number, change: Values = {}) => ({
  id: `P-${String(n).padStart(4, '0')}`,
  name: `Part ${n}`,
  part_number: `PN-${n % 40}`,
  is_active: n % 3 !== 0,
  category: n % 5 === 0 ? null : `C${n % 5}`,
  weight_kg: n / 10,
  ...change,
});

/** The first parts. */
export const partRows = (count: number) => Array.from({ length: count }, (_, n) => partRow(n));

/** A query of the parts of a plant. */
export const pageOf = (
  plant: Plant,
  change: Partial<RecordPageRequest> = {},
): RecordPageRequest => ({
  resource: parts,
  entityId: plant.entity.id,
  conditions: [],
  orderBy: 'id',
  limit: 50,
  ...change,
});

/** All records of a query, page by page. */
export const readAll = async (store: Store, request: RecordPageRequest) => {
  const records: Record<string, unknown>[] = [];
  let after: RecordPosition | undefined;
  do {
    const page = await store.records.page({ ...request, after });
    const read = JSON.parse(`[${page.json}]`);
    expect(read).toHaveLength(page.count);
    const { rows, ...bounds } = await store.records.rows({ ...request, after });
    expect({ rows, ...bounds }).toEqual({ rows: read, count: page.count, next: page.next });
    expect(page.count).toBeLessThanOrEqual(request.limit);
    records.push(...read);
    after = page.next ?? undefined;
  } while (after);
  return records;
};

/** Their ids. */
export const idsOf = async (store: Store, request: RecordPageRequest) =>
  (await readAll(store, request)).map(({ id }) => id);
