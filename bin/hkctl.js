#!/usr/bin/env node
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { useCodeCache } = require('./load.js');

const program = join(__dirname, '..', 'dist', 'hkctl.cjs');

if (existsSync(program)) {
  useCodeCache();
  require(program)
    .main(process)
    .then((code) => {
      process.exitCode = code;
    });
} else {
  process.stderr.write('hkctl is not built yet. Run: npm ci\n');
  process.exitCode = 1;
}
