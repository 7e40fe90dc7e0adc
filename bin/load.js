'use strict';

const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { tmpdir } = require('node:os');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

const dist = join(__dirname, '..', 'dist');
// V8 refuses the cache of any other version of itself; Node 22 and 24 then fall back to compiling, which only takes longer.
const cacheFolder = join(dist, 'cache', `${process.versions.v8}-${process.arch}`);

/**
 * Lets the built files be loaded with V8's code cache: compiling the commands anew at every start costs more than running
 * them. `compiled` gathers what was loaded, for the build to write the cache from.
 */
function useCodeCache(compiled) {
  require.extensions['.cjs'] = (module, filename) => {
    const script = new Script(wrap(readFileSync(filename, 'utf8')), { filename, cachedData: readCache(filename) });
    compiled?.set(filename, script);
    const { exports } = module;
    script.runInThisContext().call(exports, exports, createRequire(filename), module, filename, dirname(filename));
  };
}

function readCache(filename) {
  try {
    return readFileSync(join(cacheFolder, basename(filename)));
  } catch (thrown) {
    if (thrown.code !== 'ENOENT') throw thrown;
    return undefined;
  }
}

/**
 * Part of the build (`node bin/load.js`): runs short commands on a throw-away store, so that the cache holds what such
 * commands compile. What they print is of no interest.
 */
async function writeCodeCache() {
  const compiled = new Map();
  useCodeCache(compiled);
  const { main } = require(join(dist, 'hkctl.cjs'));
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-build-'));
  const env = { ...process.env, HKCTL_STORE: join(folder, 'hkctl.db'), HKCTL_USER: 'build' };
  try {
    for (const argv of shortCommands(join(folder, 'key'))) {
      const code = await main(Object.create(process, { argv: { value: ['', '', ...argv] }, env: { value: env } }));
      if (code !== 0) throw new Error(`hkctl ${argv.join(' ')} ended with ${code}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  mkdirSync(cacheFolder, { recursive: true });
  for (const [filename, script] of compiled) {
    writeFileSync(join(cacheFolder, basename(filename)), script.createCachedData());
  }
}

function shortCommands(secretFile) {
  const init = [
    '--org',
    'Build',
    '--week-start',
    'monday',
    '--entity',
    'ONE',
    '--entity-name',
    'One',
    '--timezone',
    'UTC',
  ];
  const create = ['--name', 'Build', '--entity', 'ONE', '--preset', 'sensor-gateway', '--secret-file', secretFile];
  return [
    ['init', ...init, '--admin', 'build'],
    ['keys', 'create', ...create],
    ['keys', 'list', '--json'],
    ['keys', 'list'],
  ];
}

if (require.main === module) writeCodeCache();

module.exports = { useCodeCache };
