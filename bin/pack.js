'use strict';

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { wrap } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { cacheFile, compile, createLoader, dist, packFile } = require('./hkctl.js');

/** Part of the build (`node bin/pack.js`): packs what short commands load, then runs them again to cache what they compile. */
async function writePack() {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-build-'));
  const env = { ...process.env, HKCTL_STORE: join(folder, 'hkctl.db'), HKCTL_USER: 'build' };
  const run = async (pack, ...commands) => {
    const loader = createLoader(pack);
    for (const argv of commands) {
      const environment = { argv: { value: ['', '', ...argv] }, env: { value: env } };
      const code = await loader.load('hkctl.cjs').main(Object.create(process, environment));
      if (code !== 0) throw new Error(`hkctl ${argv.join(' ')} ended with ${code}`);
    }
    return [...loader.modules.keys()];
  };
  try {
    await run({}, [
      'init',
      '--org',
      'Build',
      '--week-start',
      'monday',
      ...entity,
      '--admin',
      'build',
    ]);
    const names = await run(
      {},
      [...create, join(folder, 'key.1')],
      ['keys', 'list', '--json'],
      ['keys', 'list'],
    );
    const source = packOf(names);
    const { script, run: pack } = compile(source, packFile);
    await run(
      pack,
      [...create, join(folder, 'key.2')],
      ['keys', 'list', '--json'],
      ['keys', 'list'],
    );
    writeFileSync(packFile, source);
    writeFileSync(cacheFile, script.createCachedData());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const entity = ['--entity', 'ONE', '--entity-name', 'One', '--timezone', 'UTC'];
const create = [
  'keys',
  'create',
  '--name',
  'A',
  '--entity',
  'ONE',
  '--preset',
  'sensor-gateway',
  '--secret-file',
];

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

writePack();
