import { storeClock } from '../../core/domain/steady-clock.ts';
import { errorTable } from '../../core/errors.ts';
import { cureOf, type LapsedKey } from '../../core/keys/lapsed.ts';
import type { PendingCommand } from '../../core/keys/pending-steps.ts';
import { ownerReasons } from '../../core/keys/refusals.ts';
import type { KeyRejections } from '../../core/keys/usage.ts';
import { freeText } from '../../core/operations/doctor-store.ts';
import {
  type Attention,
  type DaemonCertificate,
  readStatus,
  type StoreStatus,
} from '../../core/operations/status.ts';
import { shellWord } from '../../core/text/quoting.ts';
import { printable } from '../../core/text/shown-text.ts';
import { counted, grouped, wordList } from '../../core/text/words.ts';
import { formatInstantMs, formatOptionalMs } from '../../core/time/instants.ts';
import { defineCommand } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { toggle } from '../command/flags.ts';
import { withInner } from '../command/json-fields.ts';
import { createTimeText } from '../table/shown-time.ts';
import { isClosedPipe } from '../terminal/io.ts';
import { wrapLabelled } from '../terminal/wrap.ts';
import { answersAt } from './serve/probe.ts';

export default defineCommand({
  description:
    'One screen, with a mark at each line that needs attention, and the command for it. Exit code 0 if nothing is marked, else 5. Needs api_keys.view.',
  readOnly: true,
  flags: {
    expectDaemon: toggle('--expect-daemon', 'a store that no daemon serves needs attention'),
  },
  fields: [
    'ok',
    'attention',
    ...withInner('store', ['path', 'size_bytes', 'free_bytes']),
    ...withInner('daemon', ['address', 'version', 'since']),
    'daemons_ended',
    'certificates',
    ...withInner('keys', [
      'active',
      'refused',
      'expiring_within_14_days',
      'expired_in_30_days',
      'used_after_end',
      'unused_for_90_days',
      'beyond_longest_lifetime',
    ]),
    'inactive_keys',
    'pending_commands',
    ...withInner('sensors', ['active', 'silent', 'never_heard']),
    'rejected_in_a_day',
    'last_backup_at',
  ],
  examples: [
    ['hkctl status', 'at a glance'],
    ['hkctl status --quiet', 'from cron: only what needs attention'],
    ['hkctl status --expect-daemon --quiet', 'the same, for a store that is always served'],
    ['hkctl status --json', 'for a program'],
  ],
  needs: () => ['store.status', 'store'],
  async run(context, { expectDaemon }, _args, { domain, actor }) {
    const engine = await context.services.engine(context.storePath);
    const inspection = await engine.inspect();
    const status = await readStatus(domain, actor, {
      inspection,
      machineMs: storeClock(domain.store, context.io.clock)(),
      answers: answersAt,
      expectsDaemon: expectDaemon,
    });
    try {
      if (context.json) context.printJson(statusJson(context, status));
      else printStatus(context, status, domain.clock());
    } catch (thrown) {
      // The exit code counts, even if the reader closes the pipe early.
      if (!isClosedPipe(thrown)) throw thrown;
    }
    return status.attention.length === 0 ? 0 : errorTable.state_forbids.exit;
  },
});

function statusJson({ storePath, naming }: Context, status: StoreStatus) {
  const { sizeBytes, space, daemon, keys, lapsed, sensors, attention } = status;
  return {
    ok: attention.length === 0,
    attention,
    store: {
      path: storePath,
      size_bytes: sizeBytes,
      ...(space && { free_bytes: space.freeBytes }),
    },
    daemon: daemon && daemonJson(daemon),
    daemons_ended: status.ended.map(daemonJson),
    certificates: status.certificates.map(certificateJson),
    keys: {
      active: keys.active,
      refused: keys.refused,
      expiring_within_14_days: keys.expiring,
      expired_in_30_days: keys.missed,
      used_after_end: lapsed.filter(({ isInUse }) => isInUse).length,
      unused_for_90_days: keys.unused,
      beyond_longest_lifetime: keys.beyondLifetime,
    },
    inactive_keys: lapsed.map((key) => lapsedKeyJson(key, naming)),
    pending_commands: status.pending.map(({ key: { prefix, name }, command, file }) => ({
      prefix,
      name,
      command,
      file,
    })),
    sensors: {
      active: sensors.active,
      silent: sensors.silent,
      never_heard: sensors.neverHeard,
    },
    rejected_in_a_day: status.rejections.map(rejectionJson),
    last_backup_at: formatOptionalMs(status.lastBackupMs),
  };
}

function lapsedKeyJson(lapsed: LapsedKey, naming: Context['naming']) {
  const { key, status, endedMs, refusedCount, lastRefused } = lapsed;
  return {
    prefix: key.prefix,
    name: key.name,
    entity: key.entity && { code: key.entity.code, name: key.entity.name },
    status,
    since: formatInstantMs(endedMs),
    refused_requests: refusedCount,
    last_refused_at: formatOptionalMs(lastRefused?.atMs ?? null),
    last_refused_ip: lastRefused?.address ?? null,
    command: naming(cureOf(lapsed)),
  };
}

function rejectionJson({ prefix, count, codes, lastAtMs }: KeyRejections) {
  return {
    prefix,
    readings: count,
    codes: Object.fromEntries(codes.map((rejected) => [rejected.code, codeJson(rejected)])),
    last_at: formatInstantMs(lastAtMs),
  };
}

function codeJson({ count, sensor }: KeyRejections['codes'][number]) {
  return { readings: count, sensor };
}

function certificateJson({ baseUrl, untilMs, fault }: DaemonCertificate) {
  return { address: baseUrl, expires_at: formatInstantMs(untilMs), fault: fault ?? null };
}

function daemonJson({ baseUrl, version, sinceMs }: StoreStatus['ended'][number]) {
  return { address: baseUrl, version, since: formatInstantMs(sinceMs) };
}

/** A line of the screen; with `attention` it is marked if the number is not zero, and the command to run is on the line below. */
type StatusLine = readonly [label: string, text: string, attention?: Attention, command?: string];

function printStatus(context: Context, status: StoreStatus, nowMs: number): void {
  const { style, io, naming } = context;
  for (const [label, text, attention, command] of linesOf(context, status, nowMs)) {
    const isMarked = attention !== undefined && status.attention.includes(attention);
    const mark = isMarked ? '!' : ' ';
    const lines = wrapLabelled(`${mark} ${label.padEnd(labelWidth)}`, text, io.stdout.columns());
    if (!isMarked) {
      context.confirm(...lines);
      continue;
    }
    context.print(...lines.map(style.yellow));
    const indent = ' '.repeat(2 + labelWidth);
    if (command !== undefined) context.print(`${indent}${naming(command)}`);
  }
}

const labelWidth = 'Readings'.length + 2;

function linesOf(context: Context, status: StoreStatus, nowMs: number): StatusLine[] {
  const utcText = createTimeText(context, nowMs);
  const { lastBackupMs } = status;
  const backupText = lastBackupMs === null ? 'never' : utcText(lastBackupMs);
  return [
    ...storeLines(status, context.storePath),
    ...clockLines(status),
    ...daemonLines(status, utcText),
    ...keyLines(status, utcText),
    ...status.pending.map(pendingLine),
    ...sensorLines(status),
    ...rejectionLines(status.rejections),
    ['Backup', backupText, 'backup_old', 'hkctl backup FILE'],
  ];
}

function storeLines({ sizeBytes, space }: StoreStatus, storePath: string): StatusLine[] {
  const lines: StatusLine[] = [['Store', `${storePath} (${sizeText(sizeBytes)})`]];
  if (space) lines.push(['', `${freeText(space)} free on its disk`, 'disk_low', 'hkctl doctor']);
  return lines;
}

function clockLines({ clockFinding, attention }: StoreStatus): StatusLine[] {
  if (!attention.includes('clock_behind')) return [];
  return [['Clock', clockFinding.detail, 'clock_behind', 'hkctl doctor']];
}

const startCommand = 'systemctl start hkctl, or hkctl serve';

function daemonLines(
  { daemon, ended, certificates }: StoreStatus,
  utcText: (instantMs: number) => string,
): StatusLine[] {
  const address = daemon ? daemon.baseUrl : 'none is running';
  const lines: StatusLine[] = [['Daemon', address, 'daemon_missing', startCommand]];
  if (daemon) {
    const version = daemon.version ?? 'unknown';
    lines.push(['', `version ${version}, since ${utcText(daemon.sinceMs)}`]);
  }
  for (const { baseUrl, sinceMs } of ended) {
    const text = `${baseUrl}, started ${utcText(sinceMs)}, ended without a clean stop`;
    lines.push(['', text, 'daemon_ended', startCommand]);
  }
  for (const { baseUrl, untilMs, fault } of certificates) {
    const text = fault ?? `expires ${utcText(untilMs)}`;
    const attention = fault === undefined ? undefined : 'certificate';
    lines.push(['', `the certificate of ${baseUrl} ${text}`, attention, 'hkctl doctor']);
  }
  return lines;
}

function keyLines(
  { keys, lapsed }: StoreStatus,
  utcText: (instantMs: number) => string,
): StatusLine[] {
  const lines: StatusLine[] = [['Keys', `${grouped(keys.active)} active`]];
  if (keys.refused !== 0) {
    const isRefused = `${keys.refused === 1 ? 'is' : 'are'} refused`;
    const refusedKeys = counted(keys.refused, 'active key');
    const text = `${refusedKeys} ${isRefused}: ${wordList(ownerReasons, 'or')}`;
    lines.push(['', text, 'keys_refused', 'hkctl doctor']);
  }
  const expire = keys.expiring === 1 ? 'expires' : 'expire';
  const expiringText = `${counted(keys.expiring, 'key')} ${expire} within 14 days`;
  const unusedText = `${counted(keys.unused, 'key')} unused for 90 days`;
  if (keys.beyondLifetime !== null) {
    const text = `${counted(keys.beyondLifetime, 'key')} beyond the longest lifetime of new ones`;
    lines.push(['', text]);
  }
  lines.push(
    ['', expiringText, 'keys_expiring', 'hkctl keys list --expiring-within 14d'],
    ...lapsedLines(lapsed, utcText),
    ['', unusedText, 'keys_unused', 'hkctl keys list --unused-for 90d'],
  );
  return lines;
}

function lapsedLines(
  lapsed: readonly LapsedKey[],
  utcText: (instantMs: number) => string,
): StatusLine[] {
  if (lapsed.length === 0) return [['', 'none has expired lately, or is used after its end']];

  const lines = lapsed.slice(0, mostKeys).map((lapsedKey): StatusLine => {
    const { key, status, endedMs, refusedCount, lastRefused } = lapsedKey;
    const name = `${key.prefix} (${printable(key.name)})`;
    const end = status === 'Expired' ? 'expired' : 'was revoked';
    const refused = `${counted(refusedCount, 'request')} refused since`;
    const address = lastRefused?.address ? ` from ${lastRefused.address}` : '';
    const last = lastRefused ? `, the last ${utcText(lastRefused.atMs)}${address}` : '';
    const text = `${name} ${end} ${utcText(endedMs)}: ${refused}${last}`;
    return ['', text, attentionOf(lapsedKey), cureOf(lapsedKey)];
  });
  const [firstOther, ...others] = lapsed.slice(mostKeys);
  if (firstOther) {
    const text = `${counted(others.length + 1, 'other key')} expired lately, or used after the end`;
    lines.push(['', text, attentionOf(firstOther), 'hkctl status --json inactive_keys']);
  }
  return lines;
}

function pendingLine({ key, command, file }: PendingCommand): StatusLine {
  const text = `${key.prefix} (${printable(key.name)}) waits for: ${printable(command ?? 'a command of hkctl 0.2.0')}`;
  const flag = file?.endsWith('/') ? '--secret-dir' : '--secret-file';
  const place = file === null ? '' : ` ${flag} ${shellWord(file)}`;
  const again = `hkctl keys rotate ${key.prefix}${place} --if-older-than 90d --exec COMMAND`;
  return ['', text, 'commands_pending', again];
}

function attentionOf({ isMissed }: LapsedKey): Attention {
  return isMissed ? 'keys_expired' : 'keys_used_after_end';
}

function sensorLines({ sensors }: StoreStatus): StatusLine[] {
  const neverHeard = sensors.neverHeard > 0 ? `, ${grouped(sensors.neverHeard)} never heard` : '';
  const silentText = `${counted(sensors.silent, 'sensor')} silent`;
  const listCommands = sensors.silentAt.map(
    (code) => `hkctl sensors list --silent --entity ${code}`,
  );
  return [
    ['Sensors', `${grouped(sensors.active)} active${neverHeard}`],
    ['', silentText, 'sensors_silent', listCommands.join('; ')],
  ];
}

/** Keys with a line of their own; all further keys share one. */
const mostKeys = 5;

function rejectionLines(rejections: readonly KeyRejections[]): StatusLine[] {
  if (rejections.length === 0) return [['Readings', 'none rejected in the last day']];

  const rejectionTexts: [text: string, command: string][] = [];
  for (const { prefix, count, codes } of rejections.slice(0, mostKeys)) {
    const readings = counted(count, 'reading');
    const codesText = codes.map(codeText).join(', ');
    const text = `${readings} of ${prefix} rejected in the last day: ${codesText}`;
    rejectionTexts.push([text, `hkctl keys show ${prefix}`]);
  }
  const otherKeys = rejections.slice(mostKeys);
  if (otherKeys.length > 0) {
    const readingCount = otherKeys.reduce((total, { count }) => total + count, 0);
    const readings = counted(readingCount, 'reading');
    const keys = counted(otherKeys.length, 'other key');
    rejectionTexts.push([`${readings} of ${keys} rejected in the last day`, 'hkctl keys list']);
  }
  return rejectionTexts.map(([text, command], lineIndex) => [
    lineIndex === 0 ? 'Readings' : '',
    text,
    'readings_rejected',
    command,
  ]);
}

function codeText({ code, sensor }: KeyRejections['codes'][number]): string {
  return sensor === null ? code : `${code} ${sensor}`;
}

function sizeText(sizeBytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = sizeBytes / 1000;
  while (size >= 1000 && units.length > 1) {
    size /= 1000;
    units.shift();
  }
  return `${size.toFixed(1)} ${units[0]}`;
}
