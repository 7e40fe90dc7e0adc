import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commands } from './all-commands.ts';
import { Cli } from './harness.ts';

const cli = new Cli();
let secret: string;
const folder = () => dirname(dirname(cli.store));

beforeAll(async () => {
  await cli.seed();
  ({ secret } = await cli.key('Gateway'));
  await cli.key('Old');
  writeFileSync(
    join(folder(), 'sensors.ndjson'),
    '{"id":"SE-1","code":"OVEN-3-T1","name":"Oven","unit":"Cel","is_active":true}\n',
  );
  writeFileSync(
    join(folder(), 'readings.csv'),
    'sensor,at,value\nOVEN-3-T1,2026-11-19T08:00:00Z,182.4\nOVEN-3-T1,2026-11-19T08:01:00Z,182.5\n',
  );
  await cli.ok(`import sensors ${join(folder(), 'sensors.ndjson')} --entity BER`);
  await cli.ok(`import readings ${join(folder(), 'readings.csv')} --entity BER`);
});

/** One line of each command that prints JSON, in an order in which they work, with a field of it. */
const lines: readonly (readonly [path: string, more: string, field: string])[] = [
  ['keys', '', 'name'],
  ['keys list', '', 'prefix'],
  ['keys show', 'Gateway', 'usage'],
  ['keys create', '--name New --entity BER --preset sensor-gateway', 'secret'],
  ['keys rotate', 'New --yes', 'secret'],
  ['keys note', 'Gateway "Line 3"', 'key'],
  ['keys verify', '', 'reason'],
  ['keys scan', '-', 'occurrences'],
  ['keys scan', '--gitleaks', 'rule'],
  ['keys revoke', 'Old --yes', 'key'],
  ['permissions list', '', 'presets'],
  ['entities list', '', 'code'],
  ['entities add', 'ROM --name Rome --timezone Europe/Rome', 'timezone'],
  ['entities set', 'ROM --name "Rome 2"', 'name'],
  ['entities deactivate', 'ROM --yes', 'status'],
  ['entities activate', 'ROM', 'status'],
  ['entities remove', 'ROM --yes', 'code'],
  ['users list', '', 'login'],
  ['users add', 'new --name New --role operator', 'role'],
  ['users set-role', 'new manager', 'role'],
  ['users deactivate', 'new --yes', 'status'],
  ['users activate', 'new', 'status'],
  ['tenants list', '', 'week_start'],
  ['tenants add', 'Second --admin second', 'name'],
  ['tenants set', '--name "Acme 2"', 'name'],
  ['import', 'sensors SENSORS --entity BER', 'unchanged'],
  ['import', 'readings READINGS --entity BER', 'duplicates'],
  ['import', 'parts --template', 'template'],
  ['sensors list', '--entity BER', 'last_value'],
  ['sensors show', 'OVEN-3-T1 --entity BER', 'code'],
  ['sensors export', '--entity BER', 'at'],
  ['sensors tail', '--entity BER', 'at'],
  ['sensors erase', 'OVEN-3-T1 --entity BER --from 2026-11-19 --to 2026-11-20 --yes', 'readings'],
  ['audit list', '', 'action'],
  ['audit export', '', 'action'],
  ['audit verify', '', 'ok'],
  ['status', '', 'ok'],
  ['doctor', '', 'ok'],
  ['backup', 'BACKUP', 'digest'],
  ['restore', 'BACKUP --yes', 'kept_revoked'],
  ['migrate', '', 'applied'],
  ['init', '--org A --entity B --entity-name B --timezone UTC', 'tenant'],
  ['serve', '', 'base_url'],
  ['openapi', '', 'openapi'],
  ['systemd-unit', '', 'unit'],
  ['metrics-rules', '', 'rules'],
  ['metrics-rules', '--grafana', 'title'],
  ['postgres-roles', '', 'sql'],
  ['postgres-citus', '', 'sql'],
  ['completion', 'bash', 'script'],
  ['examples', '', 'page'],
  ['examples', 'gateway.py', 'text'],
];

describe('--json FIELD', () => {
  it('is tried with every command', () => {
    const tried = new Set(lines.map(([path]) => path));
    expect([...tried].sort()).toEqual(commands.map(({ path }) => path.join(' ')).sort());
  });

  it.each(lines)('of hkctl %s %s prints %s alone', async (path, more, field) => {
    const definition = commands.find((one) => one.path.join(' ') === path)?.definition;
    expect(definition?.fields).toContain(field);

    const files: Record<string, string> = {
      SENSORS: join(folder(), 'sensors.ndjson'),
      READINGS: join(folder(), 'readings.csv'),
      BACKUP: join(folder(), 'plant.backup'),
    };
    const line = `${path} ${more} --json ${field}`.replace(
      /[A-Z]{6,}/,
      (name) => files[name] ?? name,
    );
    const where = path === 'init' ? new Cli() : cli;
    const interrupted = AbortSignal.abort();
    const { code, stdout, stderr } = await where.run(line, { input: secret, interrupted });
    // 5: something needs attention, or a secret was found.
    expect([0, 5], stderr).toContain(code);
    // Nothing arrives before this one is interrupted.
    if (path === 'sensors tail') return;
    const [first] = [JSON.parse(stdout)].flat();
    expect(Object.keys(first)).toEqual([field]);
  });

  it.each([
    ['keys create --name Lost --entity BER --preset sensor-gateway --json key', 'secret'],
    ['keys create --name Lost --entity BER --preset sensor-gateway --copy --json key', 'secret'],
    ['keys rotate Gateway --yes --json key,revoked', 'key,revoked,secret'],
    ['keys rotate Gateway --yes --json revoked', 'revoked,secret'],
  ])('of hkctl %s is refused, since the secret would be lost', async (line, better) => {
    const before = (await cli.ok('keys list --all --json')).stdout;
    const refused = await cli.run(line);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.error().hint).toContain(better);
    expect((await cli.ok('keys list --all --json')).stdout).toBe(before);
  });

  it('may leave out a secret that goes elsewhere', async () => {
    const file = join(folder(), 'lost.key');
    const line = `keys create --name Kept --entity BER --preset sensor-gateway --secret-file ${file}`;
    expect(Object.keys((await cli.ok(`${line} --json key`)).json())).toEqual(['key']);
    const rotated = await cli.ok(
      'keys rotate Kept --yes --deliver "cat > /dev/null" --json revoked',
    );
    expect(Object.keys(rotated.json())).toEqual(['revoked']);
  });
});
