import { appendFileSync, chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawSecret, prefixOf } from '../../../src/core/secrets.ts';
import { type CreatedKey, Plant } from '../../e2e/plant.ts';
import type { Outcome } from '../../run-program.ts';
import { needPrograms } from '../machine/needs.ts';
import { createExampleShell, type ExampleShell } from './shell.ts';

needPrograms('git');

let plant: Plant;
let shell: ExampleShell;
const server = () => plant.path('plant.git');
const clone = () => plant.path('clone');

const git = (...args: readonly string[]): Promise<Outcome> =>
  shell.run('git', ['-C', clone(), ...args], {
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  });

async function commit(message: string): Promise<void> {
  await git('add', '--all');
  expect((await git('commit', '--quiet', '--message', message)).code).toBe(0);
}

const push = (...refs: readonly string[]) => git('push', '--quiet', 'origin', ...refs);

const statusOf = async ({ key }: CreatedKey) => (await plant.key(key.id)).status;

beforeAll(async () => {
  plant = await Plant.open();
  shell = createExampleShell(plant);
  mkdirSync(clone());
  await git('init', '--quiet', '--bare', server());
  await git('init', '--quiet');
  await git('remote', 'add', 'origin', server());
  const hook = `${server()}/hooks/pre-receive`;
  writeFileSync(hook, (await plant.ok(['examples', 'pre-receive.sh'])).stdout);
  chmodSync(hook, 0o755);
  writeFileSync(`${clone()}/README`, 'hk_ and hk_abcde are no secrets\n');
  await commit('first');
  expect(await push('HEAD:main')).toMatchObject({ code: 0, stderr: '' });
}, 60_000);
afterAll(() => plant.close());

it.each([
  ['in a file', ({ secret }: CreatedKey) => writeFileSync(`${clone()}/env`, `KEY=${secret}\n`)],
  [
    'in UTF-16',
    ({ secret }: CreatedKey) =>
      writeFileSync(`${clone()}/env`, `\ufeffKEY=${secret}\r\n`, 'utf16le'),
  ],
  [
    'in base64',
    ({ secret }: CreatedKey) =>
      writeFileSync(`${clone()}/env`, `key: ${Buffer.from(`${secret}\n`).toString('base64')}\n`),
  ],
])('a key whose secret is pushed %s is revoked, and the push is refused', async (where, write) => {
  const created = await plant.createKey(`Gateway ${where}`, 'sensor-gateway');
  write(created);
  await commit('a secret');
  rmSync(`${clone()}/env`);
  await commit('taken back');

  const { code, stderr } = await push('HEAD:main');
  expect(code).toBe(1);
  expect(stderr).toContain(`${prefixOf(created.secret)}… Revoked: Gateway ${where}`);
  expect(stderr).not.toContain(created.secret);
  expect(await statusOf(created)).toBe('Revoked');
  await git('reset', '--quiet', '--hard', 'HEAD~2');
});

it('a secret in the message of a commit or a tag is found', async () => {
  const created = await plant.createKey('Gateway message', 'sensor-gateway');
  await git('tag', '--annotate', 'v1', '--message', `For ${created.secret}`);
  expect((await push('v1')).code).toBe(1);
  expect(await statusOf(created)).toBe('Revoked');
});

it('branches and tags without a secret are pushed and deleted', async () => {
  appendFileSync(`${clone()}/README`, 'more\n');
  await commit('second');
  expect(await push('HEAD:main', 'HEAD:refs/heads/other')).toMatchObject({ code: 0, stderr: '' });
  expect(await push(':other')).toMatchObject({ code: 0, stderr: '' });
});

it('a push that cannot be searched is refused', async () => {
  appendFileSync(`${clone()}/README`, 'third\n');
  await commit('third');
  const { code, stderr } = await shell.run('git', ['-C', clone(), 'push', 'origin', 'HEAD:main'], {
    HKCTL_STORE: plant.path('missing.db'),
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('hkctl cannot search it')]);
});

it('of 10,000 secrets in 20 MB of files none is missed and none invented', async () => {
  const noise = Buffer.alloc(2_000, 'hk_ aGtf hrXz oa18 is noise\n');
  const secrets = Array.from({ length: 10_000 }, () => drawSecret());
  const encodings = ['utf8', 'utf16le', 'base64'] as const;
  for (let file = 0; file < 100; file++) {
    const encoding = encodings[file % encodings.length];
    const planted = secrets.slice(file * 100, file * 100 + 100).map((secret) => {
      const text = `user:${secret}\n`;
      const bytes =
        encoding === 'base64'
          ? Buffer.from(Buffer.from(text).toString('base64'))
          : Buffer.from(text, encoding);
      return Buffer.concat([noise, bytes]);
    });
    writeFileSync(`${clone()}/planted-${file}`, Buffer.concat(planted));
  }
  await commit('planted');

  const { code, stderr } = await push('HEAD:main');
  expect(code).toBe(1);
  const prefixes = [...stderr.matchAll(/: (hk_\w{5})… no key of your organization/g)];
  expect(prefixes.map(([, prefix]) => prefix).sort()).toEqual(secrets.map(prefixOf).sort());
}, 300_000);
