'use strict';

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

/**
 * Loads the built program. The files that every short command needs lie together in one, `pack.js`, with V8's code cache
 * beside it: finding, reading and compiling thirty files at every start costs more than the command itself. Everything
 * else in `dist` is loaded when it is asked for. Without pack or cache (another Node) it only takes longer.
 */

const dist = join(__dirname, '..', 'dist');
const packFile = join(dist, 'pack.js');
const cacheFile = join(dist, `pack.${process.versions.v8}-${process.arch}.cache`);

/** Gives `load(name)`, which loads a file of `dist` once, and the modules loaded so far. */
function createLoader(pack) {
  const modules = new Map();
  const outside = createRequire(packFile);
  const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : outside(id));
  const load = (name) => {
    let module = modules.get(name);
    if (!module) {
      module = { exports: {} };
      modules.set(name, module);
      const run = pack[name] ?? compile(wrap(readFileSync(join(dist, name), 'utf8')), join(dist, name)).run;
      run.call(module.exports, module.exports, requireFrom, module, join(dist, name), dist);
    }
    return module.exports;
  };
  return { load, modules };
}

function compile(source, filename, cachedData) {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename, cachedData, importModuleDynamically });
  return { script, run: script.runInThisContext() };
}

/** The pack's functions by file name; none where there is no pack. */
function readPack() {
  const source = readIfThere(packFile)?.toString('latin1');
  return source === undefined ? {} : compile(source, packFile, readIfThere(cacheFile)).run;
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch (thrown) {
    if (thrown.code !== 'ENOENT') throw thrown;
    return undefined;
  }
}

/** Part of the build (`node bin/load.js`): packs what short commands load, then runs them again to cache what they compile. */
async function writePack() {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-build-'));
  const env = { ...process.env, HKCTL_STORE: join(folder, 'hkctl.db'), HKCTL_USER: 'build' };
  const run = async (pack, ...commands) => {
    const loader = createLoader(pack);
    for (const argv of commands) {
      const surroundings = { argv: { value: ['', '', ...argv] }, env: { value: env } };
      const code = await loader.load('hkctl.cjs').main(Object.create(process, surroundings));
      if (code !== 0) throw new Error(`hkctl ${argv.join(' ')} ended with ${code}`);
    }
    return [...loader.modules.keys()];
  };
  try {
    await run({}, ['init', '--org', 'Build', '--week-start', 'monday', ...entity, '--admin', 'build']);
    const names = await run({}, [...create, join(folder, 'key.1')], ['keys', 'list', '--json']);
    const source = packOf(names);
    const { script, run: pack } = compile(source, packFile);
    await run(pack, [...create, join(folder, 'key.2')], ['keys', 'list', '--json']);
    writeFileSync(packFile, source);
    writeFileSync(cacheFile, script.createCachedData());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const entity = ['--entity', 'ONE', '--entity-name', 'One', '--timezone', 'UTC'];
const create = ['keys', 'create', '--name', 'A', '--entity', 'ONE', '--preset', 'sensor-gateway', '--secret-file'];

function packOf(names) {
  const functions = names.map((name) => {
    const source = wrap(readFileSync(join(dist, name), 'utf8'))
      .trimEnd()
      .replace(/;$/, '');
    return `${JSON.stringify(name)}: ${source}`;
  });
  // In ASCII alone, V8 keeps and reads it at a byte a character.
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `({\n${functions.join(',\n')}\n})`.replace(/[\u0080-\uffff]/g, escaped);
}

if (require.main === module) writePack();

module.exports = { loadProgram: () => createLoader(readPack()).load('hkctl.cjs') };
