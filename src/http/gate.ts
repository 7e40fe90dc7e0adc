import type { Domain } from '../core/actors.ts';
import { holdsAny, type Principal, refusalDetails, refusalOf } from '../core/authentication.ts';
import type { PageScope } from '../core/pages.ts';
import type { ClientPermission } from '../core/permissions.ts';
import { hashOf, isCompleteSecret, secretLength } from '../core/secrets.ts';
import type { Credential, MaybePromise } from '../core/store.ts';
import { type AddressBook, networkOf } from './addresses.ts';
import { chain } from './chain.ts';
import type { Exchange } from './exchange.ts';
import type { AddressLimiter, Allowance, KeyLimiter } from './limits.ts';
import { type ApiCode, ApiError } from './problem.ts';
import { holdsSecret } from './query.ts';
import type { Turns } from './turns.ts';

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
  turns: Turns;
  failedChecks: AddressLimiter | undefined;
  requests: KeyLimiter | undefined;
  ingest: KeyLimiter | undefined;
  /** Takes the time of each successful authentication. */
  noteUse(keyId: string, nowMs: number): void;
  /** Takes each address that goes over the limit of failed checks, once a window, and why the last one failed. */
  noteOverLimit(address: string, code: string): void;
}

/** What a route asks of a key: any one of some permissions (none asked where empty), and which limit it counts against. */
export interface Demand {
  permissions: readonly ClientPermission[];
  limit: 'requests' | 'ingest';
}

export interface Gate {
  /** Lets a request in or throws (or rejects with) why not, in the order of the contract, section 6. */
  admit(exchange: Exchange, demand: Demand): MaybePromise<Session>;
  /**
   * Judges the key of an admitted request anew, once its body has come (that may be a minute after its head), and goes on
   * at the end of that turn.
   */
  confirm<T>(exchange: Exchange, next: () => MaybePromise<T>): Promise<T>;
}

/** A credential as it was read under a version of the store; no session where it has no entity. */
interface Entry {
  version: number;
  session: Session | undefined;
  credential: Credential;
}

/** So many keys are kept in memory at most; the one seen longest ago goes first. */
const keptKeys = 20_000;

/** Builds the gate: authentication, limits and permissions of every call. */
export function createGate(options: GateOptions): Gate {
  const { domain, addresses, turns, failedChecks } = options;
  const kept = new Map<string, Entry>();
  const currentVersion = turns.once(() => domain.store.keys.version());

  /** The credential of a hash, from memory where no commit of any process came between. */
  function lookUp(secretHash: string): MaybePromise<Entry | undefined> {
    return chain(currentVersion(), (version) => {
      const found = kept.get(secretHash);
      if (found?.version === version) return found;
      return chain(domain.store.keys.credential(secretHash), (credential) =>
        keep(secretHash, version, credential, found),
      );
    });
  }

  function keep(secretHash: string, version: number, credential: Credential | undefined, before: Entry | undefined) {
    kept.delete(secretHash);
    if (credential === undefined) return undefined;
    const session =
      before?.session && sameFacts(before.credential, credential) ? before.session : toSession(credential);
    const entry = { version, session, credential };
    kept.set(secretHash, entry);
    if (kept.size > keptKeys) forgetOldest(kept);
    return entry;
  }

  function judge(exchange: Exchange, entry: Entry | undefined): Session {
    if (entry === undefined) throw unknown;
    const { credential, session } = entry;
    const nowMs = domain.clock();
    const refusal = refusalOf(credential, nowMs);
    if (refusal === 'entity_missing' || refusal === 'entity_inactive' || session === undefined) {
      const code = refusal ?? 'entity_missing';
      throw new ApiError(code, refusalDetails[code]);
    }
    if (refusal !== undefined) throw unauthorized(refusal, refusalDetails[refusal]);
    exchange.keyPrefix = credential.prefix;
    options.noteUse(credential.keyId, nowMs);
    return session;
  }

  function authenticate(exchange: Exchange): MaybePromise<Session> {
    const secret = readBearer(exchange);
    if (!isCompleteSecret(secret)) throw incomplete;
    return chain(lookUp(hashOf(secret)), (entry) => judge(exchange, entry));
  }

  /**
   * Throws what is refused, or rejects with it once a failed check is counted against its address; over the limit, that
   * is the answer. A good key is never asked.
   */
  function refuse(exchange: Exchange, thrown: unknown): Promise<never> {
    if (failedChecks === undefined || !isFailedCheck(thrown)) throw thrown;
    const network = networkOf(addresses.clientOf(exchange));
    return failedChecks.consume(network).then(({ allowed, isFirstOver, headers, resetSeconds }) => {
      exchange.notes.push(...headers);
      if (allowed) throw thrown;
      if (isFirstOver) options.noteOverLimit(network, thrown.code);
      throw tooMany('too_many_failed_checks', 'Too many failed key checks from this address', resetSeconds);
    });
  }

  function requireAllowance(exchange: Exchange, allowance: Allowance, demand: Demand): void {
    exchange.notes.push(...allowance.headers);
    if (allowance.allowed) return;
    const code = demand.limit === 'ingest' ? 'too_many_ingest_requests' : 'too_many_requests';
    throw tooMany(code, 'This API key has used up its requests', allowance.resetSeconds);
  }

  /** What comes after the limit. */
  function requireOpen(exchange: Exchange, session: Session, demand: Demand): Session {
    if (exchange.query !== '' && holdsSecret(exchange.query)) {
      const advice = 'Revoke it, if it is a key of yours: what stands in a URL ends up in logs.';
      throw new ApiError('key_in_query', `An API key belongs in the Authorization header only. ${advice}`);
    }
    if (demand.permissions.length > 0 && !holdsAny(session.principal.permissions, demand.permissions)) {
      throw lacking(demand.permissions);
    }
    return session;
  }

  function admitted(exchange: Exchange, session: Session, demand: Demand): Session {
    const limiter = options[demand.limit];
    if (limiter) requireAllowance(exchange, limiter.consume(session.principal.keyId), demand);
    return requireOpen(exchange, session, demand);
  }

  function admit<T>(exchange: Exchange, next: (session: Session) => MaybePromise<T>): MaybePromise<T> {
    let session: MaybePromise<Session>;
    try {
      session = authenticate(exchange);
    } catch (thrown) {
      return refuse(exchange, thrown);
    }
    if (!(session instanceof Promise)) return next(session);
    return session.then(next, (thrown: unknown) => refuse(exchange, thrown));
  }

  return {
    admit: (exchange, demand) => admit(exchange, (session) => admitted(exchange, session, demand)),
    confirm: (exchange, next) =>
      new Promise((resolve, reject) => {
        turns.join({
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
 * The token of the one Authorization header, `Bearer` in any case (RFC 9110, RFC 6750). Throws `missing_authorization` or
 * `malformed_authorization`.
 */
function readBearer(exchange: Exchange): string {
  const value = exchange.header('authorization');
  if (value === undefined) {
    throw missing;
  }
  if (exchange.countOf('authorization') > 1) throw malformed('Send one Authorization header only.');
  if (value.length === bearerLength && value.startsWith('Bearer hk_')) return value.slice(bearer.length);
  const match = /^bearer +([^\s,]+)$/i.exec(value);
  const token = match?.[1];
  // What HTTP forbids in a token never gets further; the rest is a wrong key, not a wrong header.
  if (token === undefined || !/^[!-~]+$/.test(token)) throw malformed('Send it as: Authorization: Bearer hk_…');
  return token;
}

const bearer = 'Bearer ';
const bearerLength = bearer.length + secretLength;

function malformed(detail: string): ApiError {
  return unauthorized('malformed_authorization', `The Authorization header is malformed. ${detail}`);
}

/** Thrown again and again: a flood of wrong keys shall not cost a stack trace each. */
const missing = unauthorized('missing_authorization', 'Send the API key as: Authorization: Bearer hk_…');
const incomplete = unauthorized('incomplete_secret', 'This is no complete API key: it was cut short or mistyped.');
const unknown = unauthorized('unknown_key', 'There is no such API key.');

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

function tooMany(code: ApiCode, what: string, seconds: number): ApiError {
  const plural = seconds === 1 ? 'second' : 'seconds';
  return new ApiError(code, `${what}. Try again in ${seconds} ${plural}.`, {
    headers: ['Retry-After', String(seconds)],
  });
}

/** A request without credentials is no failed check, and neither is a good key of an inactive entity. */
function isFailedCheck(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && failedCodes.has(thrown.code);
}

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
