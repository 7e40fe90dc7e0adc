import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaVersions } from '../../../src/store/sqlite-file/schema/schema-versions.ts';
import { Cli, type KeyJson } from '../harness.ts';

/** Small stores as earlier versions of hkctl left them, with a backup of each; never written anew. */
const frozen = join(__dirname, '..', '..', 'store', 'frozen');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-frozen-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of a frozen store in a folder of its own. */
function thawed(name: string): { cli: Cli; backup: string } {
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  for (const file of readdirSync(join(frozen, name))) {
    const [from, to] = [join(frozen, name, file), join(state, basename(file, '.gz'))];
    if (file.endsWith('.gz')) writeFileSync(to, gunzipSync(readFileSync(from)), { mode: 0o600 });
    else copyFileSync(from, to);
  }
  const cli = new Cli(join(state, 'hkctl.db'));
  cli.nowMs = Date.parse('2026-11-23T08:00:00Z');
  return { cli, backup: join(state, 'plant.backup') };
}

async function requireWhole(cli: Cli): Promise<void> {
  const keys = (await cli.ok('keys list --all --json')).json<KeyJson[]>();
  expect(keys.map(({ name, status }) => [name, status])).toEqual([
    ['Old one', 'Revoked'],
    ['Oven gateway', 'Active'],
    ['Oven gateway', 'Revoked'],
    ['ERP', 'Active'],
  ]);
  expect((await cli.ok('users list --json')).json<unknown[]>()).toHaveLength(2);
  const [sensor] = (await cli.ok('sensors list --entity BER --json')).json<
    Record<string, unknown>[]
  >();
  expect(sensor).toMatchObject({ code: 'OVEN-1', last_value: 182.4 });
  expect((await cli.ok('audit verify --json')).json()).toMatchObject({ ok: true, broken: null });
  const { checks } = (await cli.run('doctor --json')).json<{
    checks: { name: string; status: string }[];
  }>();
  expect(checks.find(({ name }) => name === 'schema')).toMatchObject({ status: 'ok' });
}

describe.each(readdirSync(frozen))('a store of %s', (name) => {
  it('asks for a migration, and is whole after it', async () => {
    const { cli } = thawed(name);
    expect((await cli.run('keys list --json')).error()).toMatchObject({
      code: 'store_too_old',
      hint: expect.stringContaining('hkctl migrate'),
    });
    const { applied } = (await cli.ok('migrate --json')).json<{ applied: number }>();
    const newest = Object.values(schemaVersions).reduce((sum, version) => sum + version);
    expect(applied).toBe(newest - 3 * Number(/\d+/.exec(name)));
    await requireWhole(cli);
  });

  it('left a backup that still restores', async () => {
    const { backup } = thawed(name);
    const cli = await new Cli(join(folder, 'other', 'hkctl.db')).seed();
    cli.nowMs = Date.parse('2026-11-23T08:00:00Z');
    await cli.ok(['restore', backup, '--yes']);
    await requireWhole(cli);
  });
});
