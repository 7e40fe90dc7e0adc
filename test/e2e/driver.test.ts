import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { environment, Running, root } from './program.ts';

/** Newer Nodes use another driver, which has its binaries in its package. */
const needsBinary = Number(process.versions.node.split('.')[0]) < 22;

it.runIf(needsBinary)(
  'without a driver for this Node, as a package of a newer one is, it says what to install',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-driver-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const part of ['bin', 'dist', 'migrations', 'package.json']) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    const args = [
      'init',
      '--store',
      join(folder, 'store', 'hkctl.db'),
      '--org',
      'Acme',
      '--entity',
      'BER',
    ];
    const flags = ['--entity-name', 'Berlin', '--timezone', 'Europe/Berlin', '--admin', 'ada'];
    const { code, stderr } = await new Running(
      process.execPath,
      [join(folder, 'bin', 'hkctl.js'), ...args, ...flags, '--week-start', 'monday'],
      { env: environment({}) },
    ).ended;
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(
        /^error: This hkctl was installed without a driver for Node v20\.\S+\.\nhint: Use Node 22\.14 or newer/,
      ),
    ]);
  },
);
