import { verifyAudit } from '../audit/trail.ts';
import { type Actor, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { isHkctlError } from '../errors.ts';
import type { Entity } from '../port/entities.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import { retainedFromUs } from '../readings/retention.ts';
import { nounFor } from '../text/words.ts';
import { checksOfServer } from './doctor-server.ts';
import {
  findingOfClock,
  findingOfDamage,
  findingOfFiles,
  findingOfImports,
  findingOfJournal,
  findingOfReferences,
  findingOfRefusedKeys,
  findingOfRetention,
  findingOfSchema,
  findingOfSpace,
  findingOfTimezones,
  type Summarised,
} from './doctor-store.ts';
import { type Check, type Finding, type JournalFacts, ok, problem, warning } from './inspection.ts';
import { daemonsOf, type InspectionOptions } from './status.ts';

interface DoctorOptions extends InspectionOptions {
  machineMs: number;
}

/** Runs every check of a store, one after the other. Needs `store.check`. A new check is one more entry of its list. */
export async function* diagnose(
  domain: Domain,
  actor: Actor,
  options: DoctorOptions,
): AsyncGenerator<Check> {
  await requirePermissions(domain, actor, 'store.doctor', 'store');
  const { inspection } = options;
  const { files, server, brokenReferences, moved, journal, space } = inspection;
  // An engine without files, or without a journal of its own, has fewer.
  const checks: [name: string, run: (() => MaybePromise<Finding | Check[]>) | undefined][] = [
    ['files', files && (() => findingOfFiles(files()))],
    ...inspection.databases.map(({ name, damage }): [string, () => Finding] => [
      name,
      () => findingOfDamage(damage()),
    ]),
    ['schema', () => findingOfSchema(inspection)],
    ['references', brokenReferences && (() => findingOfReferences(brokenReferences()))],
    ['audit', () => checkAudit(domain, actor)],
    ['imports', moved && (() => findingOfImports(moved()))],
    ['revocations', journal && (() => checkJournal(domain, actor, journal(domain.clock())))],
    ['disk', space && (() => findingOfSpace(space()))],
    [
      'clock',
      async () =>
        findingOfClock(
          (await domain.store.clock.read()).seenMs,
          options.machineMs,
          domain.steady(),
        ),
    ],
    ['keys', () => checkKeys(domain, actor)],
    ['retention', () => checkRetention(domain, actor)],
    ['timezones', () => checkTimezones(domain, actor)],
    ['daemon', () => checkDaemon(domain, options)],
    ['server', server && (async () => checksOfServer(await server()))],
  ];
  for (const [name, run] of checks) if (run) yield* await checksOf(name, run);
}

/** A check that fails with one of our errors is itself a problem; the other checks continue. */
async function checksOf(
  name: string,
  run: () => MaybePromise<Finding | Check[]>,
): Promise<Check[]> {
  try {
    const finding = await run();
    return Array.isArray(finding) ? finding : [{ name, ...finding }];
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return [{ name, ...problem(thrown.code, thrown.message, thrown.hint) }];
  }
}

async function checkAudit(domain: Domain, actor: Actor): Promise<Finding> {
  const { records, broken } = await verifyAudit(domain, actor);
  if (broken === null) return ok(`The chain of ${records} ${nounFor(records, 'record')} is whole.`);
  const hint =
    'Compare with an export or a backup from before; hkctl audit verify --head checks a head that you kept.';
  return problem(
    'state_forbids',
    `The audit trail is broken at record ${broken.seq}: ${broken.reason}.`,
    hint,
  );
}

async function checkJournal(domain: Domain, actor: Actor, journal: JournalFacts): Promise<Finding> {
  const prefixes: string[] = [];
  for (const id of journal.alive) {
    const key = await domain.store.keys.find(actor.user.tenantId, id);
    if (key) prefixes.push(key.prefix);
  }
  return findingOfJournal(journal, prefixes);
}

async function checkKeys({ store, clock }: Domain, { user }: Actor): Promise<Finding> {
  const nowMs = clock();
  const filter = { nowMs, statuses: ['Active'], refused: true } as const;
  const count = await store.keys.count(user.tenantId, filter);
  const keys = await store.keys.list(user.tenantId, filter, { limit: shownKeys });
  return findingOfRefusedKeys(keys, count, nowMs);
}

/** Refused keys that the finding names; more are counted. */
const shownKeys = 5;

async function checkRetention({ store, steady }: Domain, { user }: Actor): Promise<Finding> {
  const days = (await store.tenants.find(user.tenantId))?.retainReadingsDays ?? null;
  const { ms, latestMs } = steady();
  const retained = retainedFromUs(days, () => ({ ms, latestMs, isSteady: true }));
  const entities: Summarised[] = [];
  for (const { id, code } of await store.entities.list(user.tenantId)) {
    const { summarisedUs } = await store.readings.retention(id);
    entities.push({ code, summarisedUs, retainedFromUs: retained });
  }
  return findingOfRetention(entities, ms);
}

async function checkTimezones({ store }: Domain, { user }: Actor): Promise<Finding> {
  const others: Entity[] = [];
  for (const { id } of await store.tenants.list()) {
    if (id !== user.tenantId) others.push(...(await store.entities.list(id)));
  }
  return findingOfTimezones(await store.entities.list(user.tenantId), others);
}

async function checkDaemon(domain: Domain, { answers }: DoctorOptions): Promise<Finding> {
  const { newest, ended } = await daemonsOf(domain, answers);
  if (ended.length > 0) {
    const addresses = ended.map(({ baseUrl }) => baseUrl).join(', ');
    const detail = `A daemon ended without a clean stop, and was not started again: ${addresses}.`;
    return warning(detail, 'Read its log and start it; until then clients get no answer from it.');
  }
  if (newest === undefined) return ok('No daemon serves this store.');
  const address = newest.baseUrl;
  if (await answers(address)) return ok(`The daemon answers at ${address}.`);
  const hint = 'Read its log and restart it; behind a proxy it may only be unreachable from here.';
  return warning(`A daemon is recorded at ${address}, but nothing answers there.`, hint);
}
