import { hash } from 'node:crypto';
import type { ClientPermission } from '../../core/access/permissions.ts';
import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { holdsAny, type Principal } from '../../core/keys/authentication.ts';
import { createInstantText, formatOptionalMs } from '../../core/time/instants.ts';
import { shownZone } from '../../core/time/zones.ts';
import type { Answer } from '../answers/answer.ts';
import type { KeySession } from '../auth/credential-cache.ts';
import { ingestOperations } from '../ingest/operations.ts';
import { type Exchange, requireNoQuery } from '../request/exchange.ts';
import { mediaTypeFor, represent, toRepresentation } from '../request/representation.ts';

/** A path that a key can open, as `GET /resources` lists it. */
interface ResourceEntry {
  name: string;
  path: string;
  title: string;
  permissions: readonly ClientPermission[];
  methods: readonly ('GET' | 'POST')[];
}

/** Every path that a key can open, in the order of hkctl-api(7). */
export function resourceEntries(resources: readonly ResourceDefinition[]): ResourceEntry[] {
  return [
    ...resources.map(({ name, title, permissions }) => {
      return { name, path: `/api/v1/${name}`, title, permissions, methods: ['GET'] as const };
    }),
    ...ingestOperations.map(({ name, path, title, permissions }) => {
      return { name, path, title, permissions, methods: ['POST'] as const };
    }),
  ];
}

const jsonOnly = ['application/json'] as const;

/** The answer of `GET /me` except for the time; it is valid until the key changes. */
interface MeParts {
  /** The headers of a 304, and the headers that only a whole answer has. */
  headers: readonly string[];
  wholeHeaders: readonly string[];
  head: string;
  length: number;
  /** A weak validator, since the time differs between answers. */
  tag: string;
}

/** `GET /me`: the tenant, entity and permissions of the key. Everything except the time is written once per session. */
export function createMeHandler(domain: Domain, entries: readonly ResourceEntry[]) {
  const meParts = new WeakMap<KeySession, MeParts>();
  const instantText = createInstantText();
  return (exchange: Exchange, session: KeySession): Answer => {
    requireNoQuery(exchange.query);
    mediaTypeFor(exchange.header('accept'), jsonOnly);
    let parts = meParts.get(session);
    if (parts === undefined) {
      const head = meHead(session.principal, entries);
      const tag = `W/"${hash('sha256', head, 'base64url').slice(0, 22)}"`;
      const headers = ['ETag', tag, 'Cache-Control', 'private, no-cache', 'Vary', 'Authorization'];
      const ofKey = headersForProxies(session.principal);
      const wholeHeaders = [...headers, ...ofKey, 'Content-Type', 'application/json'];
      parts = { headers, wholeHeaders, head, length: Buffer.byteLength(head), tag };
      meParts.set(session, parts);
    }

    const { headers, wholeHeaders, head, length, tag } = parts;
    const clientTags = exchange.header('if-none-match');
    const hasTag = clientTags === '*' || clientTags?.includes(tag.slice(2));
    if (hasTag) return { status: 304, headers, body: null };

    const serverTime = instantText(domain.clock());
    return {
      status: 200,
      headers: wholeHeaders,
      body: `${head}"${serverTime}"}\n`,
      // The rest is ASCII. Counting the bytes of the concatenated string would copy it once more.
      length: length + serverTime.length + 4,
      isAscii: length === head.length,
    };
  };
}

/** The facts that a proxy, which asks here whether a key is let in, tells the service behind it: all but the key. */
function headersForProxies({ entity, prefix, permissions }: Principal): string[] {
  return [
    'Hkctl-Entity',
    // A code may have letters that no header may.
    encodeURIComponent(entity.code),
    'Hkctl-Permissions',
    permissions.join(' '),
    'Hkctl-Key-Prefix',
    prefix,
  ];
}

/** `GET /resources`: the paths that this key can read or post to. */
export function createResourcesHandler(entries: readonly ResourceEntry[]) {
  return (exchange: Exchange, { principal }: KeySession) => {
    requireNoQuery(exchange.query);
    mediaTypeFor(exchange.header('accept'), jsonOnly);
    const data = openTo(principal.permissions, entries);
    return represent(exchange, toRepresentation(`${JSON.stringify({ data })}\n`));
  };
}

function meHead(
  { tenant, entity, keyId, prefix, name, expiresAtMs, permissions }: Principal,
  entries: readonly ResourceEntry[],
) {
  const me = {
    tenant: { id: tenant.id, name: tenant.name },
    entity: {
      id: entity.id,
      code: entity.code,
      name: entity.name,
      timezone: shownZone(entity.timezone),
    },
    key: { id: keyId, prefix, name, expires_at: formatOptionalMs(expiresAtMs) },
    permissions,
    resources: openTo(permissions, entries).map(({ path }) => path),
  };
  return `${JSON.stringify(me).slice(0, -1)},"server_time":`;
}

function openTo(
  keyPermissions: readonly ClientPermission[],
  entries: readonly ResourceEntry[],
): ResourceEntry[] {
  return entries.filter(({ permissions }) => holdsAny(keyPermissions, permissions));
}
