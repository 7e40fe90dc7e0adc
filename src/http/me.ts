import { hash } from 'node:crypto';
import type { Domain } from '../core/actors.ts';
import { holdsAny, type Principal } from '../core/authentication.ts';
import type { ResourceDefinition } from '../core/fields.ts';
import { createInstantText, formatOptionalMs } from '../core/instants.ts';
import { requireKnown } from '../core/pages.ts';
import type { ClientPermission } from '../core/permissions.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Session } from './gate.ts';
import { represent, toRepresentation } from './page-cache.ts';
import { parseQuery } from './query.ts';

/** What a key may call: `GET /resources` lists these. */
export interface ResourceEntry {
  name: string;
  path: string;
  title: string;
  permissions: readonly ClientPermission[];
  methods: readonly ('GET' | 'POST')[];
}

const ingestPermissions = ['asset_sensors.ingest'] as const;

/** Every path that a key can be let into, by permission, in the order of the contract's table. */
export function resourceEntries(resources: readonly ResourceDefinition[]): ResourceEntry[] {
  return [
    ...resources.map(({ name, title, permissions }) => ({
      name,
      path: `/api/v1/${name}`,
      title,
      permissions,
      methods: ['GET'] as const,
    })),
    {
      name: 'sensor-readings',
      path: '/api/v1/sensors/readings',
      title: 'Ingest of sensor readings',
      permissions: ingestPermissions,
      methods: ['POST'],
    },
    {
      name: 'sensor-heartbeats',
      path: '/api/v1/sensors/heartbeats',
      title: 'Ingest of sensor heartbeats',
      permissions: ingestPermissions,
      methods: ['POST'],
    },
  ];
}

const none = new Map<string, unknown>();

/** `GET /me`: who the key is for; all but the time is written once for as long as the key stays as it is. */
export function createMeHandler(domain: Domain, entries: readonly ResourceEntry[]) {
  const now = createInstantText();
  return (exchange: Exchange, session: Session): Answer => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    const head = memoised(session, 'me', () => meHead(session.principal, entries));
    // The time apart, the answer is the same for as long as the key is: a weak validator says just that.
    const tag = memoised(session, 'me tag', () => `W/"${hash('sha256', head, 'base64url').slice(0, 22)}"`);
    const headers = ['ETag', tag, 'Cache-Control', 'private, no-cache', 'Vary', 'Authorization'];
    const known = exchange.header('if-none-match');
    if (known !== undefined && (known === '*' || known.includes(tag.slice(2)))) {
      return { status: 304, headers, body: null };
    }
    headers.push('Content-Type', 'application/json');
    const time = now(domain.clock());
    // The rest is ASCII; counting the bytes of a text that was just put together would copy it once more.
    const length = Number(memoised(session, 'me length', () => String(Buffer.byteLength(head)))) + time.length + 3;
    return { status: 200, headers, body: `${head}"${time}"}`, length };
  };
}

/** `GET /resources`: only what this key can read or post to. */
export function createResourcesHandler(entries: readonly ResourceEntry[]) {
  return (exchange: Exchange, session: Session) => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    const body = memoised(session, 'resources', () =>
      JSON.stringify({ data: openTo(session.principal.permissions, entries) }),
    );
    return represent(exchange, toRepresentation(body));
  };
}

function memoised(session: Session, name: string, make: () => string): string {
  let text = session.memo.get(name);
  if (text === undefined) {
    text = make();
    session.memo.set(name, text);
  }
  return text;
}

/** The body up to the value of `server_time`. */
function meHead(
  { tenant, entity, keyId, prefix, name, expiresAtMs, permissions }: Principal,
  entries: readonly ResourceEntry[],
) {
  const me = {
    tenant: { id: tenant.id, name: tenant.name },
    entity: { id: entity.id, code: entity.code, name: entity.name, timezone: entity.timezone },
    key: { id: keyId, prefix, name, expires_at: formatOptionalMs(expiresAtMs) },
    permissions,
    resources: openTo(permissions, entries).map(({ path }) => path),
  };
  return `${JSON.stringify(me).slice(0, -1)},"server_time":`;
}

function openTo(held: readonly ClientPermission[], entries: readonly ResourceEntry[]): ResourceEntry[] {
  return entries.filter(({ permissions }) => holdsAny(held, permissions));
}
