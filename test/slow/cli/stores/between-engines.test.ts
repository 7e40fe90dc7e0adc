import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Cli } from '../../../cli/harness.ts';
import { newDatabase } from '../../../store/postgres/databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-between-'));
afterAll(() => rmSync(folder, { recursive: true }));

const onPostgres = async () => new Cli(await newDatabase());
const onSqlite = async () => new Cli();
const damage = (cli: Cli) => {
  for (const rest of ['-wal', '-shm']) rmSync(cli.store + rest, { force: true });
  writeFileSync(cli.store, 'x'.repeat(8192));
};

it.each([
  ['SQLite to PostgreSQL and back', onSqlite, onPostgres, () => {}],
  ['PostgreSQL to SQLite and back', onPostgres, onSqlite, () => {}],
  ['SQLite to PostgreSQL and back, where it is damaged afterwards', onSqlite, onPostgres, damage],
])('what was stopped on the way from %s stays stopped', async (_, first, second, lose) => {
  const [here, there] = [await first(), await second()];
  const [before, after] = ['before', 'after'].map((name) =>
    join(folder, `${name}-${Math.random()}`),
  ) as [string, string];
  await here.ok(
    'init --org Acme --week-start monday --entity BER --entity-name Berlin --timezone Europe/Berlin --admin root',
  );
  for (const code of ['OFF', 'GONE'])
    await here.ok(`entities add ${code} --name ${code} --timezone UTC`);
  for (const login of ['eve', 'bob'])
    await here.ok(`users add ${login} --name ${login} --role super_user`);
  const create = async (name: string, entity: string, login = 'root') => {
    const flags = `--name ${name} --entity ${entity} --permission parts.view --as ${login} --json`;
    return (await here.ok(`keys create ${flags}`)).json<{
      key: { id: string; prefix: string };
      secret: string;
    }>();
  };
  const keys = {
    revoked: await create('revoked', 'BER'),
    off: await create('off', 'OFF'),
    gone: await create('gone', 'GONE'),
    eve: await create('eve', 'BER', 'eve'),
  };
  const good = await create('good', 'BER');
  // From here on the first place has a journal of its own.
  await here.ok(['keys', 'revoke', (await create('own', 'BER')).key.id, '--yes']);

  await here.ok(['backup', before]);
  await there.ok(['restore', before, '--yes']);
  await there.ok(['keys', 'revoke', keys.revoked.key.id, '--yes']);
  await there.ok('entities deactivate OFF --yes');
  await there.ok('entities remove GONE --yes');
  await there.ok('users deactivate eve --yes');
  await there.ok('users set-role bob operator');
  await there.ok(['backup', after]);
  await here.ok(['restore', after, '--yes']);
  lose(here);
  expect((await here.ok(['restore', before, '--yes', '--json'])).json()).toMatchObject({
    kept_revoked: [keys.revoked.key.prefix],
    kept_deactivated_users: ['eve'],
    kept_demoted_users: [{ login: 'bob', role: 'operator' }],
    kept_deactivated_entities: ['OFF'],
    kept_removed_entities: ['GONE'],
  });
  for (const [name, { secret }] of Object.entries(keys)) {
    expect([name, (await here.run('keys verify', { input: secret })).code]).toEqual([name, 5]);
  }
  await here.ok('keys verify', { input: good.secret });
});
