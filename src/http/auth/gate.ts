import type { Socket } from 'node:net';
import type { Domain } from '../../core/access/actors.ts';
import type { ClientPermission } from '../../core/access/permissions.ts';
import { holdsAny, type Principal, type Refusal, refusalDetails, refusalOf } from '../../core/keys/authentication.ts';
import { hashOf, holdsSecret, isCompleteSecret, secretLength } from '../../core/keys/secrets.ts';
import type { Credential } from '../../core/port/keys.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { PageScope } from '../../core/records/queries.ts';
import type { RequestBatches } from '../request/batches.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { type ApiCode, ApiError } from '../request/problem.ts';
import { type AddressBook, networkOf } from './client-addresses.ts';
import type { AddressLimiter, KeyLimiter } from './limits.ts';

/** A key that was let in, with what its answers need again and again; the same object for as long as the key stays as it is. */
export interface Session {
  principal: Principal;
  scope: PageScope;
  /** Names entity, zone and week start: what a page is true for. */
  scopeKey: string;
}

export interface GateOptions {
  domain: Domain;
  addresses: AddressBook;
  batches: RequestBatches;
  failedChecks: AddressLimiter | undefined;
  requests: KeyLimiter | undefined;
  ingest: KeyLimiter | undefined;
  /** Takes the time of each successful authentication. */
  noteUse(keyId: string, nowMs: number): void;
  /** Takes the connection of each successful authentication. */
  noteKey(socket: Socket, keyId: string): void;
  /** Takes each address that goes over the limit of failed checks, once a window, and why the last one failed. */
  noteOverLimit(address: string, code: string): void;
}

/** What a route asks of a key: any one of some permissions (none asked where empty), and which limit it counts against. */
export interface Demand {
  permissions: readonly ClientPermission[];
  limit: 'requests' | 'ingest';
}

export interface Gate {
  /** Lets a request in and goes on with it, or gives why not, in the order of the contract, section 6. */
  admit<T>(exchange: Exchange, demand: Demand, next: Next<T>): MaybePromise<T | ApiError>;
  /**
   * Validators the key of an admitted request anew, once its body has come (that may be a minute after its head), and goes on
   * at the end of that turn.
   */
  confirm<T>(exchange: Exchange, next: Next<T>): Promise<T | ApiError>;
  /**
   * Counts `more` requests against the key of an admitted one that turned out to cost as much, and says so in its headers.
   * With 0 it throws `too_many_requests` where the key has gone beyond its limit since it was admitted.
   */
  charge(exchange: Exchange, session: Session, more: number): void;
}

type Next<T> = (session: Session) => MaybePromise<T>;

/** A credential as it was read under a version of the store; no session where it has no entity. */
interface Entry {
  version: number;
  session: Session | undefined;
  credential: Credential;
}

/**
 * So many keys are kept in memory at most, the one seen longest ago going first; and so many secrets that are no key, since
 * a client with a wrong one tries it again and again.
 */
const gateCapacity = { keys: 20_000, absent: 1_000 };

/**
 * Builds the gate: authentication, limits and permissions of every call. Refusals are given and not thrown: under a flood of
 * wrong keys, throwing would cost more than validating.
 */
export function createGate(options: GateOptions, capacity = gateCapacity): Gate {
  const { domain, addresses, batches, failedChecks } = options;
  const kept = new Map<string, Entry>();
  /** Versions of the store in which there was no such key, by hash. */
  const absent = new Map<string, number>();
  const currentVersion = batches.once(() => domain.store.keys.version());

  /** The credential of a hash, from memory where no commit of any process came between. */
  function lookUp(secretHash: string): MaybePromise<Entry | undefined> {
    return chain(currentVersion(), (version) => {
      const found = kept.get(secretHash);
      if (found?.version === version) return found;
      if (absent.get(secretHash) === version) return undefined;
      return chain(domain.store.keys.credential(secretHash), (credential) =>
        keep(secretHash, version, credential, found),
      );
    });
  }

  function keep(secretHash: string, version: number, credential: Credential | undefined, before: Entry | undefined) {
    kept.delete(secretHash);
    if (credential === undefined) {
      absent.set(secretHash, version);
      if (absent.size > capacity.absent) forgetOldest(absent);
      return undefined;
    }
    const session =
      before?.session && sameFacts(before.credential, credential) ? before.session : toSession(credential);
    const entry = { version, session, credential };
    kept.set(secretHash, entry);
    if (kept.size > capacity.keys) forgetOldest(kept);
    return entry;
  }

  function judge(exchange: Exchange, entry: Entry | undefined): Session | ApiError {
    if (entry === undefined) return unknown;
    const { credential, session } = entry;
    const nowMs = domain.clock();
    const refusal = refusalOf(credential, nowMs);
    if (refusal !== undefined || session === undefined) return refusals[refusal ?? 'entity_missing'];
    exchange.keyPrefix = credential.prefix;
    options.noteUse(credential.keyId, nowMs);
    if (exchange.node) options.noteKey(exchange.node.req.socket, credential.keyId);
    return session;
  }

  function authenticate(exchange: Exchange): MaybePromise<Session | ApiError> {
    const secret = readBearer(exchange);
    if (typeof secret !== 'string') return secret;
    if (!isCompleteSecret(secret)) return incomplete;
    return chain(lookUp(hashOf(secret)), (entry) => judge(exchange, entry));
  }

  /** Counts a failed check against its address; over the limit, that is the answer. A good key is never asked. */
  function refuse(exchange: Exchange, why: ApiError): MaybePromise<ApiError> {
    if (failedChecks === undefined || !failedCodes.has(why.code)) return why;
    const network = networkOf(addresses.clientOf(exchange));
    return failedChecks.consume(network, ({ allowed, isFirstOver, headers, resetSeconds }) => {
      exchange.responseHeaders.push(...headers);
      if (allowed) return why;
      if (isFirstOver) options.noteOverLimit(network, why.code);
      return overLimit.failedChecks(resetSeconds);
    });
  }

  /** Why a good key is not let in all the same. */
  function obstacle(exchange: Exchange, { principal }: Session, demand: Demand): ApiError | undefined {
    const limiter = options[demand.limit];
    if (limiter) {
      const { allowed, headers, resetSeconds } = limiter.consume(principal.keyId);
      exchange.responseHeaders.push(...headers);
      if (!allowed) return overLimit[demand.limit](resetSeconds);
    }
    if (exchange.query !== '' && holdsSecret(exchange.query)) return keyInQuery;
    const { permissions } = demand;
    return permissions.length === 0 || holdsAny(principal.permissions, permissions) ? undefined : lacking(permissions);
  }

  function admit<T>(exchange: Exchange, next: Next<T>): MaybePromise<T | ApiError> {
    return chain(authenticate(exchange), (result): MaybePromise<T | ApiError> => {
      return result instanceof ApiError ? refuse(exchange, result) : next(result);
    });
  }

  function charge(exchange: Exchange, { principal }: Session, more: number): void {
    const allowance = options.requests?.charge(principal.keyId, more);
    if (allowance === undefined) return;
    const { headers, allowed, resetSeconds } = allowance;
    exchange.responseHeaders.splice(exchange.responseHeaders.indexOf('RateLimit-Policy'), headers.length, ...headers);
    if (more === 0 && !allowed) throw overLimit.requests(resetSeconds);
  }

  return {
    charge,
    admit: (exchange, demand, next) =>
      admit(exchange, (session) => obstacle(exchange, session, demand) ?? next(session)),
    confirm: (exchange, next) =>
      new Promise((resolve, reject) => {
        batches.join({
          run() {
            try {
              resolve(admit(exchange, next));
            } catch (thrown) {
              reject(thrown);
            }
          },
        });
      }),
  };
}

/**
 * The token of the one Authorization header, `Bearer` in any case (RFC 9110, RFC 6750), or `missing_authorization` or
 * `malformed_authorization`.
 */
function readBearer(exchange: Exchange): string | ApiError {
  const value = exchange.header('authorization');
  if (value === undefined) return missing;
  if (exchange.countOf('authorization') > 1) return repeated;
  if (value.length === bearerLength && value.startsWith('Bearer hk_')) return value.slice(bearer.length);
  const match = /^bearer +([^\s,]+)$/i.exec(value);
  const token = match?.[1];
  // What HTTP forbids in a token never gets further; the rest is a wrong key, not a wrong header.
  return token !== undefined && /^[!-~]+$/.test(token) ? token : malformed;
}

const bearer = 'Bearer ';
const bearerLength = bearer.length + secretLength;

/** Refusals are given again and again: each is made once. */
const missing = unauthorized('missing_authorization', 'Send the API key as: Authorization: Bearer hk_…');
const malformed = malformedBecause('Send it as: Authorization: Bearer hk_…');
const repeated = malformedBecause('Send one Authorization header only.');
const incomplete = unauthorized('incomplete_secret', 'This is no complete API key: it was cut short or mistyped.');
const unknown = unauthorized('unknown_key', 'There is no such API key.');
const refusals: Readonly<Record<Refusal, ApiError>> = {
  key_revoked: unauthorized('key_revoked', refusalDetails.key_revoked),
  key_expired: unauthorized('key_expired', refusalDetails.key_expired),
  creator_inactive: unauthorized('creator_inactive', refusalDetails.creator_inactive),
  entity_missing: new ApiError('entity_missing', refusalDetails.entity_missing),
  entity_inactive: new ApiError('entity_inactive', refusalDetails.entity_inactive),
};
const keyInQuery = new ApiError(
  'key_in_query',
  'An API key belongs in the Authorization header only. ' +
    'Revoke it, if it is a key of yours: what stands in a URL ends up in logs.',
);

function malformedBecause(detail: string): ApiError {
  return unauthorized('malformed_authorization', `The Authorization header is malformed. ${detail}`);
}

/** RFC 6750, section 3: no error attribute where no credentials came. */
function unauthorized(code: ApiCode, detail: string): ApiError {
  const error = code === 'missing_authorization' ? '' : `, error="invalid_token", error_description="${code}"`;
  return new ApiError(code, detail, { headers: ['WWW-Authenticate', `Bearer realm="hkctl"${error}`] });
}

function lacking(permissions: readonly ClientPermission[]): ApiError {
  const scope = permissions.join(' ');
  return new ApiError('permission_required', `This needs the permission ${permissions.join(' or ')}.`, {
    headers: ['WWW-Authenticate', `Bearer realm="hkctl", error="insufficient_scope", scope="${scope}"`],
    members: { permissions },
  });
}

/** What a client over a limit is told, by the seconds for which it has to wait. */
const overLimit = {
  failedChecks: tooMany('too_many_failed_checks', 'Too many failed key checks from this address'),
  requests: tooMany('too_many_requests', 'This API key has used up its requests'),
  ingest: tooMany('too_many_ingest_requests', 'This API key has used up its requests'),
};

/** The last error is kept: whoever goes on asking is told the same for a second. */
function tooMany(code: ApiCode, what: string): (seconds: number) => ApiError {
  let last: { seconds: number; error: ApiError } | undefined;
  return (seconds) => {
    if (last?.seconds !== seconds) {
      const detail = `${what}. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
      last = { seconds, error: new ApiError(code, detail, { headers: ['Retry-After', String(seconds)] }) };
    }
    return last.error;
  };
}

/** A request without credentials is no failed check, and neither is a good key of an inactive entity. */
const failedCodes: ReadonlySet<string> = new Set([
  'malformed_authorization',
  'incomplete_secret',
  'unknown_key',
  'key_revoked',
  'key_expired',
  'creator_inactive',
]);

function toSession(credential: Credential): Session | undefined {
  const { entity, tenant } = credential;
  if (entity === null) return undefined;
  const { weekStart } = tenant;
  return {
    principal: { ...credential, entity },
    scope: { entityId: entity.id, timezone: entity.timezone, weekStart },
    scopeKey: `${entity.id} ${entity.timezone} ${weekStart}`,
  };
}

/** Whether a credential read anew says what it said before: then what was made of it still holds. */
function sameFacts(before: Credential, now: Credential): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}

function forgetOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
