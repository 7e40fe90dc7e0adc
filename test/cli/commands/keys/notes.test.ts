import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, type KeyJson } from '../../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const lastEvent = async () =>
  (await cli.ok('audit list --json --limit 1')).json<
    { action: string; outcome: string; detail: object }[]
  >()[0];

describe('keys note', () => {
  it('sets and clears the note of a key in any state, and is audited', async () => {
    const { key } = await cli.key('ERP');
    const text = 'Zeile 3 ☎ 4711, "ask" Ada 👩‍🏭'.replace('\u200d', '');
    const set = (await cli.ok(['keys', 'note', key.prefix, text, '--json'])).json<{
      key: KeyJson;
    }>();
    expect(set.key).toEqual({ ...key, note: text });
    expect(await cli.show(key.id)).toEqual(set.key);
    expect(await lastEvent()).toMatchObject({
      action: 'key.note',
      outcome: 'done',
      detail: { name: 'ERP', note: text },
    });
    expect((await cli.ok(['keys', 'show', key.id])).stdout).toContain(`Note       ${text}\n`);
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    const cleared = await cli.ok(['keys', 'note', key.id, '']);
    expect(cleared.stderr).toBe(`Note cleared: ERP (${key.prefix})\n`);
    expect(await cli.show(key.id)).toMatchObject({ note: null, status: 'Revoked' });
    expect((await cli.ok(['keys', 'show', key.id])).stdout).not.toContain('Note');
  });

  it('takes 500 characters, however many bytes they have', async () => {
    const { key } = await cli.key('ERP');
    for (const character of ['a', 'ß', '漢', '😀']) {
      await cli.ok(['keys', 'note', key.id, character.repeat(500)]);
      const { code, stderr } = await cli.run(['keys', 'note', key.id, character.repeat(501)]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('1 to 500 characters')]);
    }
    expect((await cli.show(key.id)).note).toBe('😀'.repeat(500));
  });

  it.each([
    ['a line break', 'a\nb'],
    ['an escape sequence', '\u001b[2Jx'],
    ['a change of direction', 'a\u202eb'],
    ['a zero-width character', 'a\u200bb'],
    ['half a character', 'a\ud800'],
    ['a blank at its end', 'a '],
  ])('refuses %s', async (_what, text) => {
    const { key } = await cli.key('ERP', ['--note', 'before']);
    expect((await cli.run(['keys', 'note', key.id, text, '--json'])).error().code).toBe(
      'bad_input',
    );
    expect((await cli.show(key.id)).note).toBe('before');
    const create = [
      'keys',
      'create',
      '--name',
      'X',
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--note',
      text,
    ];
    expect((await cli.run(create)).code).toBe(2);
  });

  it('refuses a secret, and shows it nowhere', async () => {
    const { key, secret } = await cli.key('ERP');
    const refused = await cli.run(['keys', 'note', key.id, `it is ${secret}`]);
    expect(refused.code).toBe(2);
    expect(refused.stdout + refused.stderr).not.toContain(secret.slice(8));
    expect((await cli.ok('audit list --json')).stdout).not.toContain(secret.slice(8));
  });

  it('needs api_keys.create, and knows no key of another organization', async () => {
    const { key } = await cli.key('ERP');
    for (const osAccount of ['operator', 'manager']) {
      expect(
        (await cli.run(['keys', 'note', key.id, 'x', '--json'], { osAccount })).error().code,
      ).toBe('not_permitted');
      expect(await lastEvent()).toMatchObject({ action: 'key.note', outcome: 'denied' });
    }
    await cli.ok('keys note --json', { osAccount: 'entity_admin' }).catch(() => undefined);
    await cli.ok(['keys', 'note', key.id, 'y'], { osAccount: 'entity_admin' });
    await cli.ok('tenants add Beta --admin beth');
    const { code, stderr } = await cli.run(['keys', 'note', key.id, 'z'], { osAccount: 'beth' });
    expect([code, stderr]).toEqual([3, expect.stringContaining('API key not found')]);
    expect((await cli.show(key.id)).note).toBe('y');
    expect((await cli.run(['keys', 'note', key.id])).code).toBe(2);
  });
});

describe('a key with allowed addresses', () => {
  const limits = [
    '--allow-ip',
    'fd00::/8',
    '--allow-ip',
    '::ffff:10.0.0.0/104',
    '--allow-ip',
    '192.0.2.7',
  ];
  const kept = ['fd00::/8', '10.0.0.0/8', '192.0.2.7/32'];

  it('keeps them and its note as they were given, over a rotation too', async () => {
    const { key, secret } = await cli.key('MES', [...limits, '--note', 'Line 3']);
    expect(key).toMatchObject({ allowed_ips: kept, note: 'Line 3', last_used_ip: null });
    expect(Object.keys(key).slice(-3)).toEqual(['allowed_ips', 'note', 'last_used_ip']);
    expect(await lastEvent()).toMatchObject({
      detail: { allowed_ips: kept.join(' '), note: 'Line 3' },
    });
    const rotated = (await cli.ok(['keys', 'rotate', key.id, '--yes', '--json'])).json<{
      key: KeyJson;
      revoked: KeyJson;
    }>();
    for (const one of [rotated.key, rotated.revoked])
      expect(one).toMatchObject({ allowed_ips: kept, note: 'Line 3' });
    expect(await cli.show(rotated.key.id)).toEqual(rotated.key);
    expect((await cli.ok(['keys', 'show', key.id])).stdout).toContain(
      `Allowed    only from ${kept.join(', ')}\n`,
    );
    expect((await cli.run('keys verify', { input: secret })).code).toBe(5);
  });

  it('is let in as verify says, with the addresses', async () => {
    const [limited, open] = [await cli.key('MES', limits), await cli.key('ERP')];
    const said = async ({ secret }: { secret: string }) =>
      (await cli.ok('keys verify', { input: secret })).stdout;
    expect(await said(limited)).toBe(
      `MES (${limited.key.prefix}) of BER would be let in, only from ${kept.join(', ')}.\n`,
    );
    expect(await said(open)).toBe(`ERP (${open.key.prefix}) of BER would be let in.\n`);
    const json = (await cli.ok('keys verify --json', { input: limited.secret })).json();
    expect(json).toMatchObject({ let_in: true, reason: null, key: { allowed_ips: kept } });
  });

  it('takes them from the environment; a wrong one is named with its flag, and more than 100 are refused', async () => {
    const line = [
      'keys',
      'create',
      '--name',
      'X',
      '--entity',
      'BER',
      '--preset',
      'sensor-gateway',
      '--json',
    ];
    const env = { HKCTL_ALLOW_IP: '10.0.0.0/8, fd00::/8' };
    expect((await cli.ok(line, { env })).json()).toMatchObject({
      key: { allowed_ips: ['10.0.0.0/8', 'fd00::/8'] },
    });
    expect((await cli.run([...line, '--allow-ip', '10.0.0.0/33'])).error()).toMatchObject({
      code: 'usage',
      message: '--allow-ip: "10.0.0.0/33" is not an address or network.',
    });
    const many = Array.from({ length: 101 }, (_, n) => ['--allow-ip', `10.0.0.${n}`]).flat();
    expect((await cli.run([...line, ...many])).error().code).toBe('bad_input');
  });
});
