import { execa, execaSync, type Options, type SyncOptions } from 'execa';

/** How a program ended, and its output. */
export interface Outcome {
  /** Null if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunSettings {
  /** The whole environment; by default that of the tests. */
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** Standard input; by default it is empty. */
  input?: string | Uint8Array;
  uid?: number;
  gid?: number;
  /** Ends the program with SIGKILL after so many milliseconds. */
  timeout?: number;
}

/** A warning of Node or of a library, which no command may print: `(node:4711) ExperimentalWarning: …`. */
const nodesOwnLine = /^\(node:\d+\)|^\(Use `node --trace/m;

/** Throws if standard error has a line that is not ours. */
export function requireOwnLines(stderr: string): void {
  if (nodesOwnLine.test(stderr)) {
    throw new Error(`standard error has a line that is not ours:\n${stderr}`);
  }
}

/** A failure is a result, and output stays as it is. */
const plainly = { reject: false, stripFinalNewline: false } as const;

function environmentOf(env: RunSettings['env']): Pick<SyncOptions, 'env' | 'extendEnv'> {
  return env === undefined ? {} : { env: { ...env }, extendEnv: false };
}

/** Runs a program to its end, whatever its exit code. Throws if it cannot be started, or if Node printed a warning. */
export function runProgram(
  program: string,
  args: readonly string[] = [],
  settings: RunSettings = {},
): Outcome {
  return toOutcome(program, execaSync(program, args, optionsOf(settings)));
}

/** The same, while this process goes on. */
export async function runProgramAsync(
  program: string,
  args: readonly string[] = [],
  settings: RunSettings = {},
): Promise<Outcome> {
  return toOutcome(program, await execa(program, args, optionsOf(settings)));
}

function optionsOf({ env, input = '', timeout, ...settings }: RunSettings) {
  return {
    ...plainly,
    ...settings,
    ...environmentOf(env),
    ...(timeout !== undefined && { timeout, killSignal: 'SIGKILL' as const }),
    input,
  };
}

/** The part of execa's results that both of its ways to run a program have. */
interface Result {
  exitCode?: number;
  signal?: NodeJS.Signals;
  stdout: string;
  stderr: string;
  code?: string;
  cause?: unknown;
}

function toOutcome(program: string, result: Result): Outcome {
  const { exitCode, signal, stdout, stderr, code, cause } = result;
  if (exitCode === undefined && signal === undefined) {
    throw new Error(`${program} cannot be started: ${code}`, { cause });
  }
  requireOwnLines(stderr);
  return { code: exitCode ?? null, signal: signal ?? null, stdout, stderr };
}

/** The standard output of a program that must end well. */
export function outputOf(
  program: string,
  args?: readonly string[],
  settings?: RunSettings,
): string {
  const { code, signal, stdout, stderr } = runProgram(program, args, settings);
  if (code !== 0) {
    throw new Error(
      `${[program, ...(args ?? [])].join(' ')} ended with ${code ?? signal}: ${stderr}`,
    );
  }
  return stdout;
}

/** Starts a program and does not wait for its end; its streams are those of node:child_process. */
export function startProgram<const Chosen extends Options>(
  program: string,
  args: readonly string[],
  { env, ...options }: Chosen,
) {
  return execa(program, args, {
    ...plainly,
    buffer: false,
    // A signal of a test is followed by no other.
    forceKillAfterDelay: false,
    ...options,
    ...environmentOf(env),
  });
}
