'use strict';

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');

/**
 * `npm run golden`: writes every generated text anew, by the tests that compare it. Later parts read what earlier ones have
 * written: the Markdown pages contain hkctl-resources(7). A part whose programs are missing is left out and named.
 * `npm run golden -- quick` formats the files, and leaves out the slow parts.
 */
const parts = [
  {
    texts:
      'help, the options of the manual pages, hkctl-resources(7), the OpenAPI document and the schemas',
    project: 'fast',
    files: [
      'test/cli/help.test.ts',
      'test/docs/man.test.ts',
      'test/docs/readme.test.ts',
      'test/http/openapi/document.test.ts',
      'test/store/sqlite-file/schema/schema.test.ts',
    ],
    programs: [],
  },
  {
    texts: 'the screens in test/golden/screens',
    project: 'slow',
    files: ['test/slow/cli/flows.test.ts', 'test/slow/cli/pty-flows.test.ts'],
    programs: ['tmux'],
  },
  {
    texts: 'the pages in man/markdown',
    project: 'slow',
    files: ['test/slow/docs/markdown-pages.test.ts'],
    programs: ['mandoc'],
  },
  {
    texts: 'the pictures in man/images',
    project: 'slow',
    files: ['test/slow/pictures/pictures.test.ts'],
    programs: ['tmux', 'chromium'],
    isSlow: true,
  },
];

const isQuick = process.argv.includes('quick');

function isInstalled(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

if (isQuick) {
  const { status } = spawnSync('npm', ['run', '--silent', 'format'], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

for (const { texts, project, files, programs, isSlow } of parts) {
  if (isQuick && isSlow) continue;

  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    console.log(`Left out: ${texts}. Missing: ${missing.join(', ')}.`);
    continue;
  }

  const { status } = spawnSync('vitest', ['run', '--project', project, '--update=all', ...files], {
    stdio: 'inherit',
    env: { ...process.env, UPDATE_GOLDEN: '1' },
  });
  if (status !== 0) process.exitCode = 1;
  console.log(`${status === 0 ? 'Written' : 'FAILED'}: ${texts}.`);
}
