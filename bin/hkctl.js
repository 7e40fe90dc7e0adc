#!/usr/bin/env node
'use strict';

const { readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

/**
 * Loads the built program. The files that every short command needs lie together in one, `pack.js`, with V8's code cache
 * beside it: finding, reading and compiling thirty files at every start costs more than the command itself, and one file
 * more for this loader would cost a fiftieth of what Node takes. Everything else in `dist` is loaded when it is asked for.
 * Without pack or cache (another Node) it only takes longer.
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

function loadProgram() {
  try {
    return createLoader(readPack()).load('hkctl.cjs');
  } catch (thrown) {
    if (thrown.code !== 'ENOENT' || thrown.path !== join(dist, 'hkctl.cjs')) throw thrown;
    return undefined;
  }
}

/**
 * SIGUSR1, which log rotation sends, would make Node open its debugger to every account of this machine. A listener of our
 * own takes Node's place. Before this line, in the first milliseconds of a start, only Node's own `--disable-sigusr1`
 * helps; the daemon closes what was opened then.
 */
function ignoreDebuggerSignal() {
  process.on('SIGUSR1', () => {});
}

async function start() {
  const program = loadProgram();
  if (program) return program.main(process);
  process.stderr.write('hkctl is not built yet. Run: npm ci\n');
  return 1;
}

if (require.main === module) {
  ignoreDebuggerSignal();
  start().then((code) => {
    // All that was written is written (none of it waits in a stream), and taking the heap apart would only take time.
    process.exit(code);
  });
}

module.exports = { createLoader, compile, dist, packFile, cacheFile };
