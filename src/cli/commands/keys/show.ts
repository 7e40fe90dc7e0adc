import { permissionGroups } from '../../../core/access/permissions.ts';
import { lineageOf, showKey, statusOf } from '../../../core/keys/keys.ts';
import { byDay, usageOf } from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { UsageCount } from '../../../core/port/usage.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { keyFields, keyJson, usageJson } from '../../command/output.ts';
import { askKey } from '../../questions/choices.ts';
import { fullTime } from '../../table/shown-time.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { refsArgument } from './names.ts';
import { statusText } from './refused.ts';
import { usageBars, usageFacts } from './usage.ts';

export const keysShowCommand = defineCommand({
  summary: 'Show one key, its usage, its predecessors and successor',
  readOnly: true,
  fields: [...keyFields, 'usage'],
  arguments: [{ ...refsArgument, spelling: '[REF]' }],
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
    if (context.json)
      context.printJson({ ...keyJson(key, nowMs), usage: byDay(usage).map(usageJson) });
    else
      context.print(
        ...describe(context, key, { chain: await lineageOf(domain, actor, key), usage, nowMs }),
      );
  },
});

const labelWidth = 10;

/** `chain` holds its predecessors, itself and its successor, the oldest first. */
function describe(
  context: Context,
  key: Key,
  { chain, usage, nowMs }: { chain: readonly Key[]; usage: readonly UsageCount[]; nowMs: number },
): string[] {
  const columns = context.io.stdout.columns();
  const { style } = context;
  const timeAt = (ms: number | null, one: Key) =>
    fullTime(context, ms, one.entity?.timezone ?? 'UTC');
  const { entity, createdBy, revokedBy } = key;
  const byWhom = revokedBy ? ` by ${revokedBy.name} (${revokedBy.login})` : '';
  const site =
    entity && `${entity.code}  ${entity.name}${entity.status === 'inactive' ? ' (inactive)' : ''}`;
  const facts: [string, string][] = [
    ['Prefix', style.cyan(key.prefix)],
    ['Id', key.id],
    ['Status', statusText(key, nowMs)],
    ['Entity', site ?? 'none (removed)'],
    ['Created', `${timeAt(key.createdAtMs, key)} by ${createdBy.name} (${createdBy.login})`],
    [
      'Last used',
      `${timeAt(key.lastUsedAtMs, key)}${key.lastUsedIp === null ? '' : ` from ${key.lastUsedIp}`}`,
    ],
    ['Expires', timeAt(key.expiresAtMs, key)],
    [
      'Allowed',
      key.allowedIps.length === 0 ? 'from anywhere' : `only from ${key.allowedIps.join(', ')}`,
    ],
    ['Note', key.note ?? ''],
    ['Revoked', key.revokedAtMs === null ? '' : `${timeAt(key.revokedAtMs, key)}${byWhom}`],
  ];
  const permissions = permissionGroups.flatMap((group) => {
    const heldPermissions = group.permissions.filter((permission) =>
      key.permissions.includes(permission.key),
    );
    return heldPermissions.length === 0
      ? []
      : wrapLabelled(
          `  ${group.name}: `,
          heldPermissions.map(({ key: name }) => name).join(', '),
          columns,
        );
  });
  const rotations = chain.flatMap((one) =>
    wrapLabelled(
      `  ${one.id === key.id ? '▸' : ' '} ${one.prefix}  `,
      `${statusOf(one, nowMs)}  made ${timeAt(one.createdAtMs, one)} by ${one.createdBy.login}`,
      columns,
    ),
  );
  const isAscii = context.io.env.TERM === 'dumb';
  const width = (columns ?? 120) - labelWidth - 1;
  const bars = usage.length === 0 ? [] : usageBars(usage, key, { nowMs, width, isAscii, style });
  const labelled = ([label, value]: [string, string]) =>
    wrapLabelled(`${label.padEnd(labelWidth)} `, value, columns);
  return [
    style.bold(key.name),
    ...facts.filter(([, value]) => value !== '').flatMap(labelled),
    ...bars.map(([label, line]) => `${label.padEnd(labelWidth)} ${line}`),
    ...usageFacts(usage, key, { nowMs, utc: context.utc }).flatMap(labelled),
    'Permissions',
    ...permissions,
    ...(chain.length > 1 ? ['Rotations, oldest first', ...rotations] : []),
  ];
}
