import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bootMs, Cli } from '../harness.ts';

it('dates changes by a clock that was steady, and corrects what was dated ahead', async () => {
  const cli = await new Cli().seed();
  await cli.ok('keys list');
  const file = join(mkdtempSync(join(tmpdir(), 'hkctl-import-')), 'sensors.csv');
  const load = async (name: string, at: { nowMs: number; upMs: number }) => {
    writeFileSync(file, `id,code,name,is_active\n1,S,${name},true\n2,T,T,true\n`);
    await cli.ok(['import', 'sensors', file, '--entity', 'BER'], at);
    const sensors = (await cli.ok('sensors list --entity BER --json')).json<
      { updated_at: string }[]
    >();
    return sensors.map(({ updated_at }) => Date.parse(updated_at));
  };
  const upMs = cli.nowMs - bootMs;
  const yearMs = 365 * 86_400_000;
  const at = (minutes: number, aheadMs: number) => ({
    nowMs: cli.nowMs + minutes * 60_000 + aheadMs,
    upMs: upMs + minutes * 60_000,
  });
  expect(await load('a', at(1, yearMs))).toEqual([cli.nowMs + 60_000, cli.nowMs + 60_000]);
  // Ahead for so long that it was steady; once the clock is right and accepted, the next import corrects both.
  await cli.ok('keys list', at(2, yearMs));
  expect((await load('b', at(9, yearMs)))[0]).toBeGreaterThan(cli.nowMs + yearMs);
  cli.nowMs += 20 * 60_000;
  await cli.ok('doctor --accept-clock --yes');
  expect(await load('c', { nowMs: cli.nowMs, upMs: cli.nowMs - bootMs })).toEqual([
    cli.nowMs,
    cli.nowMs - 19 * 60_000,
  ]);
});
