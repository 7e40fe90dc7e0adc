import { dirname, join } from 'node:path';
import { Cli } from '../../harness.ts';

/** What the running test has: a plant, the folder around its store, and the path of a backup in that folder. */
export let cli: Cli;
export let folder: string;
export let file: string;

/** Makes a plant for the test that begins; a file of tests gives it to `beforeEach`. */
export async function renewPlant(): Promise<void> {
  ({ cli, folder, file } = await backupPlant());
}

/** Makes a plant, and says which folder is around its store and where a backup goes in that folder. */
export async function backupPlant(): Promise<{ cli: Cli; folder: string; file: string }> {
  const cli = await new Cli().seed();
  const folder = dirname(dirname(cli.store));
  return { cli, folder, file: join(folder, 'plant.backup') };
}
