import { dirname, join } from 'node:path';
import { Cli } from '../../harness.ts';

/** A plant, the folder around its store, and the path of a backup in that folder. */
export async function backupPlant(): Promise<{ cli: Cli; folder: string; file: string }> {
  const cli = await new Cli().seed();
  const folder = dirname(dirname(cli.store));
  return { cli, folder, file: join(folder, 'plant.backup') };
}
