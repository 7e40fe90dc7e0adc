import { hash } from 'node:crypto';
import type { Domain } from '../../core/access/actors.ts';
import type { ClientPermission } from '../../core/access/permissions.ts';
import { holdsAny, type Principal } from '../../core/keys/authentication.ts';
import type { ResourceDefinition } from '../../core/records/fields.ts';
import { requireKnown } from '../../core/records/parameters.ts';
import { createInstantText, formatOptionalMs } from '../../core/time/instants.ts';
import type { Session } from '../auth/gate.ts';
import { type Representation, represent, toRepresentation } from '../request/caching.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery } from '../request/query.ts';
import type { Answer } from '../request/response.ts';

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

/** What `GET /me` answers for as long as a key stays as it is: all but the time. */
interface MeParts {
  /** The body up to the value of `server_time`. */
  head: string;
  /** Bytes of the head. */
  length: number;
  /** The time apart, the answer is the same for as long as the key is: a weak validator says just that. */
  tag: string;
}

/** `GET /me`: who the key is for; all but the time is written once for as long as the key stays as it is. */
export function createMeHandler(domain: Domain, entries: readonly ResourceEntry[]) {
  const known = new WeakMap<Session, MeParts>();
  const now = createInstantText();
  return (exchange: Exchange, session: Session): Answer => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    let parts = known.get(session);
    if (parts === undefined) {
      const head = meHead(session.principal, entries);
      const tag = `W/"${hash('sha256', head, 'base64url').slice(0, 22)}"`;
      parts = { head, length: Buffer.byteLength(head), tag };
      known.set(session, parts);
    }
    const { head, length, tag } = parts;
    const headers = ['ETag', tag, 'Cache-Control', 'private, no-cache', 'Vary', 'Authorization'];
    const held = exchange.header('if-none-match');
    if (held !== undefined && (held === '*' || held.includes(tag.slice(2))))
      return { status: 304, headers, body: null };
    headers.push('Content-Type', 'application/json');
    const time = now(domain.clock());
    return {
      status: 200,
      headers,
      body: `${head}"${time}"}`,
      // What follows the head is ASCII; counting the bytes of a text that was just put together would copy it once more.
      length: length + time.length + 3,
      isAscii: length === head.length,
    };
  };
}

/** `GET /resources`: only what this key can read or post to. */
export function createResourcesHandler(entries: readonly ResourceEntry[]) {
  const known = new WeakMap<Session, Representation>();
  return (exchange: Exchange, session: Session) => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    let representation = known.get(session);
    if (representation === undefined) {
      representation = toRepresentation(JSON.stringify({ data: openTo(session.principal.permissions, entries) }));
      known.set(session, representation);
    }
    return represent(exchange, representation);
  };
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
