import { type Actor, type Domain, requirePermissions } from '../access/actors.ts';
import { damageText } from '../audit/damage.ts';
import { verifyAudit } from '../audit/trail.ts';
import { type ErrorCode, isHkctlError } from '../errors.ts';
import { formatInstantMs } from '../time/instants.ts';

/** What one look at a store found. */
export interface Check {
  /** Stable, for programs. */
  name: string;
  status: 'ok' | 'warning' | 'problem';
  detail: string;
  /** What to do about it. */
  hint?: string;
  /** Of a problem: what a command would end with for it. */
  code?: ErrorCode;
}

export interface FileFacts {
  path: string;
  kind: 'folder' | 'file';
  /** The permission bits. */
  mode: number;
  ownerId: number;
}

export interface JournalFacts {
  isThere: boolean;
  /** How many keys it says are revoked. */
  revoked: number;
  /** Ids of those among them that work in the store. */
  alive: readonly string[];
  /** Lines that a power cut left in half. */
  torn: number;
}

/** What an engine can tell about the files of a store; each look throws the domain's errors where it is not possible. */
export interface StoreInspection {
  /** Each database, and what is damaged in it, in the engine's words; nothing where it is whole. */
  databases: readonly { name: string; damage(): string[] }[];
  /** The folder and every file of the store. */
  files(): FileFacts[];
  /** Tables of the registry with rows that refer to nothing, and how many. */
  brokenReferences(): { table: string; rows: number }[];
  /** The version of each database's layout, and the one that this hkctl wants. */
  versions(): { database: string; version: number; wanted: number }[];
  /** What each database holds that no migration of its version made, and what of that it lacks, in words. */
  foreign(): { database: string; what: readonly string[] }[];
  journal(nowMs: number): JournalFacts;
  space(): { freeBytes: number; totalBytes: number };
}

export interface DoctorOptions {
  inspection: StoreInspection;
  /** What the machine's clock shows. */
  machineMs: number;
  /** Whether anything answers at an address. */
  answers(address: string): Promise<boolean>;
}

type Finding = Omit<Check, 'name'>;

/** Looks at everything that a store needs to be trusted, one check after the other. Needs `store.manage`. */
export async function* diagnose(domain: Domain, actor: Actor, options: DoctorOptions): AsyncGenerator<Check> {
  await requirePermissions(domain, actor, ['store.manage'], { action: 'store.doctor', target: 'store' });
  const { inspection } = options;
  const checks: [name: string, look: () => Finding | Promise<Finding>][] = [
    ['files', () => findingOfFiles(inspection.files())],
    ...inspection.databases.map(({ name, damage }): [string, () => Finding] => [name, () => findingOfDamage(damage())]),
    ['schema', () => validateSchema(inspection)],
    ['references', () => findingOfReferences(inspection.brokenReferences())],
    ['audit', () => checkAudit(domain, actor)],
    ['revocations', () => checkJournal(domain, actor, inspection.journal(domain.clock()))],
    ['disk', () => findingOfSpace(inspection.space())],
    ['clock', async () => findingOfClock((await domain.store.clock.read()).seenMs, options.machineMs)],
    ['daemon', () => checkDaemon(domain, options)],
  ];
  for (const [name, look] of checks) yield { name, ...(await found(look)) };
}

/** A check that cannot be made is a problem of its own; the others go on. */
async function found(look: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return problem(thrown.code, thrown.message, thrown.hint);
  }
}

/** The mode of the files is the lock: they are for their owner only. */
export function findingOfFiles(files: readonly FileFacts[]): Finding {
  const open = files.filter(({ kind, mode }) => (mode & (kind === 'folder' ? 0o022 : 0o077)) !== 0);
  if (open.length > 0) {
    const told = open.map(({ path, mode }) => `${path} (mode ${mode.toString(8).padStart(4, '0')})`).join(', ');
    return problem('state_forbids', `Others than the owner can open ${told}.`, chmodHint(open));
  }
  const loose = files.filter(({ kind, mode }) => mode !== (kind === 'folder' ? 0o700 : 0o600));
  if (loose.length > 0) {
    const told = loose.map(({ path, mode }) => `${path} has mode ${mode.toString(8).padStart(4, '0')}`).join(', ');
    return warning(`${told}; a store has folder 0700, files 0600.`, chmodHint(loose));
  }
  const ownerId = files.find(({ kind }) => kind === 'folder')?.ownerId;
  const strange = files.filter((file) => file.ownerId !== ownerId).map(({ path }) => path);
  if (strange.length > 0) {
    const hint = `Run as root: chown ${ownerId} ${strange.map(quoted).join(' ')}`;
    return warning(`Not of the owner of the folder: ${strange.join(', ')}.`, hint);
  }
  return ok(`The folder and its ${files.length - 1} files are open to their owner only.`);
}

function chmodHint(files: readonly FileFacts[]): string {
  const of = (kind: FileFacts['kind']) => files.filter((file) => file.kind === kind).map(({ path }) => quoted(path));
  const commands = [
    ...of('folder').map((path) => `chmod 700 ${path}`),
    ...(of('file').length > 0 ? [`chmod 600 ${of('file').join(' ')}`] : []),
  ];
  return `Run: ${commands.join(' && ')}`;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const toBackup = 'Keep the files as they are and go back to your last backup: hkctl restore FILE';

/** What the engine found wrong in one database. */
export function findingOfDamage(faults: readonly string[]): Finding {
  if (faults.length === 0) return ok('Every page of it is whole.');
  return problem('store_corrupt', `It is damaged: ${faults.slice(0, 3).join('; ')}.`, toBackup);
}

/** Whether every database is of this version, and holds nothing but what its migrations made. */
export function validateSchema({ versions, foreign }: Pick<StoreInspection, 'versions' | 'foreign'>): Finding {
  const finding = findingOfVersions(versions());
  if (finding.code === 'store_too_new') return finding;
  const wrong = foreign().flatMap(({ database, what }) => what.map((one) => `${one} (${database})`));
  if (wrong.length === 0) return finding;
  const more = wrong.length > 5 ? `; and ${wrong.length - 5} more` : '';
  return problem(
    'store_corrupt',
    `The schema was changed from outside: ${wrong.slice(0, 5).join('; ')}${more}.`,
    'Nothing of it was run. Keep the files for an inquiry, and go back to your last backup: hkctl restore FILE',
  );
}

/** Whether every database is of this version. */
export function findingOfVersions(versions: readonly { database: string; version: number; wanted: number }[]): Finding {
  const wrong = versions.filter(({ version, wanted }) => version !== wanted);
  const told = wrong.map(({ database, version, wanted }) => `${database} has ${version} and not ${wanted}`).join(', ');
  if (wrong.length === 0) return ok('The layout is that of this version of hkctl.');
  return wrong.some(({ version, wanted }) => version > wanted)
    ? problem('store_too_new', `A newer hkctl made it: ${told}.`, 'Use that version of hkctl, or a newer one.')
    : problem('store_too_old', `It is of an older version: ${told}.`, 'Stop the daemon and run: hkctl migrate');
}

/** Whether what the registry refers to is there. */
export function findingOfReferences(broken: readonly { table: string; rows: number }[]): Finding {
  if (broken.length === 0) return ok('Whatever the registry refers to is there.');
  const told = broken.map(({ table, rows }) => `${rows} of ${table}`).join(', ');
  return problem('store_corrupt', `Rows that refer to what is not there: ${told}.`, toBackup);
}

async function checkAudit(domain: Domain, actor: Actor): Promise<Finding> {
  const { records, broken, damaged } = await verifyAudit(domain, actor);
  if (broken === null && damaged.length > 0) {
    const hint = 'Nothing needs to be done: it happens no more, and backups go on.';
    return warning(`The chain of ${records} records fits. ${damageText(damaged)}`, hint);
  }
  if (broken === null) return ok(`The chain of ${records} records is whole.`);
  const hint =
    'Compare with an export or a backup from before; hkctl audit verify --head tells whether a kept head fits.';
  return problem('state_forbids', `The audit trail is broken at record ${broken.seq}: ${broken.reason}.`, hint);
}

async function checkJournal(domain: Domain, actor: Actor, journal: JournalFacts): Promise<Finding> {
  const prefixes: string[] = [];
  for (const id of journal.alive) {
    const key = await domain.store.keys.find(actor.user.tenantId, id);
    if (key) prefixes.push(key.prefix);
  }
  return findingOfJournal(journal, prefixes);
}

/** Whether a key works that was revoked. `prefixes` are those of the actor's organization, others are only counted. */
export function findingOfJournal(
  { isThere, revoked, alive, torn }: JournalFacts,
  prefixes: readonly string[],
): Finding {
  if (alive.length > 0) {
    const others = alive.length - prefixes.length;
    const told = [...prefixes, ...(others > 0 ? [`${others} of other organizations`] : [])].join(', ');
    const hint =
      prefixes.length > 0
        ? `Run: hkctl keys revoke ${prefixes.join(' ')} --yes`
        : 'A Super user of each other organization runs hkctl doctor, which names its keys.';
    return problem('state_forbids', `Keys work that the journal says were revoked: ${told}.`, hint);
  }
  if (torn > 0) {
    const hint = 'What was being revoked then may not have been: compare with hkctl keys list.';
    return warning(`${torn} lines of the journal were cut off in the middle.`, hint);
  }
  if (!isThere) return ok('No key was revoked yet, so that there is no journal.');
  return ok(`None of the ${revoked} keys that the journal names works.`);
}

const lowBytes = 2 ** 30;
const lowShare = 0.05;

/** Room for what is still to come. */
export function findingOfSpace({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }): Finding {
  const share = totalBytes > 0 ? freeBytes / totalBytes : 0;
  const told = `${(freeBytes / 2 ** 30).toFixed(1)} GiB (${Math.floor(share * 100)} %) are free on its file system.`;
  if (freeBytes >= lowBytes && share >= lowShare) return ok(told);
  return warning(`Only ${told}`, 'Make room: on a full disk nothing is ingested, and no key is made or revoked.');
}

/** So much a clock may be behind: more than what keeping it right takes back. */
const toleratedMs = 60_000;

/** The machine's clock against the latest time that was steadily seen. */
export function findingOfClock(seenMs: number, machineMs: number): Finding {
  const shown = `The machine's clock shows ${formatInstantMs(machineMs)}`;
  if (seenMs - machineMs <= toleratedMs) return ok(`${shown} and is not behind what was seen before.`);
  const hint = 'Set the clock right. If it is right, and was ahead before: hkctl doctor --accept-clock';
  return problem(
    'state_forbids',
    `${shown}, behind ${formatInstantMs(seenMs)}, which was steadily seen and by which keys expire.`,
    hint,
  );
}

async function checkDaemon({ store }: Domain, { answers }: DoctorOptions): Promise<Finding> {
  const address = await store.daemon.address();
  if (address === undefined) return ok('No daemon serves this store.');
  if (await answers(address)) return ok(`The daemon answers at ${address}.`);
  const hint = 'Look at its log and start it anew; behind a proxy it may only be out of reach from here.';
  return warning(`A daemon is noted at ${address}, where nothing answers.`, hint);
}

function ok(detail: string): Finding {
  return { status: 'ok', detail };
}

function warning(detail: string, hint: string): Finding {
  return { status: 'warning', detail, hint };
}

function problem(code: ErrorCode, detail: string, hint: string | undefined): Finding {
  return { status: 'problem', detail, ...(hint !== undefined && { hint }), code };
}
