import { modeText } from '../files/path-faults.ts';
import { activeRefusalOf } from '../keys/authentication.ts';
import { refusals } from '../keys/refusals.ts';
import type { SteadyTime } from '../port/clock.ts';
import type { Entity } from '../port/entities.ts';
import type { Key } from '../port/keys.ts';
import { shellWord } from '../text/quoting.ts';
import { firstFew, quotedText } from '../text/shown-text.ts';
import { nounFor } from '../text/words.ts';
import { isTimezone } from '../time/calendar.ts';
import { formatInstantMs, formatInstantUs } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';
import {
  type FileFacts,
  type Finding,
  type JournalFacts,
  ok,
  problem,
  type SpaceFacts,
  type StoreInspection,
  warning,
} from './inspection.ts';
import { stopCommand } from './settings.ts';

/** The file modes are the access control of a store: only the owner may open its files. */
export function findingOfFiles(files: readonly FileFacts[]): Finding {
  const openFiles = files.filter(isOpenToOthers);
  if (openFiles.length > 0) {
    const openList = openFiles
      .map(({ path, mode }) => `${path} (mode ${modeText(mode)})`)
      .join(', ');
    const detail = `Others than the owner can open ${openList}.`;
    return problem('state_forbids', detail, chmodHint(openFiles));
  }

  const unusualFiles = files.filter(({ kind, mode }) => mode !== storeModes[kind]);
  if (unusualFiles.length > 0) {
    const descriptions = unusualFiles
      .map(({ path, mode }) => `${path} has mode ${modeText(mode)}`)
      .join(', ');
    return warning(
      `${descriptions}; a store has folder 0700, files 0600.`,
      chmodHint(unusualFiles),
    );
  }

  const ownerId = files.find(({ kind }) => kind === 'folder')?.ownerId;
  const foreignFiles = files.filter((file) => file.ownerId !== ownerId);
  const foreignPaths = foreignFiles.map(({ path }) => path);
  if (foreignPaths.length > 0) {
    const hint = `Run as root: chown ${ownerId} ${foreignPaths.map(shellWord).join(' ')}`;
    return warning(`Not owned by the owner of the folder: ${foreignPaths.join(', ')}.`, hint);
  }

  const plainFiles = files.length - 1;
  return ok(
    `The folder and its ${plainFiles} ${nounFor(plainFiles, 'file')} are open to their owner only.`,
  );
}

const storeModes = { folder: 0o700, file: 0o600 } as const;

/** Other accounts must not write to a folder; a file is closed to them. */
function isOpenToOthers({ kind, mode }: FileFacts): boolean {
  const forbiddenBits = kind === 'folder' ? 0o022 : 0o077;
  return (mode & forbiddenBits) !== 0;
}

function chmodHint(files: readonly FileFacts[]): string {
  const pathsOf = (kind: FileFacts['kind']) => {
    const ofKind = files.filter((file) => file.kind === kind);
    return ofKind.map(({ path }) => shellWord(path));
  };

  const commands = pathsOf('folder').map((path) => `chmod 700 ${path}`);
  const filePaths = pathsOf('file');
  if (filePaths.length > 0) {
    commands.push(`chmod 600 ${filePaths.join(' ')}`);
  }
  return `Run: ${commands.join(' && ')}`;
}

const restoreHint =
  'Keep the files as they are and go back to your last backup: hkctl restore FILE';

/** Whether one database is intact; `faults` are the engine's words for its damage. */
export function findingOfDamage(faults: readonly string[]): Finding {
  if (faults.length === 0) return ok('Every page of it is whole.');

  const firstFaults = faults.slice(0, 3).join('; ');
  return problem('store_corrupt', `It is damaged: ${firstFaults}.`, restoreHint);
}

/** Whether every database has this version, and exactly the schema that its migrations make. */
export async function findingOfSchema({
  versions,
  foreign,
}: Pick<StoreInspection, 'versions' | 'foreign'>): Promise<Finding> {
  const finding = findingOfVersions(await versions());
  if (finding.code === 'store_too_new') return finding;

  const foreignObjects: string[] = [];
  const foreignTables: string[] = [];
  for (const { database, tables, differences } of await foreign()) {
    for (const difference of differences) foreignObjects.push(`${difference} (${database})`);
    for (const table of tables) foreignTables.push(`${quotedText(table)} (${database})`);
  }
  if (foreignObjects.length === 0 && foreignTables.length === 0) return finding;
  if (foreignObjects.length === 0) {
    return warning(
      `It holds tables of another program: ${firstFew(foreignTables).join(', ')}.`,
      'hkctl does not touch them, and no backup has them. If you do not know that program, find out who writes here.',
    );
  }

  return problem(
    'store_corrupt',
    `The schema was changed from outside: ${firstFew(foreignObjects).join('; ')}.`,
    'Undo that, or go back to your last backup: hkctl restore FILE',
  );
}

export function findingOfVersions(
  versions: readonly { database: string; version: number; wanted: number }[],
): Finding {
  const wrongVersions = versions.filter(({ version, wanted }) => version !== wanted);
  const databases = wrongVersions
    .map(({ database, version, wanted }) => `${database} has ${version} and not ${wanted}`)
    .join(', ');
  if (wrongVersions.length === 0) return ok('The layout is that of this version of hkctl.');

  const isNewer = wrongVersions.some(({ version, wanted }) => version > wanted);
  if (isNewer) {
    return problem(
      'store_too_new',
      `A newer hkctl made it: ${databases}.`,
      'Use that version of hkctl, or a newer one.',
    );
  }
  return problem(
    'store_too_old',
    `It is of an older version: ${databases}.`,
    `Stop the daemon (under systemd: ${stopCommand}) and run: hkctl migrate`,
  );
}

export function findingOfReferences(broken: readonly { table: string; rows: number }[]): Finding {
  if (broken.length === 0) return ok('Every reference of the registry has its target.');
  const tables = broken.map(({ table, rows }) => `${rows} of ${table}`).join(', ');
  return problem('store_corrupt', `Rows with missing references: ${tables}.`, restoreHint);
}

/** Whether a revoked key works. `prefixes` are such keys of the actor's organization; others are only counted. */
export function findingOfJournal(
  { isThere, revoked, alive, torn }: JournalFacts,
  prefixes: readonly string[],
): Finding {
  if (alive.length > 0) {
    const otherKeys = alive.length - prefixes.length;
    const keyNames = [...prefixes];
    if (otherKeys > 0) keyNames.push(`${otherKeys} of other organizations`);
    const hint =
      prefixes.length > 0
        ? `Run: hkctl keys revoke ${prefixes.join(' ')} --yes`
        : 'A Super user of each other organization runs hkctl doctor, which names its keys.';
    const detail = `Keys work that the journal says were revoked: ${keyNames.join(', ')}. If a rotation of them was cut off, give that command again instead.`;
    return problem('state_forbids', detail, hint);
  }

  if (torn > 0) {
    const hint = 'What was being revoked then may not have been: compare with hkctl keys list.';
    const subject = torn === 1 ? 'A line of the journal was' : `${torn} lines of the journal were`;
    return warning(`${subject} cut off in the middle.`, hint);
  }

  if (!isThere) return ok('No key was revoked yet, so that there is no journal.');
  if (revoked === 1) return ok('The journal names 1 revoked key; it is refused.');
  return ok(`None of the ${revoked} keys that the journal names works.`);
}

const lowBytes = 2 ** 30;
const lowShare = 0.05;

/** Whether too little disk space is free: less than 1 GiB or 5 %. */
export function isSpaceLow({ freeBytes, totalBytes }: SpaceFacts): boolean {
  return freeBytes < lowBytes || freeBytes < totalBytes * lowShare;
}

export function freeText({ freeBytes, totalBytes }: SpaceFacts): string {
  const share = totalBytes > 0 ? freeBytes / totalBytes : 0;
  const gibibytes = (freeBytes / 2 ** 30).toFixed(1);
  const percent = Math.floor(share * 100);
  return `${gibibytes} GiB (${percent} %)`;
}

/** Whether enough disk space is free, and whether the reserve for stops is there. */
export function findingOfSpace(space: SpaceFacts): Finding {
  const freeSentence = `${freeText(space)} are free on its file system.`;
  if (!isSpaceLow(space)) return ok(freeSentence);
  const advice =
    'Free some space: on a full disk nothing is ingested, and keys are only revoked and rotated, users and entities only deactivated.';
  if (space.hasReserve) return warning(`Only ${freeSentence}`, advice);
  return warning(`Only ${freeSentence} The reserve for revocations is in use.`, advice);
}

/** A clock may be this far off: more than a time service sets it back. */
const toleratedMs = 60_000;

/** Whether a machine's clock is behind the latest time that was steadily seen, by which keys expire. */
export function isClockBehind(seenMs: number, machineMs: number): boolean {
  return seenMs - machineMs > toleratedMs;
}

/** Compares the machine's clock with the latest time that was steadily seen, and with the clock that was steady. */
export function findingOfClock(seenMs: number, machineMs: number, steady: SteadyTime): Finding {
  const clockShows = `The machine's clock shows ${formatInstantMs(machineMs)}`;
  if (machineMs - steady.ms > toleratedMs) {
    const aheadSentence = `${clockShows}, ahead of ${formatInstantMs(steady.ms)}, which it would show if it had not been set.`;
    const hint =
      'Set the clock right. If it is right, nothing needs to be done: it counts once it has been steady for five minutes.';
    return warning(aheadSentence, hint);
  }

  if (!isClockBehind(seenMs, machineMs)) {
    const steadiness = steady.isSteady
      ? ''
      : ' It has not been steady for five minutes yet, so that no readings are dropped.';
    return ok(`${clockShows} and is not behind what was seen before.${steadiness}`);
  }

  const behindSentence = `${clockShows}, behind ${formatInstantMs(seenMs)}, which was steadily seen and by which keys expire.`;
  const hint =
    'Set the clock right. If it is right, and was ahead before: hkctl doctor --accept-clock';
  return problem('state_forbids', behindSentence, hint);
}

/** Of an entity: until when its readings were replaced by summaries, and from when on its organization keeps them. */
export interface Summarised {
  code: string;
  /** Epoch µs; null if there are no summaries. */
  summarisedUs: number | null;
  retainedFromUs: number;
}

/** Whether readings were replaced by summaries that the organization keeps; no retention is shorter than a day. */
export function findingOfRetention(entities: readonly Summarised[], nowMs: number): Finding {
  const summarisedEntities: { code: string; summarisedUs: number }[] = [];
  for (const { code, summarisedUs, retainedFromUs } of entities) {
    if (summarisedUs === null || summarisedUs < retainedFromUs) continue;
    summarisedEntities.push({ code, summarisedUs });
  }
  if (summarisedEntities.length === 0) {
    return ok(
      'Only readings that are no longer retained were replaced by quarter-hourly summaries.',
    );
  }
  const descriptions = summarisedEntities.map(
    ({ code, summarisedUs }) => `${code} (until ${formatInstantUs(summarisedUs)})`,
  );
  const detail = `Only quarter-hourly summaries are left of readings that are retained now: ${firstFew(descriptions).join('; ')}.`;

  const yesterdayUs = (nowMs - dayMs) * 1000;
  if (summarisedEntities.every(({ summarisedUs }) => summarisedUs < yesterdayUs)) {
    return ok(`${detail} That is so after a longer retention was set.`);
  }
  const hint =
    'The clock was ahead when they were dropped. Readings of that time are accepted again: send them again, or take them from a backup.';
  return warning(detail, hint);
}

/** Whether the API refuses active keys, since their entity or their creator is inactive or gone; `keys` are some of them. */
export function findingOfRefusedKeys(keys: readonly Key[], count: number, nowMs: number): Finding {
  if (count === 0) return ok('No active key is refused because of its entity or its creator.');
  const reasons: string[] = [];
  const remedies = new Set<string>();
  for (const key of keys) {
    const refusal = activeRefusalOf(key, nowMs);
    // It became active meanwhile.
    if (refusal === undefined) continue;
    const { reason, remedy } = refusals[refusal];
    const { prefix, createdBy, entity } = key;
    const facts = { prefix, creator: shellWord(createdBy.login), entity: entity?.code ?? '' };
    reasons.push(`${prefix} (${reason(facts)})`);
    remedies.add(remedy(facts));
  }
  if (count > reasons.length) reasons.push(`and ${count - reasons.length} more`);

  const subject = count === 1 ? '1 active key is' : `${count} active keys are`;
  return warning(`${subject} refused: ${reasons.join(', ')}.`, [...remedies].join('; '));
}

/** Whether Node knows the time zone of every entity; entities of other organizations are counted and not named. */
export function findingOfTimezones(
  ownEntities: readonly Pick<Entity, 'code' | 'timezone'>[],
  otherEntities: readonly Pick<Entity, 'timezone'>[] = [],
): Finding {
  const hasUnknownZone = ({ timezone }: Pick<Entity, 'timezone'>) => !isTimezone(timezone);
  const unknownHere = ownEntities.filter(hasUnknownZone);
  const unknownElsewhere = otherEntities.filter(hasUnknownZone).length;
  if (unknownHere.length + unknownElsewhere === 0) {
    return ok('The time zone of every entity is known here.');
  }

  const descriptions = firstFew(
    unknownHere.map(({ code, timezone }) => `${code} (${quotedText(timezone)})`),
  );
  if (unknownElsewhere > 0) descriptions.push(`${unknownElsewhere} of other organizations`);
  return warning(
    `The time zone of an entity is unknown to this version of Node.js: ${descriptions.join('; ')}.`,
    'Times of these entities are shown in UTC, and dates are refused. Update Node.js, which brings its own time zones.',
  );
}
