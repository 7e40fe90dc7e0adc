import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from './run-program.ts';

const root = join(__dirname, '..');

/** Checks a folder that contains these files as a package with Node.js inside, or without. */
function check(files: Readonly<Record<string, string>>, hasNode: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-systems-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    if (content.startsWith('/')) cpSync(content, join(folder, name));
    else writeFileSync(join(folder, name), content);
  }
  const script = `require(${JSON.stringify(join(root, 'bin/package/libc.js'))}).requireDocumentedSystems(process.argv[1], ${hasNode})`;
  return runProgram(process.execPath, ['-e', script, folder]);
}

const driver = 'node_modules/better-sqlite3/prebuilds/linux-x64.node';

it.each(['x64', 'arm64'])(
  'the driver for %s runs on the oldest documented systems',
  (processor) => {
    const prebuilt = join(root, driver.replace('x64', processor));
    expect(check({ [driver]: prebuilt }, true)).toMatchObject({ code: 0, stderr: '' });
  },
);

it.each([
  ['a newer C library', 'GLIBC_2.38'],
  ['a newer C++ library', 'GLIBCXX_3.4.32'],
])(
  'a package with Node.js inside is refused whose driver needs %s than is documented',
  (_, version) => {
    const { code, stderr } = check({ [driver]: `\0GLIBC_2.17\0${version}\0` }, true);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `${driver} needs ${version}: more than README and hkctl-tasks(7) say.`,
    );
  },
);

it('what this machine compiled or brings may need a newer system, with a warning', () => {
  const runtime = 'libexec/libstdc++.so.6';
  const files = { [driver]: '\0GLIBC_2.38\0', [runtime]: '\0GLIBC_2.38\0' };
  expect(check(files, false)).toMatchObject({
    code: 0,
    stderr: [driver, runtime]
      .map(
        (file) =>
          `warning: ${file} needs GLIBC_2.38, more than the manual says; make it on Debian 12.\n`,
      )
      .join(''),
  });
  expect(check({ [runtime]: '\0GLIBC_2.36\0GLIBCXX_3.4.30\0' }, true).stderr).toBe('');
});

it('the manual and the message for older systems name the same oldest versions', () => {
  for (const file of ['man/hkctl-tasks.7', 'src/store/sqlite-file/driver.ts']) {
    expect(readFileSync(join(root, file), 'utf8'), file).toMatch(
      /glibc 2\.34 and\s+libstdc\+\+ 11/,
    );
  }
});
