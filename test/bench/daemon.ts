import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../../src/store/sqlite-file/driver.ts';
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
  /** Adds that many active keys, in one statement. */
  addKeys(count: number): void;
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
    addKeys: (count) => addKeys(join(folder, 'hkctl.db'), count),
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

/** Keys that nobody holds a secret of, put in at once. */
function addKeys(path: string, count: number): void {
  const database = openDatabase(path, {});
  database
    .prepare(
      `insert into keys (id, tenant_id, prefix, secret_hash, name, permissions, entity_id, created_by, created_at_ms)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       select lower(hex(randomblob(16))), u.tenant_id, printf('hk_%05x', i), lower(hex(randomblob(22))), 'key ' || i,
         '["parts.view"]', e.id, u.id, 1700000000000 + i
       from n, users u, entities e`,
    )
    .run(count);
  database.close();
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

/** Processor time in µs of one process of a command. Linux counts it in hundredths of a second, so that several make a sample. */
export function commandCpuUs(
  { cli, env }: Pick<BenchPlant, 'cli' | 'env'>,
  args: readonly string[],
  times: number,
): number {
  const before = childrenCpuUs();
  for (let n = 0; n < times; n++) {
    const { status } = spawnSync(process.execPath, [cli, ...args], {
      env,
      stdio: 'pipe',
      maxBuffer: 1 << 30,
    });
    // 5 says that something needs attention.
    if (status !== 0 && status !== 5) throw new Error(`${args.join(' ')} ended with ${status}`);
  }
  return (childrenCpuUs() - before) / times;
}

function childrenCpuUs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}
