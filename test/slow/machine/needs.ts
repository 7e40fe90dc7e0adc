import { spawnSync } from 'node:child_process';

/**
 * What tests of the long suite need of the machine. Nothing of it may be missing: a test that is left out would look like one
 * that has passed. `.ci/run` installs the programs and runs as root.
 */
function fail(what: string): never {
  throw new Error(
    `The long suite needs ${what}: .ci/run installs its programs and runs it as root.`,
  );
}

/** Throws where one of these programs is not on the PATH. */
export function needPrograms(...names: readonly string[]): void {
  const missing = names.filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length > 0) fail(missing.join(', '));
}

/** Throws where a command of the system is refused to this account, such as one that mounts. */
export function needWorking(program: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0)
    fail(`a working \`${[program, ...args].join(' ')}\` (${error?.message ?? stderr.trim()})`);
}

/** Throws where strace is missing or may trace nothing. */
export function needStrace(): void {
  needWorking('strace', '-o', '/dev/null', 'true');
}

/** Throws unless root runs the tests. */
export function needRoot(): void {
  if (process.getuid?.() !== 0) fail('the rights of root');
}

/** The library of Debian's faketime, which changes the clock of a process; its own command would stand between us and our signals. */
export function faketimeLibrary(): string {
  needPrograms('faketime');
  return spawnSync('faketime', ['-f', '+0', 'sh', '-c', 'printf %s "$LD_PRELOAD"'], {
    encoding: 'utf8',
  }).stdout;
}
