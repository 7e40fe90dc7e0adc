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
import { certificateOf, daemonsOf, type InspectionOptions } from './status.ts';

interface DoctorOptions extends InspectionOptions {
  /** Leaves out the checks that read a whole database or the whole trail, and so take longer as these grow. */
  isQuick: boolean;
  /** Called before each check, with its name. */
  begin(checkName: string): void;
}

/** Runs every check of a store, one after the other. Needs `store.check`. A new check is one more entry of its list. */
export async function* diagnose(
  domain: Domain,
  actor: Actor,
  options: DoctorOptions,
): AsyncGenerator<Check> {
  await requirePermissions(domain, actor, 'store.doctor', 'store');
  const { inspection } = options;
  const { files, databases, server, brokenReferences, journal, space } = inspection;
  // An engine without files, or without a journal of its own, has fewer.
  const whole = (check: RunCheck | undefined) => (options.isQuick ? undefined : check);
  const checks: StoreCheck[] = [
    ['files', files && (() => findingOfFiles(files()))],
    ...databases.map(
      ({ name, damage }): StoreCheck => [name, whole(() => findingOfDamage(damage()))],
    ),
    ['schema', () => findingOfSchema(inspection)],
    ['references', whole(brokenReferences && (() => findingOfReferences(brokenReferences())))],
    ['audit', whole(() => checkAudit(domain, actor))],
    ['revocations', journal && (() => checkJournal(domain, actor, journal(domain.clock())))],
    ['disk', space && (() => findingOfSpace(space()))],
    ['clock', () => checkClock(domain, options)],
    ['keys', () => checkKeys(domain, actor)],
    ['retention', () => checkRetention(domain, actor)],
    ['timezones', () => checkTimezones(domain, actor)],
    ['daemon', () => checkDaemon(domain, options)],
    ['server', server && (async () => checksOfServer(await server()))],
  ];

  for (const [checkName, runCheck] of checks) {
    if (runCheck === undefined) continue;
    options.begin(checkName);
    yield* await checksOf(checkName, runCheck);
  }
}

/** A named check; `run` is undefined for a check that the engine does not have. */
type StoreCheck = [name: string, run: RunCheck | undefined];
type RunCheck = () => MaybePromise<Finding | Check[]>;

/** A check that fails with one of our errors is itself a problem; the other checks continue. */
async function checksOf(checkName: string, runCheck: RunCheck): Promise<Check[]> {
  try {
    const finding = await runCheck();
    return Array.isArray(finding) ? finding : [{ name: checkName, ...finding }];
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    const finding = problem(thrown.code, thrown.message, thrown.hint);
    return [{ name: checkName, ...finding }];
  }
}

async function checkAudit(domain: Domain, actor: Actor): Promise<Finding> {
  const { records, broken } = await verifyAudit(domain, actor);
  if (broken === null) {
    return ok(`The chain of ${records} ${nounFor(records, 'record')} is whole.`);
  }
  const hint =
    'Compare with an export or a backup from before; hkctl audit verify --head checks a head that you kept.';
  return problem(
    'state_forbids',
    `The audit trail is broken at record ${broken.seq}: ${broken.reason}.`,
    hint,
  );
}

async function checkClock(domain: Domain, { machineMs }: DoctorOptions): Promise<Finding> {
  const { seenMs } = await domain.store.clock.read();
  return findingOfClock(seenMs, machineMs, domain.steady());
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
  const refusedFilter = { nowMs, statuses: ['Active'], refused: true } as const;
  const count = await store.keys.count(user.tenantId, refusedFilter);
  const page = { limit: namedKeysLimit };
  const keys = await store.keys.list(user.tenantId, refusedFilter, page);
  return findingOfRefusedKeys(keys, count, nowMs);
}

/** Refused keys that the finding names; more are counted. */
const namedKeysLimit = 5;

async function checkRetention({ store, steady }: Domain, { user }: Actor): Promise<Finding> {
  const tenant = await store.tenants.find(user.tenantId);
  const retentionDays = tenant?.retainReadingsDays ?? null;
  const { ms, latestMs } = steady();
  const steadyNow = { ms, latestMs, isSteady: true };
  const retainedUs = retainedFromUs(retentionDays, () => steadyNow);

  const summarised: Summarised[] = [];
  for (const { id, code } of await store.entities.list(user.tenantId)) {
    const { summarisedUs } = await store.readings.retention(id);
    summarised.push({ code, summarisedUs, retainedFromUs: retainedUs });
  }
  return findingOfRetention(summarised, ms);
}

async function checkTimezones({ store }: Domain, { user }: Actor): Promise<Finding> {
  const otherEntities: Entity[] = [];
  for (const { id } of await store.tenants.list()) {
    if (id === user.tenantId) continue;
    otherEntities.push(...(await store.entities.list(id)));
  }

  const ownEntities = await store.entities.list(user.tenantId);
  return findingOfTimezones(ownEntities, otherEntities);
}

const certificateHint =
  'Put a new certificate and key into the files of --tls-cert and --tls-key: the daemon loads them by itself.';

async function checkDaemon(domain: Domain, { answers }: DoctorOptions): Promise<Finding> {
  const { newest, serving, ended } = await daemonsOf(domain, answers);
  if (ended.length > 0) {
    const addresses = ended.map(({ baseUrl }) => baseUrl).join(', ');
    const detail = `A daemon ended without a clean stop, and was not started again: ${addresses}.`;
    return warning(detail, 'Read its log and start it; until then clients get no answer from it.');
  }

  if (newest === undefined) return ok('No daemon serves this store.');
  const certificates = serving.flatMap((daemon) => certificateOf(daemon, domain.clock()));
  const faulty = certificates.find(({ fault }) => fault !== undefined);
  if (faulty) {
    const detail = `The certificate of the daemon at ${faulty.baseUrl} ${faulty.fault}.`;
    return warning(detail, certificateHint);
  }
  const address = newest.baseUrl;
  if (await answers(address)) return ok(`The daemon answers at ${address}.`);
  const hint = 'Read its log and restart it; behind a proxy it may only be unreachable from here.';
  return warning(`A daemon is recorded at ${address}, but nothing answers there.`, hint);
}
