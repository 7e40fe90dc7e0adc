import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../src/core/fields.ts';
import { createPageReader, pageParameters } from '../../../src/core/pages.ts';
import type { RecordPageRequest } from '../../../src/core/store.ts';
import { resources } from '../../../src/resources/index.ts';
import { parts } from '../../../src/resources/parts.ts';
import type { Connection } from '../../../src/store/sqlite/driver.ts';
import { openFile } from '../../../src/store/sqlite/files.ts';
import { applyMigrations } from '../../../src/store/sqlite/migrations.ts';
import { pageSql } from '../../../src/store/sqlite/records.ts';
import { tableName } from '../../../src/store/sqlite/records-tables.ts';

let connection: Connection;
beforeAll(() => {
  connection = openFile(':memory:', { busyTimeoutMs: 100, create: true });
  applyMigrations(connection, 'records', 'migrations', ':memory:');
});
afterAll(() => connection.close());

/** How SQLite would answer, one line a step. */
function planOf(request: RecordPageRequest): string[] {
  const marks = 2 + request.conditions.length + (request.after ? (request.orderBy === 'id' ? 1 : 2) : 0);
  const rows = connection.prepare<unknown[], { detail: string }>(`explain query plan ${pageSql(request)}`);
  return rows.all(...new Array(marks).fill('x')).map(({ detail }) => detail);
}

/** The page that a parameter asks for, first and later. */
function requestsOf(resource: ResourceDefinition, name: string | undefined): RecordPageRequest[] {
  const parameter = pageParameters(resource).find((one) => one.name === name);
  const kind = parameter?.on?.declaration.kind;
  const values: Partial<Record<string, string>> = {
    boolean: 'true',
    date: '2026-11-20',
    instant: '2026-11-20T08:15:00Z',
    integer: '1',
    decimal: '1',
    text: 'x',
  };
  const declaration = parameter?.on?.declaration;
  const value =
    parameter?.role === 'week'
      ? '2026-11-20'
      : declaration?.kind === 'enum'
        ? declaration.values[0]
        : values[kind ?? ''];
  const scope = { entityId: 'e', timezone: 'UTC', weekStart: 'monday' as const };
  const { request } = createPageReader(resource).read(name === undefined ? [] : [[name, value ?? 'x']], scope);
  return [request, { ...request, after: { value: 'x', id: 'x' } }];
}

describe.each(resources.map((resource) => [resource.name, resource] as const))('a page of %s', (_, resource) => {
  const filters = pageParameters(resource).filter(({ on }) => on);

  it.each([undefined, ...filters.map(({ name }) => name)])('by %s is sought in an index and needs no sort', (name) => {
    for (const request of requestsOf(resource, name)) {
      const plan = planOf(request).filter(
        (step) => !/SCALAR SUBQUERY|CO-ROUTINE|MATERIALIZE|SCAN \(subquery/.test(step),
      );
      const field = request.conditions[0]?.field ?? 'id';
      const table = tableName(resource);
      const index = field === 'id' ? 'PRIMARY KEY' : `(?:COVERING )?INDEX ${table}_by_${field}`;
      const steps = plan.filter((step) => step.includes(` ${table} `));
      expect(steps).toHaveLength(1);
      expect(steps[0]).toMatch(new RegExp(`^SEARCH ${table} USING ${index} \\(entity=\\?`));
      if (field !== 'id') expect(steps[0]).toMatch(new RegExp(`AND ${field}[=<>]`));
      expect(plan.join()).not.toContain('TEMP B-TREE');
    }
  });

  it('by several values seeks the one that is likely the rarest', () => {
    const equal = filters.filter(({ role }) => role === 'equals');
    const conditions = equal.map(({ name }) => ({ field: name, op: 'eq' as const, value: 'x' }));
    const request = { resource, entityId: 'e', conditions, orderBy: 'id', limit: 50 };
    const text = equal.find(({ on }) => on?.declaration.kind === 'text')?.name;
    if (text) expect(planOf(request).join('\n')).toContain(`${tableName(resource)}_by_${text} (entity=? AND ${text}=?`);
  });
});

it('a page of a range with a value that few records have is sought by that value', () => {
  const conditions = [
    { field: 'updated_at', op: 'from' as const, value: 'x' },
    { field: 'part_number', op: 'eq' as const, value: 'x' },
  ];
  const sql = pageSql({ resource: parts, entityId: 'e', conditions, orderBy: 'updated_at', limit: 50 }, 'part_number');
  const steps = connection.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all('e', 'x', 'x', 51);
  expect(steps.map(({ detail }) => detail).join('\n')).toContain(
    'SEARCH parts USING INDEX parts_by_part_number (entity=? AND part_number=?',
  );
});
