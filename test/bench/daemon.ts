import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cpuMs } from './harness.ts';

const execFileAside = promisify(execFile);

/** A store made for one benchmark, with one entity `ONE`, driven through the command line as a person would. */
export interface BenchPlant {
  folder: string;
  /** In which commands use this store. */
  env: NodeJS.ProcessEnv;
  /** The program that makes and serves this plant. */
  cli: string;
  /** Creates a key with a preset, and gives its secret. */
  key(preset: string): string;
  /** Runs a command and gives what it printed. */
  hkctl(args: readonly string[], input?: string): string;
  /** Imports sensors `S-0`, `S-1` … with the codes `SENSOR-0`, `SENSOR-1` … */
  importSensors(count: number): void;
  /** The same as `hkctl` while others go on. */
  hkctlAside(args: readonly string[]): Promise<string>;
  /** Starts the daemon, limits off unless other options are given; gives its address. */
  serve(options?: readonly string[]): Promise<string>;
  /** The process of the daemon. */
  pid(): number;
  /** Time on a processor of the daemon, its threads included. */
  cpuMs(): number;
  stop(): Promise<void>;
  /** Stops the daemon and removes the store. */
  remove(): Promise<void>;
}

/** Makes a plant in a folder of its own, or in the PostgreSQL database at an address, by the build in a checkout. */
export function createPlant(address?: string, checkout = process.cwd()): BenchPlant {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-bench-'));
  const cli = join(checkout, 'bin', 'hkctl.js');
  const env = {
    ...process.env,
    HKCTL_STORE: address ?? join(folder, 'hkctl.db'),
    HKCTL_USER: 'bench',
  };
  const hkctl = (args: readonly string[], input = '') =>
    execFileSync(process.execPath, [cli, ...args], { env, input, stdio: 'pipe', encoding: 'utf8' });
  let daemon: ChildProcess | undefined;
  const stop = async () => {
    const stopping = daemon;
    daemon = undefined;
    if (stopping) await ended(stopping);
  };
  const names = '--org Bench --week-start monday --entity ONE --entity-name One';
  hkctl(`init ${names} --timezone UTC --admin bench`.split(' '));
  let keys = 0;
  return {
    folder,
    env,
    cli,
    hkctl,
    key: (preset) =>
      hkctl(`keys create --name key${++keys} --entity ONE --preset ${preset}`.split(' ')).trim(),
    importSensors(count) {
      const lines = Array.from(
        { length: count },
        (_, n) => `S-${n},SENSOR-${n},Sensor ${n},Cel,true\n`,
      );
      const file = `id,code,name,unit,is_active\n${lines.join('')}`;
      hkctl(['import', 'sensors', '-', '--entity', 'ONE', '--format', 'csv'], file);
    },
    stop,
    pid: () => daemon?.pid ?? 0,
    cpuMs: () => cpuMs(daemon?.pid ?? 0),
    hkctlAside: async (args) =>
      (await execFileAside(process.execPath, [cli, ...args], { env })).stdout,
    async serve(
      options = ['--limit-requests', 'off', '--limit-ingest', 'off', '--log-level', 'warn'],
    ) {
      daemon = spawn(process.execPath, [cli, 'serve', '--port', '0', '--json', ...options], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const first: { base_url: string } = JSON.parse(await firstLine(daemon));
      return first.base_url;
    },
    async remove() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Ends a process and waits until it has. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      // The document may be laid out over several lines; its end is the line that closes it.
      if (/\}\s*$/.test(text)) resolve(text);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code}`)));
  });
}
