import { errorTable } from '../../core/errors.ts';
import type { KeyRejections } from '../../core/keys/usage.ts';
import { freeText } from '../../core/operations/doctor-store.ts';
import { type Attention, readStatus, type StoreStatus } from '../../core/operations/status.ts';
import { counted, grouped } from '../../core/text/words.ts';
import { formatInstantMs, formatOptionalMs } from '../../core/time/instants.ts';
import { defineCommand } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { createTimeText } from '../table/shown-time.ts';
import { wrapLabelled } from '../terminal/wrap.ts';
import { answersAt } from './serve/probe.ts';

export default defineCommand({
  description:
    'One screen, with a mark at each line that needs attention, and the command for it. Exit code 0 if nothing is marked, else 5. Needs api_keys.view.',
  readOnly: true,
  fields: [
    'ok',
    'attention',
    'store',
    'daemon',
    'daemons_ended',
    'keys',
    'sensors',
    'rejected_in_a_day',
    'last_backup_at',
  ],
  examples: [
    ['hkctl status', 'at a glance'],
    ['hkctl status --quiet', 'from cron: only what needs attention'],
    ['hkctl status --json', 'for a program'],
  ],
  needs: () => ['store.status', 'store'],
  async run(context, _flags, _args, { domain, actor }) {
    const inspection = await (await context.services.engine(context.storePath)).inspect();
    const status = await readStatus(domain, actor, { inspection, answers: answersAt });
    if (context.json) context.printJson(statusJson(status, context.storePath));
    else printStatus(context, status, domain.clock());
    return status.attention.length === 0 ? 0 : errorTable.state_forbids.exit;
  },
});

function statusJson(
  {
    sizeBytes,
    space,
    daemon,
    ended,
    keys,
    sensors,
    rejections,
    lastBackupMs,
    attention,
  }: StoreStatus,
  path: string,
) {
  return {
    ok: attention.length === 0,
    attention,
    store: { path, size_bytes: sizeBytes, ...(space && { free_bytes: space.freeBytes }) },
    daemon: daemon && daemonJson(daemon),
    daemons_ended: ended.map(daemonJson),
    keys: {
      active: keys.active,
      refused: keys.refused,
      expiring_within_14_days: keys.expiring,
      unused_for_90_days: keys.unused,
    },
    sensors: {
      active: sensors.active,
      silent_for_a_day: sensors.silent,
      never_heard: sensors.neverHeard,
    },
    rejected_in_a_day: rejections.map(({ prefix, count, codes, lastAtMs }) => ({
      prefix,
      readings: count,
      codes: Object.fromEntries(
        codes.map((one) => [one.code, { readings: one.count, sensor: one.sensor }]),
      ),
      last_at: formatInstantMs(lastAtMs),
    })),
    last_backup_at: formatOptionalMs(lastBackupMs),
  };
}

function daemonJson({ baseUrl, version, sinceMs }: StoreStatus['ended'][number]) {
  return { address: baseUrl, version, since: formatInstantMs(sinceMs) };
}

/** A line of the screen; with `attention` it is marked if the number is not zero, and the command to run is on the line below. */
type Line = readonly [label: string, text: string, attention?: Attention, command?: string];

function printStatus(context: Context, status: StoreStatus, nowMs: number): void {
  const { style, io, naming } = context;
  for (const [label, text, attention, command] of linesOf(context, status, nowMs)) {
    const isMarked = attention !== undefined && status.attention.includes(attention);
    const print = isMarked ? context.print : context.confirm;
    const lines = wrapLabelled(
      `${isMarked ? '!' : ' '} ${label.padEnd(labelWidth)}`,
      text,
      io.stdout.columns(),
    );
    print(...(isMarked ? lines.map(style.yellow) : lines));
    if (isMarked && command !== undefined) print(`  ${' '.repeat(labelWidth)}${naming(command)}`);
  }
}

const labelWidth = 'Readings'.length + 2;

function linesOf(context: Context, status: StoreStatus, nowMs: number): Line[] {
  const { daemon, ended, keys, sensors, lastBackupMs, sizeBytes, space } = status;
  const time = createTimeText(context, nowMs);
  const neverHeard = sensors.neverHeard > 0 ? `, ${grouped(sensors.neverHeard)} never heard` : '';
  const expiring = `${counted(keys.expiring, 'key')} ${keys.expiring === 1 ? 'expires' : 'expire'} within 14 days`;
  const silentAt = sensors.silentAt.map((code) => `hkctl sensors list --entity ${code}`).join('; ');
  const lines: (Line | null)[] = [
    ['Store', `${context.storePath} (${sizeText(sizeBytes)})`],
    space && ['', `${freeText(space)} free on its disk`, 'disk_low', 'hkctl doctor'],
    ['Daemon', daemon ? daemon.baseUrl : 'none is running'],
    daemon && ['', `version ${daemon.version ?? 'unknown'}, since ${time(daemon.sinceMs, 'UTC')}`],
    ...ended.map(({ baseUrl, sinceMs }): Line => {
      const text = `${baseUrl}, started ${time(sinceMs, 'UTC')}, ended without a clean stop`;
      return ['', text, 'daemon_ended', 'systemctl start hkctl, or hkctl serve'];
    }),
    ['Keys', `${grouped(keys.active)} active`],
    keys.refused === 0
      ? null
      : [
          '',
          `${counted(keys.refused, 'active key')} ${keys.refused === 1 ? 'is' : 'are'} refused: site or creator inactive or gone`,
          'keys_refused',
          'hkctl doctor',
        ],
    ['', expiring, 'keys_expiring', 'hkctl keys list --expiring-within 14d'],
    [
      '',
      `${counted(keys.unused, 'key')} unused for 90 days`,
      'keys_unused',
      'hkctl keys list --unused-for 90d',
    ],
    ['Sensors', `${grouped(sensors.active)} active${neverHeard}`],
    ['', `${counted(sensors.silent, 'sensor')} silent for a day`, 'sensors_silent', silentAt],
    ...rejectionLines(status.rejections),
    [
      'Backup',
      lastBackupMs === null ? 'never' : time(lastBackupMs, 'UTC'),
      'backup_old',
      'hkctl backup FILE',
    ],
  ];
  return lines.filter((line) => line !== null);
}

/** Keys with a line of their own; the others share one. */
const mostKeys = 5;

function rejectionLines(rejections: readonly KeyRejections[]): Line[] {
  if (rejections.length === 0) return [['Readings', 'none rejected in the last day']];
  const others = rejections.slice(mostKeys);
  const lines = rejections
    .slice(0, mostKeys)
    .map(({ prefix, count, codes }): [text: string, command: string] => {
      const text = `${counted(count, 'reading')} of ${prefix} rejected in the last day: ${codes.map(codeText).join(', ')}`;
      return [text, `hkctl keys show ${prefix}`];
    });
  if (others.length > 0) {
    const sum = others.reduce((total, { count }) => total + count, 0);
    const text = `${counted(sum, 'reading')} of ${counted(others.length, 'other key')} rejected in the last day`;
    lines.push([text, 'hkctl keys list']);
  }
  return lines.map(([text, command], n) => [
    n === 0 ? 'Readings' : '',
    text,
    'readings_rejected',
    command,
  ]);
}

function codeText({ code, sensor }: KeyRejections['codes'][number]): string {
  return sensor === null ? code : `${code} ${sensor}`;
}

function sizeText(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = bytes / 1000;
  while (size >= 1000 && units.length > 1) {
    size /= 1000;
    units.shift();
  }
  return `${size.toFixed(1)} ${units[0]}`;
}
