import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect } from 'vitest';
import type { CommandDefinition } from '../../src/cli/command/command.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { atEndOfFile } from '../ends.ts';
import type { CommitProxy, Loss } from '../store/postgres/commit-proxy.ts';
import { makeOlder, newDatabase, onServer } from '../store/postgres/databases.ts';
import { Cli, type RunResult } from './harness.ts';

/** What a command is given that writes. */
interface Scene {
  folder: string;
  /** The file that holds the secret of the key `Gateway`, and the prefix of that key. */
  file: string;
  prefix: string;
}

/** A command line that writes, and the action that the audit trail holds once it is done. */
interface WritingCommand {
  line(scene: Scene): readonly string[];
  done: string;
  input?: string;
  /** Keys that are typed at a terminal. */
  keys?: readonly string[];
  /** The database before: a seeded plant, unless it says otherwise. */
  prepare?(cli: Cli, scene: Scene): Promise<unknown>;
  isNew?: true;
}

const sensors =
  'id,code,name,asset_id,quantity,unit,is_active\nS-1,OVEN,Oven,,temperature,Cel,true\n';
const importSensors = (cli: Cli) =>
  cli.ok('import sensors - --format csv --entity BER', { input: sensors });
const create = ['keys', 'create', '--name', 'New', '--entity', 'BER', '--preset', 'sensor-gateway'];

/** The file of another machine, so to say, to which a command delivers. */
const remoteName = 'remote';

/** One or more lines of every command that writes; the name begins with that of the command. */
export const writingCommands: Readonly<Record<string, WritingCommand>> = {
  'keys create': { line: () => create, done: 'key.create' },
  'keys create, in a panel': { line: () => create, done: 'key.create', keys: ['d', 'y'] },
  'keys create --secret-file': {
    line: ({ folder }) => [...create, '--secret-file', join(folder, 'new.key')],
    done: 'key.create',
  },
  'keys rotate': { line: ({ prefix }) => ['keys', 'rotate', prefix, '--yes'], done: 'key.rotate' },
  'keys rotate --secret-file': {
    line: ({ prefix, file }) => ['keys', 'rotate', prefix, '--secret-file', file, '--yes'],
    done: 'key.rotate',
  },
  'keys rotate --secret-file --exec': {
    line: ({ prefix, file }) => [
      'keys',
      'rotate',
      prefix,
      '--secret-file',
      file,
      '--yes',
      '--exec',
      'true',
    ],
    done: 'key.rotate',
  },
  'keys rotate --secret-dir': {
    line: ({ prefix, folder }) => ['keys', 'rotate', prefix, '--secret-dir', folder, '--yes'],
    done: 'key.rotate',
  },
  'keys create --deliver': {
    line: ({ folder }) => [...create, '--deliver', `cat > '${join(folder, remoteName)}'`],
    done: 'key.create',
  },
  'keys rotate --deliver': {
    line: ({ prefix, folder }) => [
      ...['keys', 'rotate', prefix, '--yes'],
      ...['--deliver', `cat > '${join(folder, remoteName)}'`],
    ],
    done: 'key.rotate',
  },
  'keys revoke': { line: ({ prefix }) => ['keys', 'revoke', prefix, '--yes'], done: 'key.revoke' },
  'keys note': { line: ({ prefix }) => ['keys', 'note', prefix, 'a note'], done: 'key.note' },
  'keys verify': { line: () => ['keys', 'verify'], done: 'nothing', input: 'hk_' },
  'keys scan': {
    line: ({ file }) => ['keys', 'scan', file, '--revoke', '--yes'],
    done: 'key.revoke',
  },
  'entities add': {
    line: () => ['entities', 'add', 'X', '--name', 'X', '--timezone', 'UTC'],
    done: 'entity.add',
  },
  'entities set': {
    line: () => ['entities', 'set', 'BER', '--name', 'Works'],
    done: 'entity.set',
  },
  'entities deactivate': {
    line: () => ['entities', 'deactivate', 'CHI', '--yes'],
    done: 'entity.deactivate',
  },
  'entities activate': {
    line: () => ['entities', 'activate', 'CHI'],
    done: 'entity.activate',
    prepare: (cli) => cli.ok('entities deactivate CHI --yes'),
  },
  'entities remove': {
    line: () => ['entities', 'remove', 'BER', '--yes'],
    done: 'entity.remove',
    prepare: importSensors,
  },
  'users add': {
    line: () => ['users', 'add', 'x', '--name', 'X', '--role', 'operator'],
    done: 'user.add',
  },
  'users deactivate': {
    line: () => ['users', 'deactivate', 'operator', '--yes'],
    done: 'user.deactivate',
  },
  'users activate': {
    line: () => ['users', 'activate', 'operator'],
    done: 'user.activate',
    prepare: (cli) => cli.ok('users deactivate operator --yes'),
  },
  'users set-role': {
    line: () => ['users', 'set-role', 'operator', 'manager'],
    done: 'user.set_role',
  },
  'tenants add': {
    line: () => ['tenants', 'add', 'Other', '--admin', 'other'],
    done: 'tenant.add',
  },
  'tenants set': { line: () => ['tenants', 'set', '--name', 'Other'], done: 'tenant.set' },
  import: {
    line: () => ['import', 'sensors', '-', '--format', 'csv', '--entity', 'BER'],
    input: sensors,
    done: 'records.import',
  },
  'import, of what is there': {
    line: () => ['import', 'sensors', '-', '--format', 'csv', '--entity', 'BER'],
    input: sensors.replace('Oven', 'Other oven'),
    done: 'records.import',
    prepare: importSensors,
  },
  'sensors erase': {
    line: () =>
      'sensors erase OVEN --entity BER --from 2026-01-01 --to 2026-02-01 --yes'.split(' '),
    done: 'sensors.erase',
    prepare: importSensors,
  },
  doctor: {
    line: () => ['doctor', '--accept-clock', '--yes'],
    done: 'store.accept_clock',
    prepare: (cli) =>
      onServer(
        cli.place,
        `insert into hkctl.marks values ('clock_seen_ms', ${Date.now() + 1e9})
        on conflict (name) do update set value = excluded.value`,
      ),
  },
  backup: { line: ({ folder }) => ['backup', join(folder, 'plant.backup')], done: 'store.backup' },
  restore: {
    line: ({ folder }) => ['restore', join(folder, 'before.backup'), '--yes'],
    done: 'store.restore',
    prepare: (cli, { folder }) => cli.ok(['backup', join(folder, 'before.backup')]),
  },
  migrate: {
    line: () => ['migrate', '--without-backup'],
    done: 'store.migrate',
    prepare: (cli) => makeOlder(cli.place),
  },
  init: {
    line: () =>
      'init --org Acme --entity BER --entity-name Berlin --timezone UTC --week-start monday --admin root'.split(
        ' ',
      ),
    done: 'store.init',
    isNew: true,
  },
};

/** The names of all commands that may write, from the program itself. The daemon is tested by its clients, who send again. */
export async function namesOfWritingCommands(): Promise<string[]> {
  const names: string[] = [];
  for (const entry of nouns) {
    const noun = await entry.load();
    const verbs: [string, CommandDefinition][] =
      'run' in noun
        ? [[entry.name, noun]]
        : noun.verbs.map((verb) => [`${entry.name} ${verb.name}`, verb]);
    names.push(...verbs.filter(([, { readOnly }]) => !readOnly).map(([name]) => name));
  }
  return names.filter((name) => name !== 'serve').sort();
}

/** What came of a command whose answer to a commit was lost. */
interface Lost {
  result: RunResult;
  isLost: boolean;
  counts: CommitProxy['counts'];
  /** Whether the trail says that it was done. */
  isDone: boolean;
  scene: Scene;
  cli: Cli;
}

/** Runs a command on a plant of its own, and loses the answer to one of its commits; see {@link expectTrue}. */
export async function runLosing(
  command: WritingCommand,
  proxy: CommitProxy,
  loss: Loss,
  number: number,
): Promise<Lost> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-lost-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  const cli = command.isNew ? new Cli(await newDatabase()) : await Cli.onPostgres();
  const file = join(folder, 'gateway.key');
  if (!command.isNew) await cli.key('Gateway', ['--secret-file', file]);
  const scene = {
    folder,
    file,
    prefix: command.isNew ? '' : readFileSync(file, 'utf8').slice(0, 8),
  };
  await command.prepare?.(cli, scene);
  const { place } = cli;
  const before = command.isNew ? 0 : await countDone(place, command.done);
  proxy.lose(loss, number);
  cli.place = proxy.through(place);
  const { input, keys } = command;
  const result = await cli.run(command.line(scene), {
    ...(input !== undefined && { input }),
    ...(keys && { keys, terminal: { columns: 200, rows: 40 } }),
  });
  const { hasLost: isLost, counts } = proxy;
  proxy.lose(undefined);
  cli.place = place;
  const isDone = (await countDone(place, command.done)) > before;
  return { result, isLost, counts, isDone, scene, cli };
}

/** What the command has said is true, and no secret is lost that works. */
export async function expectTrue(
  name: string,
  { done }: WritingCommand,
  { result, isDone, scene, cli }: Lost,
) {
  const { code, stdout, stderr } = result;
  const shown = `${name}: exit ${code}, ${isDone ? 'done' : 'not done'}\n${stdout}\n${stderr}`;
  const isUnknown = stderr.includes('is unknown');
  if (done !== 'nothing') {
    if (code === 0 || (code === 5 && name === 'keys scan')) expect(isDone, shown).toBe(true);
    else
      expect(
        isUnknown ||
          !isDone ||
          /is committed|is written and checked|was migrated|was removed/.test(stderr),
        shown,
      ).toBe(true);
  }
  if (code !== 0 && name !== 'keys scan' && name !== 'keys verify') expect(code, shown).toBe(6);
  // There is no store that could be opened, or may be none.
  if (!isDone && (name === 'init' || name === 'migrate')) return;
  // Every key that works has its secret somewhere; nothing that hkctl has called worthless works.
  const active = (await cli.ok('keys list --json')).json<{ prefix: string }[]>();
  const files = readdirSync(scene.folder).filter((file) => /\.key|hk_/.test(file));
  const remote = readdirSync(scene.folder).filter((file) => file === remoteName);
  const kept = [
    stdout,
    ...[...files, ...remote].map((file) => readFileSync(join(scene.folder, file), 'utf8')),
  ].join('\n');
  for (const { prefix } of active) expect(kept, shown).toContain(prefix);
  if (stderr.includes('opens nothing')) {
    for (const { prefix } of active) expect(stdout, shown).not.toContain(prefix);
  }
  if (isUnknown) return;
  // Certain: no second copy is left, and a file holds what works.
  expect(existsSync(`${scene.file}.new`), shown).toBe(false);
  for (const file of files.filter((file) => file !== 'gateway.key')) {
    const prefix = readFileSync(join(scene.folder, file), 'utf8').slice(0, 8);
    expect(active, shown).toContainEqual(expect.objectContaining({ prefix }));
  }
  if (name.startsWith('keys rotate --secret-file')) {
    expect(active, shown).toContainEqual(
      expect.objectContaining({ prefix: readFileSync(scene.file, 'utf8').slice(0, 8) }),
    );
  }
}

async function countDone(address: string, action: string): Promise<number> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<{ there: string | null }>(
      "select to_regclass('hkctl.audit') as there",
    );
    if (!rows[0]?.there) return 0;
    // What was undone or not completed says so itself.
    const sql = `select sum(case outcome when 'done' then 1 when 'failed' then -1 else 0 end)::int as n
      from hkctl.audit where action = $1`;
    return (await client.query<{ n: number }>(sql, [action])).rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}
