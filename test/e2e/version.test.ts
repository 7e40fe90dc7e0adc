import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { outputOf } from '../run-program.ts';
import { root } from './program.ts';

const script = "process.stdout.write(require('./bin/package/commit.js').buildMetadata())";
const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];

function copyOfBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'bin'), join(folder, 'project', 'bin'), { recursive: true });
  return join(folder, 'project');
}

it('the version is that of package.json, with the commit as build metadata', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shown = outputOf(process.execPath, [join(root, 'bin', 'hkctl.js'), '--version']).trim();
  const [plain, metadata = ''] = shown.split('+');
  expect(plain).toBe(version);
  expect(metadata).toMatch(/^([0-9a-f]{8}(\.modified)?)?$/);
});

it('a build names its commit, whether files differ from it, and none outside its repository', () => {
  const project = copyOfBuild();
  const inProject = { cwd: project };
  const metadata = () => outputOf(process.execPath, ['-e', script], inProject);
  expect(metadata()).toBe('');

  outputOf('git', ['init', '--quiet', '..'], inProject);
  expect(metadata()).toBe('');

  outputOf('git', ['init', '--quiet', '.'], inProject);
  expect(metadata()).toBe('');

  outputOf('git', ['add', '.'], inProject);
  outputOf('git', [...identity, 'commit', '--quiet', '--message', 'first'], inProject);
  const commit = outputOf('git', ['rev-parse', '--short=8', 'HEAD'], inProject).trim();
  expect(metadata()).toBe(commit);

  rmSync(join(project, 'bin', 'driver.js'));
  expect(metadata()).toBe(`${commit}.modified`);
});
