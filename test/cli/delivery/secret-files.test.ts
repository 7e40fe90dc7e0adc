import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { outputFailed } from '../../../src/cli/terminal/io.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { pause } from '../../e2e/program.ts';
import type { Cli, KeyJson } from '../harness.ts';
import { allKeys, createLine, gatewayPlant, isValid } from './gateway-plant.ts';

let cli: Cli;
let folder: string;
let file: string;
beforeEach(async () => {
  ({ cli, folder, file } = await gatewayPlant());
});

const fail = (code: string) => () => {
  throw outputFailed(Object.assign(new Error(code), { code }));
};

describe('delivery comes before the commit', () => {
  for (const [code, sentence] of [
    ['EPIPE', 'its reader has closed the pipe'],
    ['ENOSPC', 'the disk is full'],
  ] as const) {
    it(`${code} on create keeps nothing`, async () => {
      const result = await cli.run(createLine, { onWrite: fail(code) });
      expect(result.code).toBe(1);
      expect(result.stderr).toContain(sentence);
      expect(await allKeys(cli)).toEqual([]);
    });

    it(`${code} on create --json keeps nothing`, async () => {
      const result = await cli.run([...createLine, '--json'], { onWrite: fail(code) });
      expect(result.code).toBe(1);
      expect(result.error().code).toBe('output_failed');
      expect(await allKeys(cli)).toEqual([]);
    });

    it(`${code} on rotate leaves the old key alive`, async () => {
      const { key, secret } = await cli.key('A');
      expect(
        (await cli.run(['keys', 'rotate', key.prefix, '--yes'], { onWrite: fail(code) })).code,
      ).toBe(1);
      expect(await allKeys(cli)).toEqual([key]);
      expect(await isValid(cli, secret)).toBe(true);
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
    expect((await allKeys(cli)).map(({ status }) => status)).toEqual(['Revoked']);
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
    expect(await isValid(cli, secret.trim())).toBe(true);
  });

  it('names the file instead of the secret with --json', async () => {
    const answer = (await cli.ok([...createLine, '--secret-file', file, '--json'])).json();
    expect(answer).toEqual({
      key: expect.objectContaining({ name: 'Gateway' }),
      secret_file: file,
    });
  });

  it('never overwrites a file or follows a link that leads nowhere: exit 5', async () => {
    writeFileSync(file, 'mine');
    expect((await cli.run([...createLine, '--secret-file', file])).code).toBe(5);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'nowhere'), link);
    expect((await cli.run([...createLine, '--secret-file', link])).code).toBe(5);
    expect(await allKeys(cli)).toEqual([]);
  });

  it('refuses a folder that is missing: exit 2, nothing kept', async () => {
    for (const path of [join(folder, 'no', 'such'), `${folder}/no/`, `${folder}/no/.`]) {
      const result = await cli.run([...createLine, '--secret-file', path]);
      expect([path, result.code, await allKeys(cli)]).toEqual([path, 2, []]);
    }
  });
});

describe('keys create --secret-file after a run that was cut off', () => {
  const line = (...more: string[]) => [...createLine, '--secret-file', file, ...more];
  const pending = () => `${file}.new`;

  it.each([[[]], [['--expires', '90d', '--note', 'Line 3', '--allow-ip', '10.0.0.0/8']]])(
    'puts the secret of its key in place, and makes no other: %s',
    async (more) => {
      await cli.ok(line(...more));
      const [key] = await allKeys(cli);
      const secret = readFileSync(file, 'utf8');
      renameSync(file, pending());
      cli.nowMs += 10_000;
      const { stderr } = await cli.ok(line(...more));
      expect(stderr).toMatch(/An earlier run has created the key.*\n.*API key created: Gateway/);
      expect([readFileSync(file, 'utf8'), existsSync(pending())]).toEqual([secret, false]);
      expect(await allKeys(cli)).toEqual([key]);
      renameSync(file, pending());
      expect((await cli.ok(line(...more, '--json'))).json()).toMatchObject({
        key,
        secret_file: file,
      });
    },
  );

  it('removes the first name of a file that already has its own, as a kill between the two leaves it', async () => {
    await cli.ok(line());
    const [key] = await allKeys(cli);
    linkSync(file, pending());
    expect((await cli.run(line())).code).toBe(5);
    expect([existsSync(pending()), await allKeys(cli)]).toEqual([false, [key]]);
    linkSync(file, pending());
    await cli.ok(['keys', 'rotate', 'Gateway', '--secret-file', file, '--yes']);
    expect([existsSync(pending()), await isValid(cli, readFileSync(file, 'utf8').trim())]).toEqual([
      false,
      true,
    ]);
    expect(await allKeys(cli)).toHaveLength(2);
  });

  it('discards a secret that was never kept, or of a key that was revoked since, and begins anew', async () => {
    await cli.ok(line());
    const [key] = await allKeys(cli);
    await cli.ok(['keys', 'revoke', key?.prefix ?? '', '--yes']);
    renameSync(file, pending());
    for (const left of [
      readFileSync(pending(), 'utf8'),
      `${drawSecret(randomBytes)}\n`,
      'hk_12',
      '',
    ]) {
      writeFileSync(pending(), left);
      expect((await cli.ok(line())).stderr).toContain(`Discarded ${pending()}`);
      expect(existsSync(pending())).toBe(false);
      expect(await isValid(cli, readFileSync(file, 'utf8').trim())).toBe(true);
      rmSync(file);
    }
  });

  it('leaves the secret of another key, and what is no secret: exit 5, no key', async () => {
    await cli.ok(line('--expires', '90d'));
    renameSync(file, pending());
    const others = [
      [],
      ['--expires', '30d'],
      ['--expires', '90d', '--note', 'x'],
      ['--permission', 'parts.view'],
    ];
    for (const more of others) {
      const { code, stderr } = await cli.run(line(...more));
      expect([code, stderr], more.join(' ')).toEqual([
        5,
        expect.stringContaining('another active key, Gateway'),
      ]);
    }
    const prefix = readFileSync(pending(), 'utf8').slice(0, 8);
    writeFileSync(pending(), (await cli.ok(['keys', 'rotate', prefix, '--yes'])).stdout);
    expect((await cli.run(line('--expires', '90d'))).stderr).toContain(
      'another active key, Gateway',
    );
    const held = readFileSync(pending(), 'utf8');
    const notes = `${held}and notes`;
    writeFileSync(pending(), notes);
    expect((await cli.run(line())).code).toBe(5);
    expect([readFileSync(pending(), 'utf8'), existsSync(file)]).toEqual([notes, false]);
    // Both were made in the same millisecond.
    expect((await allKeys(cli)).map(({ status }) => status).sort()).toEqual(['Active', 'Revoked']);
  });

  it('waits for another command that writes a secret', async () => {
    const store = await (await cli.services.engine(cli.place)).open();
    const lock = await store.lockFiles();
    const done = cli.ok(line());
    await pause(300);
    expect(existsSync(pending())).toBe(false);
    await lock?.release();
    await done;
    expect(existsSync(file)).toBe(true);
    await store.close();
  });
});

describe('several keys', () => {
  it('rotates into a folder, one file each', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    const answers = (
      await cli.ok([
        'keys',
        'rotate',
        a.key.prefix,
        b.key.prefix,
        '--secret-dir',
        folder,
        '--yes',
        '--json',
      ])
    ).json<{ key: KeyJson; secret_file: string; revoked: KeyJson }[]>();
    expect(answers.map(({ revoked }) => revoked.id)).toEqual([a.key.id, b.key.id]);
    for (const { key, secret_file: path } of answers) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const secret = readFileSync(path, 'utf8').trim();
      expect(secret.slice(0, 8)).toBe(key.prefix);
      expect(await isValid(cli, secret)).toBe(true);
    }
  });

  it('rotates to standard output, one line each; as JSON an array', async () => {
    const [a, b] = [await cli.key('A'), await cli.key('B')];
    const { stdout } = await cli.ok(['keys', 'rotate', a.key.prefix, b.key.prefix, '--yes']);
    const [first = '', second = ''] = stdout.split('\n');
    expect(stdout).toMatch(/^(hk_\w{49}\n){2}$/);
    const answers = (
      await cli.ok(['keys', 'rotate', first.slice(0, 8), second.slice(0, 8), '--yes', '--json'])
    ).json<{ secret: string; revoked: KeyJson; key: KeyJson }[]>();
    expect(answers.map(({ revoked }) => revoked.prefix)).toEqual([
      first.slice(0, 8),
      second.slice(0, 8),
    ]);
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
    const answer = (
      await cli.ok(['keys', 'rotate', key.id, '--yes', '--json', '--as', 'entity_admin'])
    ).json<{
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
    expect(await allKeys(cli)).toEqual([]);
  });
});
