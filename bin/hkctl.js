#!/usr/bin/env node
'use strict';

const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { dirname, join } = require('node:path');

const program = join(__dirname, '..', 'dist', 'hkctl.cjs');

// Log rotation sends SIGUSR1, on which Node would open its debugger to every account of this machine.
process.on('SIGUSR1', () => {});

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`hkctl needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.exit(1);
}

// A build has compiled code; a package has none.
if (existsSync(`${program}.${process.version}.cache`)) require('./compile.js').loadScripts();
// Not in the folder for temporary files, where another account could put compiled code of its own.
else enableCompileCache?.(join(dirname(program), 'compile-cache'));

const { main } = require(program);

main(process).then(
  // All output is synchronous and thus complete: exit at once, without tearing down the heap.
  (code) => process.exit(code),
  (thrown) => {
    // Node would print the line of the built program, which is all of it.
    process.stderr.write(`error: Internal error: ${thrown?.message ?? thrown}\n`);
    process.exit(1);
  },
);
