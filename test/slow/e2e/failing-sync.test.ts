import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Plant } from '../../e2e/plant.ts';
import { outputOf } from '../../run-program.ts';

/** Loaded into the program: lets the n-th sync of the log of a database fail, as a disk does. */
const failing = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int left = -1;
static int fails(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 4 || strncmp(path + size - 4, "-wal", 4) != 0) return 0;
  const char *given = getenv("FAIL_SYNC");
  if (left == -1) left = given ? atoi(given) : 1 << 30;
  return left-- == 0;
}
#define FAILING(name) int name(int fd) { \\
  if (fails(fd)) { errno = EIO; return -1; } \\
  return ((int (*)(int)) dlsym(RTLD_NEXT, #name))(fd); }
FAILING(fsync)
FAILING(fdatasync)
`;

let plant: Plant;
let library: string;
beforeAll(async () => {
  plant = await Plant.open();
  library = plant.path('failing.so');
  outputOf('cc', ['-shared', '-fPIC', '-o', library, plant.write('failing.c', failing), '-ldl']);
});
afterAll(() => plant.close());

it('a rotation whose commit the disk does not sync keeps both secrets, and the next run completes or reverts it', async () => {
  const file = plant.path('gw.key');
  const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
  plant.write('gw.key', `${secret}\n`);
  const rotate = (env = {}) =>
    plant.hkctl(
      ['keys', 'rotate', readFileSync(file, 'utf8').slice(0, 8), '--secret-file', file, '--yes'],
      { env },
    );
  const codes = new Set<string>();
  for (let step = 0; ; step++) {
    const { code, stderr } = await rotate({ LD_PRELOAD: library, FAIL_SYNC: String(step) });
    if (code === 0) break;
    expect(code, stderr).toBe(6);
    const isInDoubt = stderr.includes('is unknown') && stderr.includes(`${file}.new`);
    codes.add(isInDoubt ? 'in doubt' : 'before');
    expect(existsSync(`${file}.new`), stderr).toBe(isInDoubt);
    expect(await rotate()).toMatchObject({ code: 0 });
    expect(
      (await plant.hkctl(['keys', 'verify'], { input: readFileSync(file, 'utf8') })).code,
    ).toBe(0);
    expect(existsSync(`${file}.new`)).toBe(false);
  }
  expect([...codes]).toContain('in doubt');
});

it('a revocation whose commit the disk does not sync stops nothing, at the next start either, and the same command revokes', async () => {
  let failures = 0;
  const before = await plant.createKey('Before', 'sensor-gateway');
  const earlier = await plant.createKey('Earlier', 'sensor-gateway');
  for (const { key } of [before, earlier]) await plant.ok(['keys', 'revoke', key.id, '--yes']);
  for (let step = 0; ; step++) {
    const { key, secret } = await plant.createKey(`Revoked ${step}`, 'sensor-gateway');
    const revoke = (env = {}) => plant.hkctl(['keys', 'revoke', key.id, '--yes'], { env });
    const verify = async () => (await plant.hkctl(['keys', 'verify'], { input: secret })).code;
    const { code, stderr } = await revoke({ LD_PRELOAD: library, FAIL_SYNC: String(step) });
    if (code === 0) break;
    failures++;
    expect(code, stderr).toBe(6);
    expect([step, await verify()]).toEqual([step, 0]);
    const { stdout } = await plant.hkctl(['doctor', '--quick']);
    expect(stdout).toContain('keys that the journal names works');
    expect((await revoke()).code).toBe(0);
    expect(await verify()).toBe(5);
  }
  expect(failures).toBeGreaterThan(0);
});
