'use strict';

const { spawnSync } = require('node:child_process');
const { copyFileSync, existsSync, mkdirSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const { dirname, join } = require('node:path');

/**
 * Part of `npm ci` (`node bin/driver.js`): makes sure that Node 20 has the binary of its SQLite driver, better-sqlite3 12.
 * Newer Nodes use better-sqlite3 13, whose package contains its binaries. Downloads the binary that is published for this
 * Node; only where that fails compiles one, which takes about a minute the first time.
 */
function ensureDriver() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return;
  const folder = join(__dirname, '..', 'node_modules', 'better-sqlite3-12');
  if (!existsSync(folder) || opensDatabase(folder)) return;
  const require = createRequire(join(folder, 'package.json'));
  const download = join(dirname(require.resolve('prebuild-install/package.json')), 'bin.js');
  const isDownloaded = run(folder, [download], 'ignore') && opensDatabase(folder);
  if (isDownloaded) return;
  const kept = keptBinary(folder);
  const binary = join(folder, 'build', 'Release', 'better_sqlite3.node');
  if (existsSync(kept)) {
    mkdirSync(dirname(binary), { recursive: true });
    copyFileSync(kept, binary);
    if (opensDatabase(folder)) return;
  }
  console.error(
    'No binary of the SQLite driver could be downloaded: compiling it, for a minute or two.',
  );
  // npm passes the path of its own node-gyp to the scripts that it runs.
  const compiler = process.env.npm_config_node_gyp ?? 'node-gyp';
  const { status, stderr } = spawnSync(process.execPath, [compiler, 'rebuild', '--release'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) {
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(binary, kept);
    return;
  }
  console.error(`${stderr}
The SQLite driver for Node 20 could not be built. Install Python, make and a C++ compiler, or use Node 22.14 or newer.
Then run npm ci again.`);
  process.exitCode = 1;
}

/** Where the binary that was compiled stays for the next `npm ci`: in npm's cache, next to those that were downloaded. */
function keptBinary(folder) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { modules } = process.versions;
  const name = `better-sqlite3-${version}-node-v${modules}-${process.platform}-${process.arch}.node`;
  return join(process.env.npm_config_cache ?? join(homedir(), '.npm'), '_prebuilds', name);
}

/** Whether the binary loads; tried in a child process, which a binary of another Node or system may crash. */
function opensDatabase(folder) {
  return run(folder, ['-e', "new (require('.'))(':memory:').close()"], 'ignore');
}

function run(cwd, args, stdio) {
  return spawnSync(process.execPath, args, { cwd, stdio }).status === 0;
}

ensureDriver();
