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
  const args = [compiler, 'rebuild', '--release', ...installedHeaders()];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status === 0) {
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(binary, kept);
    return;
  }
  console.error(`${stderr}
The SQLite driver for Node 20 could not be built. ${remedy(stderr)}
Then run npm ci again.`);
  process.exitCode = 1;
}

/** The headers that came with this Node; else node-gyp downloads them, which a machine with only a mirror of npm cannot. */
function installedHeaders() {
  if (process.env.npm_config_nodedir) return [];
  const prefix = join(dirname(process.execPath), '..');
  const header = join(prefix, 'include', 'node', 'node_version.h');
  if (!existsSync(header)) return [];
  // A distribution may install the headers of another version there.
  const major = /NODE_MAJOR_VERSION (\d+)/.exec(readFileSync(header, 'utf8'))?.[1];
  return process.versions.node.startsWith(`${major}.`) ? [`--nodedir=${prefix}`] : [];
}

/** What to do, by what node-gyp reports: without the network it finds a compiler but no headers. */
function remedy(report) {
  const isDownload =
    /FetchError|fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|downloading/;
  return isDownload.test(report)
    ? `The headers of Node ${process.versions.node} could not be downloaded.
Set npm_config_nodedir to a folder of this Node that contains include/node (Debian: install libnode-dev and use /usr),
or npm_config_disturl to a mirror of Node's downloads, or use Node 22.14 or newer, which needs none.`
    : 'Install Python, make and a C++ compiler, or use Node 22.14 or newer.';
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
