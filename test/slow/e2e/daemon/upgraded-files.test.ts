import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../../e2e/client.ts';
import { placeOfTests } from '../../../e2e/plant.ts';
import { environment, Running, root } from '../../../e2e/program.ts';
import { runProgram } from '../../../run-program.ts';

let folder: string;
let hkctl: string;
/** A copy of the program, as a package installs it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-upgraded-'));
  for (const name of ['bin', 'dist', 'migrations', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  hkctl = join(folder, 'bin', 'hkctl.js');
});
afterAll(() => rmSync(folder, { recursive: true }));

it('a daemon goes on reading and writing after an upgrade has replaced its files', async () => {
  const place = { HKCTL_STORE: join(folder, 'store', 'hkctl.db'), ...(await placeOfTests()) };
  const env = environment({ ...place, HKCTL_USER: 'admin' });
  const run = (...args: string[]) => {
    const { code, stdout, stderr } = runProgram(hkctl, args, {
      env,
      cwd: folder,
    });
    expect(code, `hkctl ${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout.trim();
  };
  run(
    'init',
    '--org',
    'A',
    '--entity',
    'BER',
    '--entity-name',
    'B',
    '--timezone',
    'UTC',
    '--admin',
    'admin',
  );
  writeFileSync(
    join(folder, 'sensors.csv'),
    'id,code,name,quantity,unit,is_active\nSE-1,S1,S,temperature,Cel,true\n',
  );
  run('import', 'sensors', 'sensors.csv', '--entity', 'BER');
  const rights = ['--permission', 'asset_sensors.ingest', '--permission', 'asset_sensors.view'];
  const secret = run('keys', 'create', '--name', 'A', '--entity', 'BER', ...rights);
  const daemon = new Running(hkctl, ['serve', '--port', '0'], { env, cwd: folder });
  try {
    const [, url] = await daemon.says(/hkctl serves (\S+)/);
    rmSync(join(folder, 'dist'), { recursive: true });
    const at = (n: number) => new Date(Date.UTC(2026, 10, 20) + n * 1000).toISOString();
    const readings = Array.from({ length: 600 }, (_, n) => ({ sensor: 'S1', at: at(n), value: n }));
    const posted = await call(`${url}/api/v1/sensors/readings`, { secret, body: { readings } });
    expect(posted.json()).toMatchObject({ accepted: 600 });
    // A thread reads a page of this size.
    const read = await call(`${url}/api/v1/sensors/SE-1/readings?limit=600`, { secret });
    expect([read.status, read.json<{ data: unknown[] }>().data.length]).toEqual([200, 600]);
  } finally {
    await daemon.stop();
  }
});
