import { beforeEach, describe, expect, it } from 'vitest';
import { isCompleteSecret } from '../../../../src/core/secrets.ts';
import { Cli, type KeyJson } from '../../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

describe('keys create', () => {
  it('prints the secret alone, with a newline', async () => {
    const { stdout, stderr } = await cli.ok(
      'keys create --name Gateway --entity BER --preset sensor-gateway',
    );
    expect(stdout).toMatch(/^hk_[0-9A-Za-z]{49}\n$/);
    expect(isCompleteSecret(stdout.trim())).toBe(true);
    expect(stderr).not.toContain(stdout.trim());
  });

  it('gives key and secret as JSON', async () => {
    const { key, secret } = await cli.key('Gateway', ['--expires', '2027-01-31']);
    expect(key).toEqual({
      id: expect.any(String),
      prefix: secret.slice(0, 8),
      name: 'Gateway',
      status: 'Active',
      refused: null,
      entity: { id: expect.any(String), code: 'BER', name: 'Berlin plant' },
      permissions: ['asset_sensors.ingest'],
      created_by: { login: 'root', name: 'root' },
      created_at: '2026-11-20T08:00:00.000Z',
      // The end of that day at the entity.
      expires_at: '2027-01-31T22:59:59.999Z',
      last_used_at: null,
      revoked_at: null,
      revoked_by: null,
      rotated_from: null,
      rotated_to: null,
      allowed_ips: [],
      note: null,
      last_used_ip: null,
    });
    expect(await cli.show(key.prefix)).toEqual(key);
  });
});

describe('keys list', () => {
  it('shows active keys, and all with --all', async () => {
    const { key } = await cli.key('A');
    await cli.key('B');
    await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
    const active = (await cli.ok('keys list --json')).json<KeyJson[]>();
    expect(active.map(({ name }) => name)).toEqual(['B']);
    const all = (await cli.ok('keys list --all --json')).json<KeyJson[]>();
    expect(all.map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ['A', 'Revoked'],
        ['B', 'Active'],
      ]),
    );
  });

  it('finds by a part of the name or site, and by the beginning of a prefix', async () => {
    const { key } = await cli.key('Oven gateway');
    await cli.key('ERP', ['--entity', 'CHI']);
    const found = async (text: string) => {
      const { stdout } = await cli.ok(['keys', 'list', '--json', '--search', text]);
      return (JSON.parse(stdout) as KeyJson[]).map(({ name }) => name);
    };
    expect(await found('OVEN')).toEqual(['Oven gateway']);
    expect(await found('chicago')).toEqual(['ERP']);
    expect(await found(key.prefix)).toEqual(['Oven gateway']);
    expect(await found('nothing')).toEqual([]);
  });
});
