import { runProgram } from '../../run-program.ts';

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
  const missing = names.filter((name) => runProgram('which', [name]).code !== 0);
  if (missing.length > 0) fail(missing.join(', '));
}

/** Throws where a command of the system is refused to this account, such as one that mounts. */
export function needWorking(program: string, ...args: readonly string[]): void {
  needPrograms(program);
  const { code, stderr } = runProgram(program, args);
  if (code !== 0) fail(`a working \`${[program, ...args].join(' ')}\` (${stderr.trim()})`);
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
  return runProgram('faketime', ['-f', '+0', 'sh', '-c', 'printf %s "$LD_PRELOAD"']).stdout;
}
