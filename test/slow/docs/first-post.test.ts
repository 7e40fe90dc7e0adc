import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { manFolder } from '../../docs/mdoc.ts';
import { outputOf, startProgram } from '../../run-program.ts';
import { needPrograms } from '../machine/needs.ts';

needPrograms('curl');

const root = join(manFolder, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'hkctl-first-post-'));
const env = {
  ...process.env,
  HOME: folder,
  PATH: `${folder}:${process.env.PATH}`,
  HKCTL_PORT: '0',
  XDG_DATA_HOME: '',
};

/** The first piece of shell below a heading of the README, and those that follow it there. */
function blocksOf(heading: string): string[] {
  const section = readme.split(`### ${heading}\n`)[1]?.split('\n### ')[0] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');
}

function shell(script: string): string {
  return outputOf('sh', ['-euc', script], {
    cwd: folder,
    env,
  });
}

afterAll(() => rmSync(folder, { recursive: true }));

it("the README's first call and first reading work as written, on a new account", async () => {
  writeFileSync(
    join(folder, 'hkctl'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', 'hkctl.js')}' "$@"\n`,
  );
  chmodSync(join(folder, 'hkctl'), 0o700);
  const [start = ''] = blocksOf('Create a store and serve it');
  const [init = '', serve = ''] = start.split(/(?=^hkctl serve)/m);
  shell(init);
  const daemon = startProgram('sh', ['-c', `exec ${serve}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      daemon.stderr.on('data', (chunk) => {
        const found = /hkctl serves (http:\S+)/.exec(String(chunk))?.[1];
        if (found !== undefined) resolve(found);
      });
      daemon.on('exit', () => reject(new Error('the daemon has ended')));
    });
    const [create = '', calls = ''] = blocksOf('Create a key for a gateway');
    shell(create);
    const answers = shell(calls.replaceAll('http://127.0.0.1:8420', address));
    expect(answers).toContain('"name":"Gateway line 3"');
    expect(answers).toContain('{"accepted":1,"duplicates":0,"rejected":[]}');
  } finally {
    const ended = new Promise((resolve) => daemon.on('exit', resolve));
    daemon.kill();
    await ended;
  }
});
