import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { root } from './program.ts';

const script = "process.stdout.write(require('./bin/package/commit.js').buildMetadata())";
const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];

function copyOfBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'bin'), join(folder, 'project', 'bin'), { recursive: true });
  return join(folder, 'project');
}

it('the version is that of package.json, with the commit as build metadata', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { stdout } = await execa(process.execPath, [join(root, 'bin', 'hkctl.js'), '--version']);
  const [plain, metadata = ''] = stdout.split('+');
  expect(plain).toBe(version);
  expect(metadata).toMatch(/^([0-9a-f]{8}(\.modified)?)?$/);
});

it('a build names its commit, whether files differ from it, and none outside its repository', async () => {
  const project = copyOfBuild();
  const inProject = { cwd: project };
  const metadata = async () => (await execa(process.execPath, ['-e', script], inProject)).stdout;
  expect(await metadata()).toBe('');

  await execa('git', ['init', '--quiet', '..'], inProject);
  expect(await metadata()).toBe('');

  await execa('git', ['init', '--quiet', '.'], inProject);
  expect(await metadata()).toBe('');

  await execa('git', ['add', '.'], inProject);
  await execa('git', [...identity, 'commit', '--quiet', '--message', 'first'], inProject);
  const { stdout: commit } = await execa('git', ['rev-parse', '--short=8', 'HEAD'], inProject);
  expect(await metadata()).toBe(commit);

  rmSync(join(project, 'bin', 'driver.js'));
  expect(await metadata()).toBe(`${commit}.modified`);
});
