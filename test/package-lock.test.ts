import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Lock {
  packages: Readonly<Record<string, { engines?: { node?: string }; optional?: boolean }>>;
}

it('npm ci warns of no package on Node 20: the lock file leaves out the engines of the driver that is never loaded there', () => {
  const { packages }: Lock = JSON.parse(readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8'));
  const forNewer = Object.entries(packages).filter(
    ([, { engines, optional }]) => !optional && /^>=\s*2[1-9](\.[\d.]+)?$/.test(engines?.node ?? ''),
  );
  expect(forNewer.map(([name]) => name)).toEqual([]);
  expect(packages['node_modules/better-sqlite3']).toBeDefined();
});
