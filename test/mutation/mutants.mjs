// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text.

import { furtherMutants } from './fairness-and-trail.mjs';
import { journalMutants } from './journal.mjs';
import { usageMutants } from './usage.mjs';

const gate = 'src/http/auth/gate.ts';
const gateTests = [
  'test/http/auth/gate.test.ts',
  'test/http/auth/gate-limits.test.ts',
  'test/http/auth/gate-memory.test.ts',
  'test/http/scenarios.test.ts',
];
const credentials = 'src/http/auth/credential-cache.ts';
const authentication = 'src/core/keys/authentication.ts';
const addressTests = ['test/http/allowed-addresses.test.ts'];
const limits = 'src/http/auth/limits.ts';
const limitTests = ['test/http/auth/limits.test.ts', 'test/http/auth/gate-limits.test.ts'];
const issuance = 'src/core/keys/issuance.ts';
const issuanceTests = [
  'test/core/keys/issuance.test.ts',
  'test/core/keys/keys.test.ts',
  'test/cli/delivery/secret-files.test.ts',
  'test/cli/delivery/rotated-files.test.ts',
  'test/cli/commands/keys/keys.test.ts',
];
const roles = 'src/core/access/roles.ts';
const expiry = 'src/core/keys/expiry.ts';
const networks = 'src/core/keys/networks.ts';
const networkTests = ['test/core/networks.test.ts'];
const cutOff = 'src/core/keys/secret-files.ts';
const cutOffTests = ['test/cli/delivery/rotated-files.test.ts', 'test/cli/commands/keys/rotation.test.ts'];
const createdTests = ['test/cli/delivery/secret-files.test.ts'];
const notes = 'src/core/keys/keys.ts';
const noteTests = ['test/cli/commands/keys/notes.test.ts'];
const secrets = 'src/core/secrets.ts';
const secretTests = ['test/core/secrets.test.ts'];
const keys = 'src/store/registry/keys.ts';
const keyChanges = 'src/store/registry/key-changes.ts';
const uses = 'src/store/sqlite/registry/usage.ts';
const keyTests = ['test/store/conformance', 'test/endurance/e2e/keys/revocation.test.ts'];
const actors = 'src/core/domain/actors.ts';
const people = [
  'test/core/access/permissions.test.ts',
  'test/core/keys/issuance.test.ts',
  'test/cli/commands/people.test.ts',
  'test/cli/commands/actors.test.ts',
];

/** Each one breaks one rule: file, text (there once), its replacement, and the tests of which one must turn red. */
export const mutants = [
  // --- the gate
  [gate, 'if (!credentials.has(secretHash) && !isCompleteSecret(secret)) return incomplete;', '', ...gateTests],
  [
    gate,
    "if (typeof secret !== 'string') return secret;",
    "if (typeof secret !== 'string') return incomplete;",
    ...gateTests,
  ],
  [
    gate,
    'if (value === undefined) return looksLikeSecret',
    'if (value === undefined) return malformed ?? looksLikeSecret',
    ...gateTests,
  ],
  [gate, "if (exchange.countOf('authorization') > 1) return repeated;", '', 'test/http/net/framing.test.ts'],
  [gate, '/^bearer +([^\\s,]+)$/i', '/^bearer +([^\\s,]+)$/', ...gateTests],
  [gate, '/^bearer +([^\\s,]+)$/i', '/bearer +([^\\s,]+)$/i', ...gateTests],
  [gate, '/^bearer +([^\\s,]+)$/i', '/^bearer +([^\\s,]+)/i', ...gateTests],
  [gate, '/^bearer +([^\\s,]+)$/i', '/^bearer ([^\\s,]+)$/i', ...gateTests],
  [gate, '/^[!-~]+$/.test(token)', 'true', ...gateTests],
  [
    credentials,
    'if (known?.version === version) return known;',
    'if (known !== undefined) return known;',
    ...gateTests,
  ],
  [
    credentials,
    'if (absent.get(secretHash) === version) return undefined;',
    'if (absent.has(secretHash)) return undefined;',
    ...gateTests,
  ],
  [credentials, 'keepNewest(absent, capacity.absent);', '', ...gateTests],
  [credentials, 'keepNewest(found, capacity.keys);', '', ...gateTests],
  [credentials, 'before?.session && isSame(before.credential, credential)', 'before?.session', ...gateTests],
  [gate, 'if (entry === undefined) return unknown;', 'if (entry === undefined) return incomplete;', ...gateTests],
  [gate, 'refusal !== undefined || session === undefined', 'session === undefined', ...gateTests],
  [gate, 'exchange.keyPrefix = credential.prefix;', '', ...gateTests],
  [gate, '    tally.recordUse(nowMs, address);\n', '', ...gateTests, 'test/endurance/e2e/keys/last-use.test.ts'],
  [gate, 'session.allows !== undefined && !session.allows(address)', 'false', ...addressTests],
  [credentials, 'allowedIps.length === 0 ? undefined', 'true ? undefined', ...addressTests],
  [
    gate,
    'if (failedChecks === undefined || !failedCodes.has(why.code)) return why;',
    'if (failedChecks === undefined) return why;',
    ...gateTests,
  ],
  [
    gate,
    'const network = networkOf(addresses.clientOf(exchange));',
    'const network = addresses.clientOf(exchange);',
    ...gateTests,
  ],
  [gate, 'if (allowed) return why;', 'return why;', ...gateTests],
  [gate, 'if (isFirstOver) options', 'options', ...gateTests],
  [gate, 'return overLimit.failedChecks(resetSeconds);', 'return overLimit.requests(resetSeconds);', ...gateTests],
  [gate, 'const limiter = options[requirement.limit];', 'const limiter = options.requests;', ...gateTests],
  [gate, 'if (!allowed) return overLimit[requirement.limit](resetSeconds);', '', ...gateTests],
  [
    gate,
    'if (!allowed) return overLimit[requirement.limit](resetSeconds);',
    'if (!allowed) return overLimit.requests(resetSeconds);',
    ...gateTests,
  ],
  [gate, "if (exchange.query !== '' && holdsSecret(exchange.query)) return keyInQuery;", '', ...gateTests],
  [gate, 'permissions.length === 0 || holdsAny', 'true || holdsAny', ...gateTests],
  [
    gate,
    'if (result instanceof ApiError) return refuse(exchange, result);',
    'if (result instanceof ApiError) return result;',
    ...gateTests,
  ],
  [
    gate,
    '(requirement && refusalFor(exchange, result, requirement)) ?? next(exchange, result)',
    'next(exchange, result)',
    ...gateTests,
  ],
  [
    gate,
    'resolve(admit(exchange, next));',
    'resolve(next(exchange, undefined));',
    'test/http/ingest/long-bodies.test.ts',
  ],
  [
    'src/http/ingest/ingest.ts',
    'confirmed(exchange, parsed, keep)',
    'parsed.then(keep)',
    'test/http/ingest/long-bodies.test.ts',
  ],
  [
    'src/http/fairness/batches.ts',
    'performance.now() + done * this.#sendMs > endsAt',
    'performance.now() > endsAt',
    'test/http/fairness/slices.test.ts',
  ],
  ...[
    'malformed_authorization',
    'incomplete_secret',
    'unknown_key',
    'key_revoked',
    'key_expired',
    'creator_inactive',
  ].map((code) => [
    gate,
    "filter((code) => code !== 'missing_authorization'));",
    `filter((code) => code !== 'missing_authorization' && code !== '${code}'));`,
    ...gateTests,
  ]),
  [gate, "headers: ['Retry-After', String(seconds)]", 'headers: []', ...gateTests],
  [gate, 'if (last?.seconds !== seconds)', 'if (last === undefined)', ...gateTests],
  [gate, "code === 'missing_authorization' ? ''", "code === 'unknown_key' ? ''", ...gateTests],
  [
    credentials,
    'scope: { entityId: entity.id,',
    "scope: { entityId: '',",
    ...gateTests,
    'test/http/request/caching.test.ts',
  ],
  [credentials, 'scopeKey: `${entity.id} ', 'scopeKey: `', 'test/http/request/caching.test.ts', ...gateTests],
  // --- connections that wait for each other, and answers in pieces
  [
    'src/http/fairness/handshakes.ts',
    'waiting.add(client, ',
    "waiting.add('', ",
    'test/http/fairness/handshakes.test.ts',
  ],
  [
    'src/http/fairness/iterations.ts',
    'if (mustWait()) soon();',
    'if (seen < 0) soon();',
    'test/http/fairness/handshakes.test.ts',
  ],
  ...[
    ['seen = this.accepted;', ''],
    ['now - waitsSince >= longestMs', 'now > Infinity'],
  ].map(([from, to]) => ['src/http/fairness/iterations.ts', from, to, 'test/http/fairness/iterations.test.ts']),
  ['src/http/fairness/handshakes.ts', '(now - begunAt) / msForEach', '0', 'test/http/fairness/handshakes.test.ts'],
  [
    'src/http/net/connections.ts',
    'upTo: bytesWritten + unsent',
    'upTo: bytesWritten',
    'test/endurance/http/fairness/large-answers.test.ts',
  ],
  [
    'src/http/request/response.ts',
    'const takesMore = res.write(piece);\n    // Node would keep the piece until the slice is over, and encrypt it then.\n    res.socket?.uncork();',
    'const takesMore = res.write(piece);',
    'test/http/request/response.test.ts',
  ],
  ['src/http/request/response.ts', "if (!takesMore) return 'full';", '', 'test/http/request/response.test.ts'],
  [
    'src/store/records/records.ts',
    'if (left < 0) return',
    'if (left < -1e9) return',
    'test/http/routes',
    'test/store/conformance',
  ],
  // --- why a known key is refused
  [authentication, "if (credential.revokedAtMs !== null) return 'key_revoked';", '', ...gateTests],
  [authentication, 'credential.expiresAtMs <= nowMs', 'credential.expiresAtMs < nowMs', ...gateTests],
  [
    authentication,
    "if (credential.expiresAtMs !== null && credential.expiresAtMs <= nowMs) return 'key_expired';",
    '',
    ...gateTests,
  ],
  [authentication, "if (credential.creatorStatus !== 'active') return 'creator_inactive';", '', ...gateTests],
  [
    authentication,
    "if (credential.entity === null) return 'entity_missing';",
    "if (credential.entity === null) return 'entity_inactive';",
    ...gateTests,
  ],
  [authentication, "if (credential.entity.status !== 'active') return 'entity_inactive';", '', ...gateTests],
  [authentication, 'wanted.some(', 'wanted.every(', ...gateTests],
  // --- limits
  [limits, 'keepNewest(windows, most);', '', ...limitTests],
  [limits, 'if (allowed) window.used++;', 'if (allowed) window.used;', ...limitTests],
  [limits, 'else window.refused++;', 'else window.refused;', ...limitTests],
  [limits, 'isFirstOver: refused === 1', 'isFirstOver: refused > 0', ...limitTests],
  [limits, 'known.endsMs > nowMs) return known', 'true) return known', ...limitTests],
  [limits, 'before.used > requests', 'before.used < 0', ...limitTests],
  [limits, 'if (used > 0) return {', 'if (used > -Infinity) return {', ...limitTests],
  [limits, 'r=${Math.max(0, requests - used)}', 'r=${requests - used}', ...limitTests],
  [limits, 'Math.max(1, Math.ceil', 'Math.max(0, Math.floor', ...limitTests],
  [limits, 'endsMs: nowMs + windowMs', 'endsMs: nowMs + windowSeconds', ...limitTests],
  // --- how keys are made
  [roles, "'key.create': ['api_keys.create']", "'key.create': []", ...issuanceTests],
  [issuance, '  requireCreatable(input, domain.clock());\n', '', ...issuanceTests],
  [issuance, '  requireKeyName(input.name);\n', '', ...issuanceTests],
  [issuance, 'input.permissions.length === 0', 'false', ...issuanceTests],
  [issuance, "input.entity.status !== 'active'", 'false', ...issuanceTests],
  [expiry, 'expiresAtMs <= nowMs', 'expiresAtMs < nowMs', ...issuanceTests],
  [issuance, 'requireAhead(input.expiresAtMs, nowMs);', '', ...issuanceTests],
  [
    issuance,
    'permissions: normalisePermissions(input.permissions)',
    'permissions: [...input.permissions]',
    ...issuanceTests,
  ],
  [roles, "['api_keys.create', 'api_keys.delete']", "['api_keys.create']", ...issuanceTests],
  [roles, "['api_keys.create', 'api_keys.delete']", "['api_keys.delete']", ...issuanceTests],
  [issuance, "await requireActive(domain, actor, keys, 'rotated');", '', ...issuanceTests],
  [issuance, 'if (stale.length > 0) throw raced(', 'if (false) throw raced(', ...issuanceTests],
  [issuance, 'if (!old.entity) {', 'if (false) {', ...issuanceTests],
  [issuance, 'const kept = { name,', "const kept = { name: 'x',", ...issuanceTests],
  [
    issuance,
    'permissions, expiresAtMs, allowedIps, note };',
    'permissions: [], expiresAtMs, allowedIps, note };',
    ...issuanceTests,
  ],
  [issuance, ' expiresAtMs, allowedIps, note };', ' expiresAtMs: null, allowedIps, note };', ...issuanceTests],
  [issuance, ' allowedIps, note };', ' allowedIps: [], note };', ...noteTests],
  [issuance, ' note };', ' note: null };', ...noteTests],
  [issuance, 'rotatedFrom: old.id', 'rotatedFrom: null', ...issuanceTests],
  [issuance, 'rotatedTo: drafted.key.id }', 'rotatedTo: null }', ...issuanceTests],
  [
    issuance,
    'while (await domain.store.keys.prefixTaken(prefixOf(secret))) secret = drawSecret(domain.random);',
    '',
    ...issuanceTests,
  ],
  [issuance, 'createdBy } };', 'createdBy, createdAtMs: 0 } };', ...issuanceTests],
  [
    issuance,
    '    await delivery.deliver(delivered);\n    await commit();',
    '    await commit();\n    await delivery.deliver(delivered);',
    ...issuanceTests,
  ],
  [issuance, '    await delivery.withdraw();\n', '', ...issuanceTests],
  [issuance, '  await delivery.complete();\n', '', ...issuanceTests],
  [expiry, "if (text === 'never') return null;", '', ...issuanceTests],
  [expiry, 'endOfDayMs(text, timezone)', "endOfDayMs(text, 'UTC')", ...issuanceTests],
  [expiry, 'nowMs + parseSpanMs(text)', 'parseSpanMs(text)', ...issuanceTests],
  [
    issuance,
    "auditDraft(domain, actor, 'key.create', key.prefix,",
    "auditDraft(domain, actor, 'key.create', key.name,",
    ...issuanceTests,
  ],
  [
    issuance,
    "'key.rotate', prefix, { name, successor: key.prefix }",
    "'key.rotate', prefix, { name }",
    ...issuanceTests,
  ],
  // --- networks, notes, rotations that were cut off
  [networks, 'bits < 96 ? undefined', 'bits < 0 ? undefined', ...networkTests],
  [networks, 'if (bits > groups.length * 16) return undefined;', '', ...networkTests],
  [networks, 'if (groups.length !== address.length) return false;', '', ...networkTests],
  [networks, 'group & maskOf(bits - at * 16)), bits };', 'group), bits };', ...networkTests],
  [networks, 'if (last?.address !== address) {', 'if (last === undefined) {', ...networkTests],
  [networks, 'networks.length <= mostNetworks', 'networks.length > 0', ...networkTests],
  [notes, "requireLabel(text, 'A note', 500);", '', ...noteTests],
  [notes, "if (text === '') return null;", "if (text === '') return text;", ...noteTests],
  [roles, "'key.note': ['api_keys.create']", "'key.note': []", ...noteTests],
  [cutOff, "statusOf(key, domain.clock()) !== 'Active'", 'false', ...cutOffTests, ...createdTests],
  [cutOff, 'if (!chain.some(({ id }) => id === old.id)) return false;', '', ...cutOffTests],
  [cutOff, 'if (key.id === old.id)', 'if (false)', ...cutOffTests],
  [cutOff, 'if (force || text === undefined) return true;', 'return true;', ...cutOffTests],
  [cutOff, '(await findKeyOf(domain, actor, text))?.id !== old.id', 'false', ...cutOffTests],
  [cutOff, 'if (await isOurs(key)) return key;', 'return key;', ...cutOffTests, ...createdTests],
  [cutOff, 'key.rotatedFrom === null &&', 'true &&', ...createdTests],
  [cutOff, 'Math.abs(difference) < spanToleranceMs', 'false', ...createdTests],
  [
    'src/cli/commands/keys/rotate/rotate.ts',
    'createdAtMs > ifOlderThan',
    'createdAtMs >= ifOlderThan',
    'test/cli/commands/keys/rotation.test.ts',
  ],
  [
    'src/cli/commands/keys/rotate/rotate.ts',
    '!context.io.asksNothing && !canAsk(context.io)',
    'false && !canAsk(context.io)',
    'test/cli/commands/keys/rotation.test.ts',
  ],
  [
    'src/cli/commands/keys/rotate/command-after.ts',
    'if (failure === false) return;',
    'return;',
    'test/cli/commands/keys/rotation.test.ts',
  ],
  ['src/http/request/key-tally.ts', '    this.use.ip = ip;\n', '', ...addressTests],
  [uses, 'last_used_ip = $2', 'last_used_ip = coalesce(last_used_ip, $2)', ...keyTests],
  [keyChanges, '        yield append(audit);\n        return true;', '        return true;', ...keyTests],
  // --- secrets
  [secrets, 'const unbiasedBelow = 248;', 'const unbiasedBelow = 256;', ...secretTests],
  [secrets, 'return body + checksumOf(body);', "return body + '000000';", ...secretTests],
  [secrets, 'const randomLength = 43;', 'const randomLength = 42;', ...secretTests],
  [secrets, 'text.length !== secretLength || !shape.test(text)', 'text.length !== secretLength', ...secretTests],
  [secrets, 'return claimed === crc32(text.slice(0, cut));', 'return true;', ...secretTests],
  [secrets, "return sha256(secret, 'base64url');", "return sha256(secret.slice(0, 46), 'base64url');", ...secretTests],
  [secrets, '[0-9A-Za-z%]{6,}/g', '[0-9A-Za-z]{6,}/g', ...secretTests],
  [secrets, '[0-9A-Za-z%]{6,}/g', '[0-9A-Za-z%]{7,}/g', ...secretTests],
  [secrets, "|| (text.includes('%') && muchOfOne.test(urlDecoded(text)))", '', ...secretTests],
  [secrets, 'const muchOfOne = /hk_[0-9A-Za-z]{24}/;', 'const muchOfOne = /hk_[0-9A-Za-z]{49}/;', ...secretTests],
  [secrets, 'const muchOfOne = /hk_[0-9A-Za-z]{24}/;', 'const muchOfOne = /hk_[0-9A-Za-z]{5}/;', ...secretTests],
  // --- guarded writes of keys
  [keyChanges, 'if (stale.length > 0) return stale;', 'if (stale.length === ids.length) return stale;', ...keyTests],
  [keyChanges, '      yield* update(running);\n', '', ...keyTests],
  [keyChanges, 'revoked_by = $3, rotated_to = $4', 'rotated_to = $4', ...keyTests],
  [keyChanges, ', rotated_to = $4 where', ' where', ...keyTests],
  [keyChanges, '      for (const draft of audit) yield append(draft);\n', '', ...keyTests],
  [keyChanges, "if ((yield* resultOf(entity))?.status !== 'active')", 'if (!(yield* resultOf(entity)))', ...keyTests],
  [
    keyChanges,
    "        yield insertRow(change, 'keys', key);\n        yield append(audit);",
    "        yield insertRow(change, 'keys', key);",
    ...keyTests,
  ],
  [uses, ' and coalesce(last_used_at_ms, 0) < $1', '', ...keyTests],
  [
    keyChanges,
    "yield stop(rows.map((row) => ({ ...row, atMs: nowMs, event: 'revoked', of: 'key' })));",
    '',
    'test/endurance/cli/commands/backups/restore.test.ts',
  ],
  [keyChanges, ' and (expires_at_ms is null or expires_at_ms > $2)', ' and $2 > 0', ...keyTests],
  [keys, 'keys.tenant_id = $1 and (keys.id = $2', '$1 is not null and (keys.id = $2', ...keyTests],
  [keys, 'keys.tenant_id = $1 and keys.secret_hash = $2', '$1 is not null and keys.secret_hash = $2', ...keyTests],
  [keys, "['entity_id', owner.entityId]", "['tenant_id', owner.entityId]", ...keyTests],
  // --- who may do what
  [actors, "if (user?.status !== 'active') await", 'if (!user) await', ...people],
  [actors, "if (user.status === 'inactive') {", 'if (false) {', ...people],
  [actors, '  if (!user) {', '  if (false) {', ...people],
  [
    actors,
    'needed.filter((permission) => !actorHolds(actor, permission))',
    'needed.every((permission) => !actorHolds(actor, permission)) ? needed : []',
    ...people,
  ],
  [actors, "detail), outcome: 'denied' }", 'detail) }', ...people],
  [actors, "outcome: 'denied',", "outcome: 'done',", ...people],
  [actors, "reason: user ? 'profile_inactive' : 'no_profile'", "reason: 'no_profile'", ...people],
  [
    'src/core/access/roles.ts',
    "entity_admin: { label: 'Entity admin', permissions: keyPermissions }",
    "entity_admin: { label: 'Entity admin', permissions: ['api_keys.view'] }",
    ...people,
  ],
  [
    'src/core/access/roles.ts',
    "manager: { label: 'Manager', permissions: [] }",
    "manager: { label: 'Manager', permissions: ['api_keys.view'] }",
    ...people,
  ],
  [
    'src/core/access/roles.ts',
    "operator: { label: 'Operator', permissions: [] }",
    "operator: { label: 'Operator', permissions: keyPermissions }",
    ...people,
  ],
  ['src/core/access/roles.ts', "permissions: ['records.import'] }", 'permissions: [] }', ...people],
  [
    'src/core/access/roles.ts',
    "permissions: ['records.import'] }",
    "permissions: ['records.import', 'api_keys.view'] }",
    ...people,
  ],
  ...['users.manage', 'entities.manage', 'tenant.manage', 'store.manage', 'records.import'].map((permission) => [
    'src/core/access/roles.ts',
    `      '${permission}',\n`,
    '',
    ...people,
  ]),
  [
    'src/core/access/permissions.ts',
    "permissions: ['asset_sensors.ingest'] },\n  'operational",
    "permissions: ['asset_sensors.ingest', 'asset_sensors.view'] },\n  'operational",
    ...people,
  ],
  [
    'src/core/access/permissions.ts',
    "'production_quality.view', 'oee_events.view'],",
    "'production_quality.view'],",
    ...people,
  ],
  [
    'src/core/access/permissions.ts',
    'permissions: [...clientPermissions] }',
    'permissions: clientPermissions.slice(1) }',
    ...people,
  ],
  [
    'src/core/access/permissions.ts',
    "defaultPermissions: readonly ClientPermission[] = ['jobs_orders.view']",
    "defaultPermissions: readonly ClientPermission[] = ['parts.view']",
    ...people,
  ],
  [
    'src/core/access/permissions.ts',
    'clientPermissions.filter((permission) => wanted.has(permission))',
    '[...wanted]',
    ...people,
  ],
  ...furtherMutants,
  ...journalMutants,
  ...usageMutants,
];
