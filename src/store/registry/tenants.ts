import type { Tenant, TenantStore } from '../../core/port/tenants.ts';
import { type Runner, resultOf } from './statements.ts';

const select = `select id, name, week_start as "weekStart", created_at_ms as "createdAtMs",
  retain_readings_days as "retainReadingsDays" from tenants`;
const byId = `${select} where id = $1`;

export function createTenantStore({ query, first, run, change, dialect }: Runner): TenantStore {
  return {
    list: () => query(`${select} order by ${dialect.tenantOrder}`),
    firstId: () =>
      run(function* () {
        const oldest = `select id from tenants order by ${dialect.tenantOrder} limit 1`;
        return (yield* resultOf(first<{ id: string }>(oldest)))?.id;
      }),
    find: (id) => first(byId, [id]),
    insert: (tenant, admin, entity, audit) =>
      change(function* ({ insert, append }) {
        yield insert('tenants', tenant);
        yield insert('users', admin);
        if (entity) yield insert('entities', entity);
        yield append(audit);
      }),
    update: (id, changes, audit) =>
      change(function* ({ query, first, append }) {
        const before = yield* resultOf(first<Tenant>(byId, [id]));
        const { name, weekStart, retainReadingsDays } = { ...before, ...changes };
        const update = 'update tenants set name = $2, week_start = $3, retain_readings_days = $4 where id = $1';
        yield query(update, [id, name, weekStart, retainReadingsDays]);
        yield append(audit);
      }),
  };
}
