import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MintedKey, Plant } from './plant.ts';

const dayMs = 86_400_000;
/** The library that Debian's faketime puts before a process; its own command would stand between us and our signals. */
const library = spawnSync('faketime', ['-f', '+0', 'sh', '-c', 'printf %s "$LD_PRELOAD"']).stdout?.toString() ?? '';

describe.skipIf(library === '')('a clock that is wrong', () => {
  let plant: Plant;
  let short: MintedKey;
  let long: MintedKey;

  beforeAll(async () => {
    plant = await Plant.open();
    short = await plant.mint('One day', 'operational-core', '--expires', '1d');
    long = await plant.mint('Never', 'operational-core');
  });
  afterAll(() => plant.close());

  /** A clock that is so many days off; timers go on as they are. */
  const clock = (days: number) => ({
    LD_PRELOAD: library,
    FAKETIME: `${days < 0 ? '' : '+'}${days}d`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });

  const at = (days: number, args: readonly string[], input = '') => plant.hkctl(args, { input, env: clock(days) });

  const meBy = async (days: number, { secret }: MintedKey): Promise<string> => {
    const daemon = await plant.serve(clock(days));
    const { response, error } = await daemon.api(secret).GET('/api/v1/me');
    expect((await daemon.stop()).code).toBe(0);
    return response.status === 200 ? 'let in' : (error?.code ?? '');
  };

  it('expires keys by what it shows, in commands and in the daemon', async () => {
    expect((await at(0, ['keys', 'verify'], short.secret)).code).toBe(0);
    expect(await meBy(0, short)).toBe('let in');
    expect((await at(2, ['keys', 'verify'], short.secret)).code).toBe(5);
    expect(await meBy(2, short)).toBe('key_expired');
    expect(await meBy(2, long)).toBe('let in');
    const listed = await at(2, ['keys', 'list', '--json']);
    expect(JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)).toEqual([long.key.id]);
    const renewed = await at(2, ['keys', 'rotate', short.key.id, '--yes']);
    expect(renewed.code).toBe(5);
    expect(renewed.stderr).toContain('Expired');
  });

  it('reads spans and days by its own time, and refuses an expiry behind it', async () => {
    const args = ['keys', 'create', '--name', 'Later', '--entity', 'BER', '--preset', 'sensor-gateway', '--json'];
    const created = await at(10, [...args, '--expires', '1d']);
    expect(created.code, created.stderr).toBe(0);
    const { key }: MintedKey = JSON.parse(created.stdout);
    expect(Math.abs(Date.parse(key.expires_at ?? '') - Date.now() - 11 * dayMs)).toBeLessThan(60_000);
    const yesterday = new Date(Date.now() + 9 * dayMs).toISOString();
    expect((await at(10, [...args, '--expires', yesterday])).code).toBe(2);
  });

  it('of a machine that starts years ago lets no revoked key in, and the audit chain holds', async () => {
    const { key, secret } = await plant.mint('Gone', 'operational-core');
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect(await meBy(-3000, { key, secret })).toBe('key_revoked');
    expect((await at(-3000, ['keys', 'verify'], secret)).code).toBe(5);
    expect(
      (await at(-3000, ['keys', 'create', '--name', 'Old', '--entity', 'BER', '--preset', 'sensor-gateway'])).code,
    ).toBe(0);
    await plant.ok(['audit', 'verify']);
  });
});
