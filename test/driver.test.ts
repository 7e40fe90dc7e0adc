import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProgram } from './run-program.ts';

const root = join(__dirname, '..');

/** Runs `bin/driver.js` where the driver has no binary, no download succeeds, and node-gyp is a program that fails with a report. */
async function build(report: string, variables: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-driver-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'bin/driver.js'), join(folder, 'bin/driver.js'));
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === 'better-sqlite3-12' || name.startsWith('.')) continue;
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  cpSync(
    join(root, 'node_modules/better-sqlite3-12/package.json'),
    join(packages, 'better-sqlite3-12/package.json'),
  );
  const compiler = join(folder, 'node-gyp.js');
  const text = `process.stderr.write(${JSON.stringify(report)} + process.argv.slice(2).join(' ')); process.exitCode = 1;`;
  writeFileSync(compiler, text);
  const env = {
    PATH: process.env.PATH ?? '',
    npm_config_node_gyp: compiler,
    npm_config_cache: join(folder, 'cache'),
    npm_config_better_sqlite3_binary_host: 'http://127.0.0.1:9',
    ...variables,
  };
  return runProgram(process.execPath, [join(folder, 'bin/driver.js')], { env });
}

describe.runIf(Number(process.versions.node.split('.')[0]) < 22)('the driver of Node 20', () => {
  it('names the headers and the variables that help if node-gyp cannot download them', async () => {
    const result = await build('gyp ERR! stack FetchError: reason: getaddrinfo ENOTFOUND\n');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('The headers of Node');
    expect(result.stderr).toContain('npm_config_nodedir');
    expect(result.stderr).toContain('npm_config_disturl');
    expect(result.stderr).not.toContain('Install Python');
  });

  it('names the compiler if that is missing', async () => {
    const { stderr } = await build('gyp ERR! find Python\n');
    expect(stderr).toContain('Install Python, make and a C++ compiler');
    expect(stderr).not.toContain('The headers of Node');
  });

  it('leaves the folder of headers to who names one', async () => {
    const { stderr } = await build('', { npm_config_nodedir: '/elsewhere' });
    expect(stderr).not.toContain('--nodedir');
  });
});
