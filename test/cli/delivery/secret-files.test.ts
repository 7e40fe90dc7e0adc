import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { outputFailed } from '../../../src/cli/terminal/io.ts';
import { drawSecret } from '../../../src/core/keys/secrets.ts';
import { Cli, type KeyJson } from '../harness.ts';

let cli: Cli;
let folder: string;
let file: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = mkdtempSync(join(tmpdir(), 'hkctl-secret-'));
  file = join(folder, 'gateway.key');
});

const createLine = ['keys', 'create', '--name', 'Gateway', '--entity', 'BER', '--preset', 'sensor-gateway'];
const fail = (code: string) => () => {
  throw outputFailed(Object.assign(new Error(code), { code }));
};

async function keys(): Promise<KeyJson[]> {
  return (await cli.ok('keys list --all --json')).json();
}

async function opens(secret: string): Promise<boolean> {
  return (await cli.run('keys verify', { input: `${secret}\n` })).code === 0;
}

describe('delivery comes before the commit', () => {
  for (const [code, sentence] of [
    ['EPIPE', 'its reader has closed the pipe'],
    ['ENOSPC', 'the disk is full'],
  ] as const) {
    it(`${code} on create keeps nothing`, async () => {
      const result = await cli.run(createLine, { onWrite: fail(code) });
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(sentence);
      expect(await keys()).toEqual([]);
    });

    it(`${code} on create --json keeps nothing`, async () => {
      const result = await cli.run([...createLine, '--json'], { onWrite: fail(code) });
      expect(result.code).toBe(1);
      expect(result.error().code).toBe('output_failed');
      expect(await keys()).toEqual([]);
    });

    it(`${code} on rotate leaves the old key alive`, async () => {
      const { key, secret } = await cli.key('A');
      expect((await cli.run(['keys', 'rotate', key.prefix, '--yes'], { onWrite: fail(code) })).code).toBe(1);
      expect(await keys()).toEqual([key]);
      expect(await opens(secret)).toBe(true);
    });
  }

  it('a rotation that another process forestalled says that its secret opens nothing', async () => {
    const { key } = await cli.key('A');
    let other: Promise<unknown> | undefined;
    // Between delivery and commit the other process revokes: the store's guard must see it.
    const result = await cli.run(['keys', 'rotate', key.prefix, '--yes'], {
      onWrite: () => {
        other ??= cli.ok(['keys', 'revoke', key.prefix, '--yes']);
      },
      copy: async () => void (await other),
      env: { HKCTL_COPY: '1' },
    });
    await other;
    expect(result.code).toBe(5);
    expect(result.stderr).toContain('Nothing was kept');
    expect((await keys()).map(({ status }) => status)).toEqual(['Revoked']);
  });
});

describe('keys create --secret-file', () => {
  it('writes secret and newline to a new file of mode 0600, and prints no secret', async () => {
    const { stdout, stderr } = await cli.ok([...createLine, '--secret-file', file]);
    const secret = readFileSync(file, 'utf8');
    expect(secret).toMatch(/^hk_[0-9A-Za-z]{49}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stdout).toBe('');
    expect(stderr).not.toContain(secret.trim());
    expect(await opens(secret.trim())).toBe(true);
  });

  it('names the file instead of the secret with --json', async () => {
    const answer = (await cli.ok([...createLine, '--secret-file', file, '--json'])).json();
    expect(answer).toEqual({ key: expect.objectContaining({ name: 'Gateway' }), secret_file: file });
  });

  it('never overwrites a file or follows a link that leads nowhere: exit 5', async () => {
    writeFileSync(file, 'mine');
    expect((await cli.run([...createLine, '--secret-file', file])).code).toBe(5);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'nowhere'), link);
    expect((await cli.run([...createLine, '--secret-file', link])).code).toBe(5);
    expect(await keys()).toEqual([]);
  });

  it('refuses a folder that is missing: exit 2, nothing kept', async () => {
    const result = await cli.run([...createLine, '--secret-file', join(folder, 'no', 'such')]);
    expect([result.code, await keys()]).toEqual([2, []]);
  });
});

describe('keys rotate --secret-file', () => {
  let key: KeyJson;
  let secret: string;
  beforeEach(async () => {
    await cli.ok([...createLine, '--secret-file', file]);
    secret = readFileSync(file, 'utf8').trim();
    key = await cli.show(secret.slice(0, 8));
  });
  const rotate = (...more: string[]) =>
    cli.run(['keys', 'rotate', secret.slice(0, 8), '--secret-file', file, '--yes', ...more]);

  it('replaces the file that holds the old secret', async () => {
    expect((await rotate()).code).toBe(0);
    const next = readFileSync(file, 'utf8').trim();
    expect(next).not.toBe(secret);
    expect([await opens(secret), await opens(next)]).toEqual([false, true]);
    expect(readdirSync(folder)).toEqual(['gateway.key']);
    expect(await cli.show(next.slice(0, 8))).toMatchObject({
      name: key.name,
      rotated_from: key.id,
      permissions: key.permissions,
    });
  });

  it('follows a link and replaces what is behind it', async () => {
    const link = join(folder, 'link');
    symlinkSync(file, link);
    await cli.ok(['keys', 'rotate', key.prefix, '--secret-file', link, '--yes']);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(link, 'utf8'));
    expect(await opens(readFileSync(file, 'utf8').trim())).toBe(true);
  });

  it('refuses a file that holds anything else, unless forced', async () => {
    writeFileSync(file, 'precious');
    const refused = await rotate();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('--force')]);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await opens(secret)).toBe(true);
    expect((await rotate('--force')).code).toBe(0);
    expect(await opens(readFileSync(file, 'utf8').trim())).toBe(true);
  });

  it('refuses the file of another key', async () => {
    const other = await cli.key('Other');
    const result = await cli.run(['keys', 'rotate', other.key.prefix, '--secret-file', file, '--yes']);
    expect(result.code).toBe(5);
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
  });

  it('ends a rotation that was cut off after it was kept', async () => {
    const { secret: next } = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<{
      secret: string;
    }>();
    writeFileSync(`${file}.new`, `${next}\n`, { mode: 0o600 });
    const result = await rotate('--json');
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({
      key: { prefix: next.slice(0, 8) },
      revoked: { id: key.id },
      secret_file: file,
    });
    expect(readFileSync(file, 'utf8').trim()).toBe(next);
    expect(existsSync(`${file}.new`)).toBe(false);
    expect((await keys()).filter(({ status }) => status === 'Active')).toHaveLength(1);
  });

  it('discards a leftover that was never kept, and rotates', async () => {
    writeFileSync(`${file}.new`, `${drawSecret()}\n`);
    const result = await rotate();
    expect([result.code, result.stderr]).toEqual([0, expect.stringContaining('Discarded')]);
    expect(await opens(readFileSync(file, 'utf8').trim())).toBe(true);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it.each(['my precious notes\n', 'x'.repeat(5000), 'hk_ and more'])(
    'leaves a PATH.new alone that is of somebody else (%.20s), unless forced',
    async (notes) => {
      writeFileSync(`${file}.new`, notes);
      const refused = await rotate();
      expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('holds no secret')]);
      expect(readFileSync(`${file}.new`, 'utf8')).toBe(notes);
      expect((await cli.run(['keys', 'rotate', 'hk_zzzzz', '--secret-file', file, '--yes'])).code).toBe(3);
      expect(readFileSync(`${file}.new`, 'utf8')).toBe(notes);
      expect(await opens(secret)).toBe(true);
      expect((await rotate('--force')).code).toBe(0);
      expect(await opens(readFileSync(file, 'utf8').trim())).toBe(true);
    },
  );

  it.each(['', 'hk_', 'h'])('discards what is left of a write that was cut off (%j)', async (left) => {
    writeFileSync(`${file}.new`, left);
    expect((await rotate()).code).toBe(0);
    expect(await opens(readFileSync(file, 'utf8').trim())).toBe(true);
  });

  it.each([
    ['its own secret', () => `${secret}\n`],
    ['the notes of somebody', () => 'important'],
    ['nothing', () => undefined],
  ])('says of no key that it was rotated where PATH.new holds its own secret, and PATH %s', async (_, content) => {
    writeFileSync(`${file}.new`, `${secret}\n`);
    const held = content();
    if (held === undefined) rmSync(file);
    else writeFileSync(file, held);
    for (const more of [[], ['--force'], ['--json']]) {
      const result = await rotate(...more);
      expect([result.code, result.stderr]).toEqual([5, expect.stringContaining('no rotation was cut off')]);
    }
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(held);
    expect(await opens(secret)).toBe(true);
  });

  it('ends no rotation over the notes of somebody, unless forced', async () => {
    const next = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<{ secret: string }>().secret;
    writeFileSync(`${file}.new`, `${next}\n`, { mode: 0o600 });
    writeFileSync(file, 'notes');
    const refused = await rotate();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('--force')]);
    expect(readFileSync(file, 'utf8')).toBe('notes');
    expect((await rotate('--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8').trim()).toBe(next);
  });

  it('ends a rotation that was cut off also where its new key is named', async () => {
    const next = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<{ secret: string }>().secret;
    writeFileSync(`${file}.new`, `${next}\n`, { mode: 0o600 });
    await cli.ok(['keys', 'rotate', next.slice(0, 8), '--secret-file', file, '--yes']);
    expect(readFileSync(file, 'utf8').trim()).toBe(next);
    expect(await opens(next)).toBe(true);
  });

  it('refuses what is no plain file: exit 2', async () => {
    for (const path of [folder, '/dev/null']) {
      const result = await cli.run(['keys', 'rotate', key.prefix, '--secret-file', path, '--force', '--yes']);
      expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('is no plain file')]);
    }
  });

  it('leaves the secret of another active key alone', async () => {
    const other = await cli.key('Other');
    writeFileSync(`${file}.new`, `${other.secret}\n`);
    expect((await rotate()).code).toBe(5);
    expect(readFileSync(`${file}.new`, 'utf8').trim()).toBe(other.secret);
    expect(await opens(secret)).toBe(true);
  });

  it('takes one key only', async () => {
    const other = await cli.key('Other');
    const result = await cli.run(['keys', 'rotate', key.prefix, other.key.prefix, '--secret-file', file, '--yes']);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('--secret-dir')]);
  });
});

describe('several keys', () => {
  it('rotates into a folder, one file each', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    const answers = (
      await cli.ok(['keys', 'rotate', a.key.prefix, b.key.prefix, '--secret-dir', folder, '--yes', '--json'])
    ).json<{ key: KeyJson; secret_file: string; revoked: KeyJson }[]>();
    expect(answers.map(({ revoked }) => revoked.id)).toEqual([a.key.id, b.key.id]);
    for (const { key, secret_file: path } of answers) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const secret = readFileSync(path, 'utf8').trim();
      expect(secret.slice(0, 8)).toBe(key.prefix);
      expect(await opens(secret)).toBe(true);
    }
  });

  it('rotates to standard output, one line each; as JSON an array', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    const { stdout } = await cli.ok(['keys', 'rotate', a.key.prefix, b.key.prefix, '--yes']);
    const [first = '', second = ''] = stdout.split('\n');
    expect(stdout).toMatch(/^(hk_\w{49}\n){2}$/);
    const answers = (await cli.ok(['keys', 'rotate', first.slice(0, 8), second.slice(0, 8), '--yes', '--json'])).json<
      { secret: string; revoked: KeyJson; key: KeyJson }[]
    >();
    expect(answers.map(({ revoked }) => revoked.prefix)).toEqual([first.slice(0, 8), second.slice(0, 8)]);
    expect(answers.map(({ revoked }) => revoked.status)).toEqual(['Revoked', 'Revoked']);
  });

  it('is all or nothing', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    await cli.ok(['keys', 'revoke', b.key.prefix, '--yes']);
    for (const verb of ['rotate', 'revoke']) {
      expect((await cli.run(['keys', verb, a.key.prefix, b.key.prefix, '--yes'])).code).toBe(5);
      expect((await cli.run(['keys', verb, a.key.prefix, 'hk_none0', '--yes'])).code).toBe(3);
    }
    expect(await cli.show(a.key.id)).toEqual(a.key);
  });
});

describe('what standard output says is what is kept', () => {
  it('key and revoked of a rotation are those of the store', async () => {
    const { key } = await cli.key('A', ['--expires', '90d']);
    const answer = (await cli.ok(['keys', 'rotate', key.id, '--yes', '--json', '--as', 'entity_admin'])).json<{
      key: KeyJson;
      revoked: KeyJson;
    }>();
    expect(await cli.show(answer.key.id)).toEqual(answer.key);
    expect(await cli.show(key.id)).toEqual(answer.revoked);
    expect(answer.key).toMatchObject({
      name: key.name,
      entity: key.entity,
      permissions: key.permissions,
      expires_at: key.expires_at,
      last_used_at: null,
      created_by: { login: 'entity_admin' },
      rotated_from: key.id,
    });
  });
});

describe('a terminal', () => {
  it('never gets a secret into its scrollback', async () => {
    const terminal = { columns: 80, rows: 24 };
    const refusals = [
      await cli.run([...createLine, '--json'], { terminal }),
      await cli.run(createLine, { terminal, env: { TERM: 'dumb' } }),
    ];
    for (const { code, stdout, stderr } of refusals) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('--secret-file');
    }
    expect(await keys()).toEqual([]);
  });
});
