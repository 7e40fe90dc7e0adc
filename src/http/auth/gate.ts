import type { Socket } from 'node:net';
import type { ClientPermission } from '../../core/access/permissions.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { errorTable } from '../../core/errors.ts';
import { holdsAny, refusalOf } from '../../core/keys/authentication.ts';
import { type Refusal, refusals } from '../../core/keys/refusals.ts';
import type { Credential } from '../../core/port/keys.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import {
  hashOf,
  holdsSecret,
  isCompleteSecret,
  looksLikeSecret,
  secretLength,
} from '../../core/secrets.ts';
import { type ApiCode, ApiError, codesOf } from '../answers/problem.ts';
import type { RequestBatches } from '../fairness/batches.ts';
import type { Exchange } from '../request/exchange.ts';
import type { KeyTally } from '../request/key-tally.ts';
import { type AddressBook, networkOf } from './client-addresses.ts';
import {
  type CachedCredential,
  cacheCapacity,
  createCredentialCache,
  type KeySession,
} from './credential-cache.ts';
import type { Limiters } from './limits.ts';

interface GateOptions extends Limiters {
  domain: Domain;
  addresses: AddressBook;
  batches: RequestBatches;
  tallyOf(credential: Credential): KeyTally;
  /** Receives the key and the client address of each successful authentication. */
  noteCall?(key: CachedCredential['credential'], address: string): void;
  /** Receives the connection of each successful authentication. */
  identifyConnection(socket: Socket, keyId: string): void;
  /** Receives each address that exceeds the limit of failed checks, once a window, and why the last check failed. */
  warnOverLimit(address: string, code: string): void;
}

/** Requirements of a route for a key: at least one of some permissions (none if empty), and the limit that it counts against. */
export interface Requirement {
  permissions: readonly ClientPermission[];
  limit: 'requests' | 'ingest';
}

export interface Gate {
  /** Authenticates a request and calls its handler, or returns the refusal, in the order of promise 6.1. */
  admit<T>(
    exchange: Exchange,
    requirement: Requirement,
    handler: AdmittedHandler<T>,
  ): MaybePromise<T | ApiError>;
  /**
   * Authenticates an admitted request again once its body has arrived, perhaps a minute after its head. Calls `handler` at
   * the end of that request batch.
   */
  confirm<T>(exchange: Exchange, handler: AdmittedHandler<T>): Promise<T | ApiError>;
  /**
   * Counts further requests against the key of an admitted request that turned out to cost as much, and updates its headers.
   * With 0 it throws `too_many_requests` if the key has exceeded its limit since the request was admitted.
   */
  charge(exchange: Exchange, session: KeySession, moreRequests: number): void;
}

type AdmittedHandler<T> = (exchange: Exchange, session: KeySession) => MaybePromise<T>;

/**
 * Builds the gate: authentication, limits and permissions of every request. Refusals are returned and not thrown.
 */
export function createGate(options: GateOptions, capacity = cacheCapacity): Gate {
  const { domain, addresses, batches, failedChecks } = options;
  const { keys } = domain.store;
  const credentials = createCredentialCache(
    keys,
    batches.once(() => keys.changeCounter()),
    options.tallyOf,
    capacity,
  );

  function validate(
    exchange: Exchange,
    cached: CachedCredential | undefined,
  ): KeySession | ApiError {
    if (cached === undefined) return unknownKey;
    const { credential, session } = cached;
    // Once, although a request with a body is authenticated twice.
    if (exchange.tally === undefined) exchange.responseHeaders.push(...cached.headers);
    const nowMs = domain.clock();
    const tally = cached.tally(nowMs);
    exchange.tally = tally;

    const address = addresses.clientOf(exchange);
    const refusal = refusalOf(credential, nowMs);
    if (refusal !== undefined || session === undefined) {
      const code = refusal ?? 'entity_missing';
      tally.noteRefusal(code, nowMs, address);
      return refusalErrors[code];
    }

    exchange.keyPrefix = credential.prefix;
    if (session.allows !== undefined && !session.allows(address)) return addressNotAllowed(address);

    tally.recordUse(nowMs, address);
    options.noteCall?.(credential, address);
    options.identifyConnection(exchange.node.req.socket, credential.keyId);
    return session;
  }

  function authenticate(exchange: Exchange): MaybePromise<KeySession | ApiError> {
    const secret = readBearer(exchange);
    if (typeof secret !== 'string') return secret;
    // A token may be as long as a head: a longer one than any secret is not hashed.
    if (secret.length !== secretLength) return incompleteSecret;

    const secretHash = hashOf(secret);
    if (!credentials.has(secretHash) && !isCompleteSecret(secret)) return incompleteSecret;
    return chain(credentials.read(secretHash), (cached) => validate(exchange, cached));
  }

  /** Counts a failed check against its address, and returns the refusal, or the one for an address over its limit. */
  function refuse(exchange: Exchange, refusal: ApiError): ApiError {
    if (failedChecks === undefined || !failedCodes.has(refusal.code)) return refusal;
    const address = addresses.clientOf(exchange);
    const network = networkOf(address);
    const { allowed, isFirstOver, headers, resetSeconds } = failedChecks.consume(network);
    exchange.responseHeaders.push(...headers);
    if (allowed) return refusal;
    if (isFirstOver) options.warnOverLimit(network, refusal.code);
    exchange.tally?.noteRefusal('too_many_failed_checks', domain.clock(), address);
    return overLimit.failedChecks(resetSeconds);
  }

  /** The refusal of a valid key because of a limit, its query or its permissions; undefined if it is admitted. */
  function limitOrPermissionRefusal(
    exchange: Exchange,
    { principal }: KeySession,
    requirement: Requirement,
  ): ApiError | undefined {
    const limiter = options[requirement.limit];
    if (limiter) {
      const { allowed, headers, resetSeconds } = limiter.consume(
        principal.keyId,
        exchange.startedAt,
      );
      exchange.responseHeaders.push(...headers);
      if (!allowed) return overLimit[requirement.limit](resetSeconds);
    }
    if (exchange.query !== '' && holdsSecret(exchange.query)) return keyInQuery;

    const { permissions } = requirement;
    return permissions.length === 0 || holdsAny(principal.permissions, permissions)
      ? undefined
      : permissionRequired(permissions);
  }

  function admit<T>(
    exchange: Exchange,
    handler: AdmittedHandler<T>,
    requirement?: Requirement,
  ): MaybePromise<T | ApiError> {
    return chain(authenticate(exchange), (result): MaybePromise<T | ApiError> => {
      if (result instanceof ApiError) return refuse(exchange, result);
      return (
        (requirement && limitOrPermissionRefusal(exchange, result, requirement)) ??
        handler(exchange, result)
      );
    });
  }

  function charge(exchange: Exchange, { principal }: KeySession, moreRequests: number): void {
    const allowance = options.requests?.charge(principal.keyId, moreRequests);
    if (allowance === undefined) return;
    const { headers, allowed, resetSeconds } = allowance;
    exchange.responseHeaders.splice(
      exchange.responseHeaders.indexOf('RateLimit-Policy'),
      headers.length,
      ...headers,
    );
    if (moreRequests === 0 && !allowed) throw overLimit.requests(resetSeconds);
  }

  return {
    charge,
    admit: (exchange, requirement, handler) => admit(exchange, handler, requirement),
    confirm: (exchange, handler) =>
      new Promise((resolve, reject) => {
        batches.join({
          client: exchange.keyPrefix,
          run() {
            try {
              resolve(admit(exchange, handler));
            } catch (thrown) {
              reject(thrown);
            }
          },
        });
      }),
  };
}

/**
 * Reads the token of the one Authorization header, `Bearer` in any case (RFC 9110, RFC 6750), or returns
 * `missing_authorization` or `malformed_authorization`.
 */
function readBearer(exchange: Exchange): string | ApiError {
  const authorization = exchange.header('authorization');
  if (authorization === undefined)
    return looksLikeSecret(exchange.query) ? missingButInQuery : missingHeader;
  if (exchange.countOf('authorization') > 1) return repeatedHeader(authorization);
  if (authorization.length === bearerLength && authorization.startsWith('Bearer hk_'))
    return authorization.slice(bearer.length);
  const bearerMatch = /^bearer +([^\s,]+)$/i.exec(authorization);
  const token = bearerMatch?.[1];
  // Characters that HTTP forbids in a token make the header malformed; any other token is at worst an unknown key.
  return token !== undefined && /^[!-~]+$/.test(token) ? token : malformedHeader(authorization);
}

const bearer = 'Bearer ';
const bearerLength = bearer.length + secretLength;

/** Refusals recur: each is built once. */
const missingHeader = unauthenticated(
  'missing_authorization',
  refusals.missing_authorization.detail,
);
const leaked =
  'The secret in this URL is known to others now, since URLs end up in logs: have its key rotated, if it is one of yours.';
const missingButInQuery = unauthenticated(
  'missing_authorization',
  `${refusals.missing_authorization.detail}, and not in the URL. ${leaked}`,
);
const malformedHeader = malformedBecause('Send it as: Authorization: Bearer hk_…');
const repeatedHeader = malformedBecause('Send one Authorization header only.');
const incompleteSecret = unauthorized('incomplete_secret', refusals.incomplete_secret.detail);
const unknownKey = unauthorized('unknown_key', refusals.unknown_key.detail);
const refusalErrors: Readonly<Record<Refusal, ApiError>> = {
  key_revoked: refusalWith('key_revoked'),
  key_expired: refusalWith('key_expired'),
  creator_inactive: refusalWith('creator_inactive'),
  entity_missing: refusalWith('entity_missing'),
  entity_inactive: refusalWith('entity_inactive'),
};
const keyInQuery = new ApiError(
  'key_in_query',
  `An API key belongs in the Authorization header only. ${leaked}`,
);

function refusalWith(code: Refusal): ApiError {
  const { detail } = refusals[code];
  return errorTable[code].status === 401 ? unauthorized(code, detail) : new ApiError(code, detail);
}

function addressNotAllowed(address: string): ApiError {
  return new ApiError(
    'address_not_allowed',
    `This API key must not be used from the address ${address}.`,
  );
}

function malformedBecause(reason: string): (authorization: string) => ApiError {
  const detail = `${refusals.malformed_authorization.detail} ${reason}`;
  const ofBearer = unauthorized('malformed_authorization', detail);
  const ofOtherScheme = unauthenticated('malformed_authorization', detail);
  return (authorization) => (bearerScheme.test(authorization) ? ofBearer : ofOtherScheme);
}

const bearerScheme = /^bearer(?:[\s,]|$)/i;

/** A refusal of a Bearer token. */
function unauthorized(code: ApiCode, detail: string): ApiError {
  return challenge(code, detail, `, error="invalid_token", error_description="${code}"`);
}

/** RFC 6750, section 3.1: no error attribute for a client that sent nothing, or another scheme. */
function unauthenticated(code: ApiCode, detail: string): ApiError {
  return challenge(code, detail, '');
}

function permissionRequired(permissions: readonly ClientPermission[]): ApiError {
  // The attribute lists what is needed together (RFC 6750, section 3), and here any permission suffices.
  const scope = permissions.length === 1 ? `, scope="${permissions[0]}"` : '';
  return challenge(
    'permission_required',
    `This needs the permission ${permissions.join(' or ')}.`,
    `, error="insufficient_scope"${scope}`,
    { permissions },
  );
}

function challenge(
  code: ApiCode,
  detail: string,
  attributes: string,
  members?: Readonly<Record<string, unknown>>,
): ApiError {
  const headers = ['WWW-Authenticate', `Bearer realm="hkctl"${attributes}`];
  return new ApiError(code, detail, { headers, members });
}

/** Refusals of a client over a limit, by the seconds that it has to wait. */
const overLimit = {
  failedChecks: tooMany('too_many_failed_checks', 'Too many failed key checks from this address'),
  requests: tooMany('too_many_requests', 'This API key has used up its requests'),
  ingest: tooMany('too_many_ingest_requests', 'This API key has used up its requests'),
};

/** Keeps the last error: for a second, all further requests of a client get the same. */
function tooMany(code: ApiCode, subject: string): (seconds: number) => ApiError {
  let lastRefusal: { seconds: number; error: ApiError } | undefined;
  return (seconds) => {
    if (lastRefusal?.seconds !== seconds) {
      const detail = `${subject}. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
      lastRefusal = {
        seconds,
        error: new ApiError(code, detail, { headers: ['Retry-After', String(seconds)] }),
      };
    }
    return lastRefusal.error;
  };
}

/** A request without credentials is no failed check, and neither is a valid key of an inactive entity. */
const failedCodes: ReadonlySet<string> = new Set(
  codesOf(401).filter((code) => code !== 'missing_authorization'),
);
