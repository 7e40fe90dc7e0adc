import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Lock {
  packages: Readonly<Record<string, { engines?: { node?: string }; optional?: boolean }>>;
}

it('npm ci leaves the driver of Node 20 out on all that do not need it', () => {
  const { packages }: Lock = JSON.parse(
    readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8'),
  );
  expect(packages['node_modules/better-sqlite3-12']).toMatchObject({
    optional: true,
    engines: { node: '<22' },
  });
});

it('users install nothing that is bundled or copied by the build', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(__dirname, '..', 'package.json'), 'utf8'),
  );
  expect(Object.keys({ ...dependencies, ...optionalDependencies })).toEqual([
    'better-sqlite3',
    'better-sqlite3-12',
    'clipboardy',
  ]);
});

it('npm ci warns of no package on Node 20: the lock file leaves out the engines of the driver that is never loaded there', () => {
  const { packages }: Lock = JSON.parse(
    readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8'),
  );
  const forNewer = Object.entries(packages).filter(
    ([, { engines, optional }]) =>
      !optional && /^>=\s*2[1-9](\.[\d.]+)?$/.test(engines?.node ?? ''),
  );
  expect(forNewer.map(([name]) => name)).toEqual([]);
  expect(packages['node_modules/better-sqlite3']).toBeDefined();
});
