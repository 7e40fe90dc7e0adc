import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { onceForAll } from '../../once.ts';
import { startServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which the files of tests agree on one PostgreSQL server. */
    postgresFolder: string;
  }
}

/** Vitest's global set-up: the server is started by the first file of tests that needs it, and stopped after the last. */
export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-pg-run-'));
  project.provide('postgresFolder', folder);
  // The process of a file of tests starts the server, which ends with this one.
  writeFileSync(join(folder, 'owner'), String(process.pid));
  return async () => {
    const started = readStarted(folder);
    if (started?.pid !== undefined) {
      process.kill(started.pid, 'SIGQUIT');
      for (let attempt = 0; attempt < 200 && isAlive(started.pid); attempt++) await pause(20);
      if (started.folder !== undefined) rmSync(started.folder, { recursive: true, force: true });
    }
    rmSync(folder, { recursive: true, force: true });
  };
}

interface Started {
  address: string;
  pid?: number;
  folder?: string;
}

/** Address of the server that all files of tests share, or of the one that TEST_HKCTL_POSTGRES names. */
export async function sharedServer(folder: string): Promise<string> {
  const named = process.env.TEST_HKCTL_POSTGRES;
  if (named) return named;
  await onceForAll(folder, 'server', async () => {
    const owner = Number(readFileSync(join(folder, 'owner'), 'utf8'));
    const { address, pid, folder: data } = await startServer([], { owner, alsoRemove: [folder] });
    writeFileSync(join(folder, 'started.json'), JSON.stringify({ address, pid, folder: data }));
  });
  const started = readStarted(folder);
  if (!started) throw new Error('the PostgreSQL server of the tests is gone');
  return started.address;
}

function readStarted(folder: string): Started | undefined {
  const file = join(folder, 'started.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
