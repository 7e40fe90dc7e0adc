import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEndOfFile } from '../../ends.ts';
import { Cli, type KeyJson } from '../harness.ts';

/** The command that creates a key for a gateway. */
export const createLine = [
  'keys',
  'create',
  '--name',
  'Gateway',
  '--entity',
  'BER',
  '--preset',
  'sensor-gateway',
];

/** A plant, and a folder that is removed at the end of the file of tests, with the path for the secret of a gateway in it. */
export async function gatewayPlant(): Promise<{ cli: Cli; folder: string; file: string }> {
  const cli = await new Cli().seed();
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-secret-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return { cli, folder, file: join(folder, 'gateway.key') };
}

/** All keys, also the inactive ones. */
export async function allKeys(cli: Cli): Promise<KeyJson[]> {
  return (await cli.ok('keys list --all --json')).json();
}

/** Whether a secret is the one of an active key. */
export async function isValid(cli: Cli, secret: string): Promise<boolean> {
  return (await cli.run('keys verify', { input: `${secret}\n` })).code === 0;
}
