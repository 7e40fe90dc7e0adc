#!/usr/bin/env node
'use strict';

let main;
try {
  ({ main } = require('../dist/hkctl.cjs'));
} catch (thrown) {
  if (thrown?.code !== 'MODULE_NOT_FOUND' || !thrown.message.includes('dist/hkctl.cjs')) throw thrown;
  process.stderr.write('hkctl is not built yet. Run: npm ci\n');
  process.exitCode = 1;
}

main?.(process).then((code) => {
  process.exitCode = code;
});
