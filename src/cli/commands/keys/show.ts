import { permissionGroups } from '../../../core/access/permissions.ts';
import { lineageOf, showKey, statusOf } from '../../../core/keys/keys.ts';
import { type PendingCommand, pendingCommands } from '../../../core/keys/pending-steps.ts';
import { byDay, usageOf } from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { UsageCount } from '../../../core/port/usage.ts';
import { printable } from '../../../core/text/shown-text.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { keyFields, keyJson, usageJson } from '../../command/output.ts';
import { askKey } from '../../questions/choices.ts';
import { fullTime } from '../../table/shown-time.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { refsArgument, statusText } from './shown-keys.ts';
import { usageBars, usageFacts } from './usage.ts';

export const keysShowCommand = defineCommand({
  summary: 'Show one key, its usage, its predecessors and successor',
  readOnly: true,
  fields: [...keyFields, 'usage', 'pending_commands'],
  arguments: [{ ...refsArgument, spelling: '[REF]' }],
  flags: { yes: yesFlag },
  required: (_flags, [ref]) => ({ REF: ref }),
  examples: [
    ['hkctl keys show hk_Ab3dE', 'by its prefix'],
    ['hkctl keys show "Oven gateway"', 'by its name'],
    ['hkctl keys show hk_Ab3dE --json', 'for a program'],
  ],
  needs: (_flags, [ref = 'keys']) => ['key.list', ref],
  async run(context, _flags, [ref], session) {
    const { domain, actor } = session;
    const key =
      ref === undefined ? await askKey(context, session) : await showKey(domain, actor, ref);
    const nowMs = domain.clock();
    const usage = await usageOf(domain, key);
    const allPending = await pendingCommands(domain, actor);
    const pending = allPending.filter((waiting) => waiting.key.id === key.id);
    if (context.json) {
      context.printJson({
        ...keyJson(key, nowMs),
        usage: byDay(usage).map(usageJson),
        pending_commands: pending.map(({ command, file }) => ({ command, file })),
      });
      return;
    }
    const lineage = await lineageOf(domain, actor, key);
    context.print(...descriptionLines(context, key, { lineage, usage, pending, nowMs }));
  },
});

const labelWidth = 10;

interface KeyHistory {
  /** The predecessors of the key, itself and its successor, the oldest first. */
  lineage: readonly Key[];
  usage: readonly UsageCount[];
  /** Commands of `--exec` that have yet to succeed. */
  pending: readonly PendingCommand[];
  nowMs: number;
}

function descriptionLines(context: Context, key: Key, history: KeyHistory): string[] {
  const { lineage, usage, pending, nowMs } = history;
  const { style, io, utc } = context;
  const columns = io.stdout.columns();
  const labelled = ([label, value]: [string, string]) =>
    wrapLabelled(`${label.padEnd(labelWidth)} `, value, columns);

  const isAscii = io.env.TERM === 'dumb';
  const width = (columns ?? 120) - labelWidth - 1;
  const labelledBars =
    usage.length === 0 ? [] : usageBars(usage, key, { nowMs, width, isAscii, style });
  return [
    style.bold(key.name),
    ...factsOf(context, key, nowMs).flatMap(labelled),
    ...pending.map(waitingFact).flatMap(labelled),
    ...labelledBars.map(([label, bars]) => `${label.padEnd(labelWidth)} ${bars}`),
    ...usageFacts(usage, key, { nowMs, utc }).flatMap(labelled),
    'Permissions',
    ...permissionLines(key, columns),
    ...rotationLines(context, key, lineage, nowMs),
  ];
}

/** The labelled facts of a key, without empty ones. */
function factsOf(context: Context, key: Key, nowMs: number): [string, string][] {
  const { entity, createdBy, revokedBy, lastUsedIp, allowedIps } = key;
  const timeOf = (instantMs: number | null) => timeAt(context, instantMs, key);
  const inactive = entity?.status === 'inactive' ? ' (inactive)' : '';
  const fromAddress = lastUsedIp === null ? '' : ` from ${lastUsedIp}`;
  const networks = allowedIps.join(', ');
  const byRevoker = revokedBy ? ` by ${revokedBy.name} (${revokedBy.login})` : '';
  const facts: [string, string][] = [
    ['Prefix', context.style.cyan(key.prefix)],
    ['Id', key.id],
    ['Status', statusText(key, nowMs)],
    ['Entity', entity ? `${entity.code}  ${entity.name}${inactive}` : 'none (removed)'],
    ['Created', `${timeOf(key.createdAtMs)} by ${createdBy.name} (${createdBy.login})`],
    ['Last used', `${timeOf(key.lastUsedAtMs)}${fromAddress}`],
    ['Expires', timeOf(key.expiresAtMs)],
    ['Allowed', allowedIps.length === 0 ? 'from anywhere' : `only from ${networks}`],
    ['Note', key.note ?? ''],
    ['Revoked', key.revokedAtMs === null ? '' : `${timeOf(key.revokedAtMs)}${byRevoker}`],
  ];
  return facts.filter(([, value]) => value !== '');
}

function waitingFact({ command, file }: PendingCommand): [string, string] {
  const place = file === null ? '' : ` (after the rotation of ${file})`;
  return ['Waiting', printable(`${command ?? 'a command of hkctl 0.2.0'}${place}`)];
}

function timeAt(context: Context, instantMs: number | null, { entity }: Key): string {
  return fullTime(context, instantMs, entity?.timezone ?? 'UTC');
}

function permissionLines(key: Key, columns: number | undefined): string[] {
  return permissionGroups.flatMap((group) => {
    const heldNames = group.permissions
      .map((permission) => permission.key)
      .filter((name) => key.permissions.includes(name));
    if (heldNames.length === 0) return [];
    return wrapLabelled(`  ${group.name}: `, heldNames.join(', '), columns);
  });
}

/** The rotations of a key with a mark at itself; none if it was never rotated. */
function rotationLines(
  context: Context,
  key: Key,
  lineage: readonly Key[],
  nowMs: number,
): string[] {
  if (lineage.length <= 1) return [];
  const columns = context.io.stdout.columns();
  const lines = lineage.flatMap((relative) => {
    const mark = relative.id === key.id ? '▸' : ' ';
    const createdAt = timeAt(context, relative.createdAtMs, relative);
    const status = statusOf(relative, nowMs);
    const description = `${status}  made ${createdAt} by ${relative.createdBy.login}`;
    return wrapLabelled(`  ${mark} ${relative.prefix}  `, description, columns);
  });
  return ['Rotations, oldest first', ...lines];
}
