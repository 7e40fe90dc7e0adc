'use strict';

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire, Module, wrap } = require('node:module');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

/**
 * Loads a built CommonJS file with V8's code cache, if the build left one that fits this Node: compiling the commands anew
 * at every start costs more than running them. Any other Node compiles as usual.
 */
function load(file) {
  const source = readFileSync(file, 'utf8');
  const script = new Script(wrap(source), { filename: file, cachedData: readCache(file) });
  const loaded = new Module(file, module);
  loaded.filename = file;
  // Chunks that are loaded later require this file: they must find this very instance.
  require.cache[file] = loaded;
  script.runInThisContext().call(loaded.exports, loaded.exports, createRequire(file), loaded, file, dirname(file));
  loaded.loaded = true;
  return { exports: loaded.exports, script };
}

function cacheName(file) {
  return `${file}.${process.versions.v8}-${process.arch}.cache`;
}

function readCache(file) {
  try {
    return readFileSync(cacheName(file));
  } catch (thrown) {
    if (thrown.code !== 'ENOENT') throw thrown;
    return undefined;
  }
}

/** Part of the build: runs a short command on a throw-away store, so that the cache holds what such commands compile. */
async function warm(file) {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-build-'));
  try {
    const { exports, script } = load(file);
    await exports.warm(join(folder, 'hkctl.db'));
    writeFileSync(cacheName(file), script.createCachedData());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

module.exports = { load, warm };
