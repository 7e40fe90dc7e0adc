import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ended } from '../daemon.ts';

/** InfluxDB, beside which a benchmark measures. */
export interface Peer {
  /** Where lines are written to. */
  writeUrl: string;
  pid: number;
  folder: string;
  remove(): Promise<void>;
}

/** Starts InfluxDB in a folder of its own: as it comes, but silent; its write-ahead log is synced before every answer. */
export async function startInflux(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-influx-'));
  const [http, rpc] = [await freePort(), await freePort()];
  const config = join(folder, 'influxdb.conf');
  writeFileSync(
    config,
    `reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  wal-fsync-delay = "0s"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${http}"
  log-enabled = false
[monitor]
  store-enabled = false
`,
  );
  const url = `http://127.0.0.1:${http}`;
  const peer = await start('influxd', ['-config', config], folder, `${url}/ping`);
  await fetch(`${url}/query?q=CREATE+DATABASE+bench`, { method: 'POST' });
  return { ...peer, writeUrl: `${url}/write?db=bench&precision=ns` };
}

async function start(program: string, args: readonly string[], folder: string, health: string) {
  const daemon = spawn(program, args, { stdio: 'ignore' });
  await answering(health, daemon);
  return {
    folder,
    pid: daemon.pid ?? 0,
    async remove() {
      await ended(daemon);
      rmSync(folder, { recursive: true });
    },
  };
}

async function answering(url: string, daemon: ChildProcess): Promise<void> {
  for (let tries = 0; daemon.exitCode === null && tries < 200; tries++) {
    try {
      await fetch(url);
      return;
    } catch (thrown) {
      // It is not listening yet.
      if (!(thrown instanceof TypeError)) throw thrown;
      await setTimeout(50);
    }
  }
  throw new Error(`nothing answers at ${url}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : 0),
      );
    });
  });
}
