#!/usr/bin/env node
'use strict';

const { readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

/**
 * Loads the built program. One file, `pack.js`, contains the files that every short command needs, with V8's code cache
 * next to it: finding, reading and compiling thirty files at every start costs more than the command itself. Everything else
 * in `dist` is loaded on demand. Without pack or cache (as with another Node) the start only takes longer. This loader is a
 * single file, since one more would add a fiftieth of Node's own start.
 */

const dist = join(__dirname, '..', 'dist');
const packFile = join(dist, 'pack.js');
const cacheFile = join(dist, `pack.${process.versions.v8}-${process.arch}.cache`);

/** Returns `load(name)`, which loads a file of `dist` once, and the modules loaded so far. */
function createLoader(pack) {
  const modules = new Map();
  const outside = createRequire(packFile);
  const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : outside(id));
  const load = (name) => {
    let module = modules.get(name);
    if (!module) {
      module = { exports: {} };
      modules.set(name, module);
      const run =
        pack[name] ?? compile(wrap(readFileSync(join(dist, name), 'utf8')), join(dist, name)).run;
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
 * Log rotation sends SIGUSR1, on which Node opens its debugger to every account of this machine. A listener of our own
 * replaces Node's. In the milliseconds before it only Node's `--disable-sigusr1` helps; the daemon closes a debugger that
 * was opened then.
 */
function ignoreDebuggerSignal() {
  process.on('SIGUSR1', () => {});
}

/** Older versions would fail later, in the middle of something. */
function isTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

async function start() {
  if (isTooOld()) {
    process.stderr.write(`hkctl needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
    return 1;
  }
  const program = loadProgram();
  if (program) return program.main(process);
  process.stderr.write('hkctl is not built yet. Run: npm ci\n');
  return 1;
}

if (require.main === module) {
  ignoreDebuggerSignal();
  start().then(
    (code) => {
      // All output is synchronous and thus complete; exit at once, without tearing down the heap.
      process.exit(code);
    },
    (thrown) => {
      // Node would print the line of the built program, which is all of it.
      process.stderr.write(`error: Internal error: ${thrown?.message ?? thrown}\n`);
      process.exit(1);
    },
  );
}

module.exports = { createLoader, compile, dist, packFile, cacheFile };
