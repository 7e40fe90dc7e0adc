import type {
  Credential,
  Key,
  KeyFilter,
  KeyPageRequest,
  KeyStatus,
  KeyStore,
} from '../../core/port/keys.ts';
import { chain } from '../../core/port/maybe-promise.ts';
import { createKeyChanges } from './key-changes.ts';
import { columnsOf, createSelection } from './rows.ts';
import { createValues, type Dialect, type Runner } from './statements.ts';

type Place = (value: unknown) => string;

export function createKeyStore(
  runner: Runner,
  own: Pick<KeyStore, 'version' | 'settle' | 'recordUse'>,
): KeyStore {
  const { query, first, dialect } = runner;
  const { noIndex } = dialect;
  const { key, credential } = createSelections(dialect);
  const joins =
    'join users on users.id = keys.created_by left join entities on entities.id = keys.entity_id';
  const keysWhere = `select ${key.text} from keys ${joins}
    left join users as revokers on revokers.id = keys.revoked_by ${dialect.uses.join} where`;
  const credentialSql = `select ${credential.text} from keys ${joins}
    join tenants on tenants.id = keys.tenant_id where keys.secret_hash = $1`;

  const readKeys = async (condition: string, values: readonly unknown[]) =>
    (await query<Record<string, unknown>>(`${keysWhere} ${condition}`, values)).map(key.read);

  /** Up to this number expiring keys are read by their index and sorted; if there are more, a walk from the newest is faster. */
  const hasFew = async (...range: [tenantId: string, nowMs: number, byMs: number]) =>
    noIndex === '' || ((await first<{ n: number }>(countExpiring, range))?.n ?? 0) <= fewExpiring;

  /**
   * The condition of a list of keys, written so that SQLite picks the index that reads the fewest rows. Only a search by name, note or
   * entity reads all keys of the tenant, about 1 µs a key; a trigram index would read as much for a part that many names share,
   * and would slow down every new key. A text that begins a prefix finds by that alone.
   */
  const conditionOf = async (
    tenantId: string,
    filter: KeyFilter,
    place: Place,
  ): Promise<string> => {
    const { nowMs, expiringByMs, search } = filter;
    const isPrefix = search !== undefined && /^hk_[0-9A-Za-z]{1,5}$/.test(search);
    // `{` sorts right after every character of a prefix.
    const ofPrefix = () =>
      `keys.prefix >= ${place(search)} and keys.prefix < ${place(`${search}{`)}`;
    const expiring = (index: string) =>
      `keys.revoked_at_ms is null and ${index}keys.expires_at_ms > ${place(nowMs)} and ${index}keys.expires_at_ms <= ${place(expiringByMs)}`;
    return [
      `${isPrefix ? noIndex : ''}keys.tenant_id = ${place(tenantId)}`,
      ...ownConditions(filter, `${dialect.uses.name}.last_used_at_ms`, place),
      expiringByMs === undefined
        ? undefined
        : expiring((await hasFew(tenantId, nowMs, expiringByMs)) ? '' : noIndex),
      isPrefix
        ? ofPrefix()
        : search
          ? searchCondition(place(containing(search)), dialect.like)
          : undefined,
    ]
      .filter((condition) => condition !== undefined)
      .join(' and ');
  };

  return {
    ...own,
    async list(tenantId, filter, page) {
      const { values, place } = createValues();
      const condition = await conditionOf(tenantId, filter, place);
      return readKeys(`${condition} ${pageOf(page, place)} limit ${place(page.limit)}`, values);
    },
    async count(tenantId, filter) {
      const { values, place } = createValues();
      const text = `select count(*) as n from keys ${dialect.uses.join} where ${await conditionOf(tenantId, filter, place)}`;
      return (await first<{ n: number }>(text, values))?.n ?? 0;
    },
    find: async (tenantId, ref) =>
      (
        await readKeys('keys.tenant_id = $1 and (keys.id = $2 or keys.prefix = $2)', [
          tenantId,
          ref,
        ])
      )[0],
    findByHash: async (tenantId, hash) =>
      (await readKeys('keys.tenant_id = $1 and keys.secret_hash = $2', [tenantId, hash]))[0],
    prefixTaken: async (prefix) =>
      (await first('select 1 from keys where prefix = $1', [prefix])) !== undefined,
    credential: (hash) =>
      chain(
        first<Record<string, unknown>>(credentialSql, [hash]),
        (row) => row && credential.read(row),
      ),
    activeOf(owner, nowMs) {
      const [column, id] =
        'createdBy' in owner ? ['created_by', owner.createdBy] : ['entity_id', owner.entityId];
      const text = `keys.${column} = $1 and ${statusCondition('Active', '$2')} order by keys.created_at_ms desc, keys.id desc`;
      return readKeys(text, [id, nowMs]);
    },
    ...createKeyChanges(runner),
  };
}

function createSelections({ json, uses }: Dialect) {
  const common = {
    ...columnsOf('keys', [
      'prefix',
      'name',
      'permissions',
      'expiresAtMs',
      'revokedAtMs',
      'allowedIps',
    ]),
    entity: columnsOf('entities', ['id', 'code', 'name', 'timezone', 'status']),
  };
  const ofKey = {
    ...columnsOf('keys', ['id', 'tenantId', 'createdAtMs', 'rotatedFrom', 'rotatedTo', 'note']),
    ...columnsOf(uses.name, ['lastUsedAtMs', 'lastUsedIp']),
    createdBy: columnsOf('users', ['id', 'login', 'name']),
    revokedBy: columnsOf('revokers', ['login', 'name']),
  };
  const tenant = columnsOf('tenants', ['id', 'name', 'weekStart', 'retainReadingsDays']);
  const ofCredential = { keyId: 'keys.id', creatorStatus: 'users.status', tenant };
  return {
    key: createSelection<Key>({ ...common, ...ofKey }, json),
    credential: createSelection<Credential>({ ...common, ...ofCredential }, json),
  };
}

const fewExpiring = 5000;
const countExpiring = `select count(*) as n from (select 1 from keys where tenant_id = $1 and revoked_at_ms is null
  and expires_at_ms > $2 and expires_at_ms <= $3 limit ${fewExpiring + 1}) as expiring`;

function statusCondition(status: KeyStatus, now: string): string {
  if (status === 'Revoked') return 'keys.revoked_at_ms is not null';
  if (status === 'Expired') return `(keys.revoked_at_ms is null and keys.expires_at_ms <= ${now})`;
  return `(keys.revoked_at_ms is null and (keys.expires_at_ms is null or keys.expires_at_ms > ${now}))`;
}

function ownConditions(filter: KeyFilter, lastUsed: string, place: Place): (string | undefined)[] {
  const { nowMs, statuses = [], entityId, entityIds } = filter;
  const { unusedSinceMs, createdBeforeMs, name } = filter;
  const isAny = statuses.length === 0 || statuses.length === 3;
  const states = isAny
    ? []
    : statuses.map((status) => statusCondition(status, status === 'Revoked' ? '' : place(nowMs)));
  const unused = (since: string) =>
    `keys.created_at_ms < ${since} and (${lastUsed} is null or ${lastUsed} < ${since})`;
  return [
    isAny ? undefined : `(${states.join(' or ')})`,
    entityId === undefined ? undefined : `keys.entity_id = ${place(entityId)}`,
    entityIds && anyOf('keys.entity_id', entityIds, place),
    unusedSinceMs === undefined ? undefined : unused(place(unusedSinceMs)),
    createdBeforeMs === undefined ? undefined : `keys.created_at_ms < ${place(createdBeforeMs)}`,
    name === undefined ? undefined : `keys.name = ${place(name)}`,
  ];
}

function anyOf(column: string, values: readonly string[], place: Place): string {
  return values.length === 0 ? '1 = 0' : `${column} in (${values.map(place).join(', ')})`;
}

function pageOf({ after }: KeyPageRequest, place: Place): string {
  const boundary =
    after &&
    `and (keys.created_at_ms, keys.id) < (${place(after.createdAtMs)}, ${place(after.id)})`;
  return `${boundary ?? ''} order by keys.created_at_ms desc, keys.id desc`;
}

function searchCondition(pattern: string, like: Dialect['like']): string {
  const ofKey = ['name', 'note', 'prefix']
    .map((column) => like(`keys.${column}`, pattern))
    .join(' or ');
  const ofEntity = ['code', 'name'].map((column) => like(column, pattern)).join(' or ');
  return `(${ofKey} or keys.entity_id in (select id from entities where ${ofEntity}))`;
}

/** The pattern for `like` that finds a text anywhere; a backslash takes the meaning of `%` and `_`. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
