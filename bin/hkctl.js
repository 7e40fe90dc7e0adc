#!/usr/bin/env node
'use strict';

const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

// Log rotation sends SIGUSR1, on which Node would open its debugger to every account of this machine.
process.on('SIGUSR1', () => {});

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`hkctl needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.exit(1);
}

// Not in the folder for temporary files, where another account could put compiled code of its own.
enableCompileCache?.(join(__dirname, '..', 'dist', 'compile-cache'));

const { main } = require('../dist/hkctl.cjs');

main(process).then(
  // All output is synchronous and thus complete: exit at once, without tearing down the heap.
  (code) => process.exit(code),
  (thrown) => {
    // Node would print the line of the built program, which is all of it.
    process.stderr.write(`error: Internal error: ${thrown?.message ?? thrown}\n`);
    process.exit(1);
  },
);
