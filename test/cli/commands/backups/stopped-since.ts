import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import type { Cli, RunOptions } from '../../harness.ts';
import { backupPlant } from './backup-plant.ts';

/** A plant with a second Super user, `alice`, the path of a backup of it, and of the journal of its store. */
export async function plantWithAlice(): Promise<{
  cli: Cli;
  folder: string;
  file: string;
  journal: string;
}> {
  const plant = await backupPlant();
  await plant.cli.ok('users add alice --name Alice --role super_user');
  return { ...plant, journal: filesOf(plant.cli.store).revocations };
}

/** The options of a command that an account runs. */
export const as = (osAccount: string) => ({ osAccount });

/** Exit code and text of `keys verify` for a secret. */
export async function tried(cli: Cli, secret: string): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await cli.run('keys verify', { input: secret });
  return { code, text: stdout + stderr };
}

/** Role and status of each user by login. */
export async function usersNow(cli: Cli): Promise<Record<string, string>> {
  const users = (await cli.ok('users list --json')).json<
    { login: string; role: string; status: string }[]
  >();
  return Object.fromEntries(users.map(({ login, role, status }) => [login, `${role} ${status}`]));
}

/** The status of each entity by code. */
export async function entitiesNow(cli: Cli): Promise<Record<string, string>> {
  const entities = (await cli.ok('entities list --json')).json<
    { code: string; status: string }[]
  >();
  return Object.fromEntries(entities.map(({ code, status }) => [code, status]));
}

/** What a restore of a backup reports with `--json`. */
export async function restored(
  cli: Cli,
  file: string,
  options: RunOptions = {},
): Promise<Record<string, unknown[]>> {
  return (await cli.ok(['restore', file, '--yes', '--json'], options)).json();
}
