import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { findActor } from '../../../../src/core/domain/actors.ts';
import { openStore } from '../../../../src/store/sqlite/opening.ts';
import { Cli } from '../../../cli/harness.ts';
import { createKey } from '../../../core/key-operations.ts';
import { steadyBy } from '../../../core/steady.ts';
import { root } from '../../../e2e/program.ts';

/** A store with the sites BER and CHI, a profile of each role, and alice as Super user. */
export async function seededStore(nowMs = Date.now()): Promise<Cli> {
  const cli = new Cli();
  cli.nowMs = nowMs;
  const site = ['--entity', 'BER', '--entity-name', 'Berlin plant', '--timezone', 'Europe/Berlin'];
  await cli.ok(['init', '--org', 'Acme', ...site, '--admin', 'alice'], { osAccount: 'alice' });
  const asAlice = { osAccount: 'alice' };
  await cli.ok('entities add CHI --name Chicago --timezone America/Chicago', asAlice);
  for (const role of ['entity_admin', 'manager'])
    await cli.ok(['users', 'add', role, '--name', role, '--role', role], asAlice);
  return cli;
}

/** Creates keys for BER with these names, each a second after the one before. */
export async function addKeys(cli: Cli, names: readonly string[]): Promise<void> {
  const options = {
    clock: () => Date.now(),
    migrationsFolder: join(root, 'migrations'),
  };
  const store = openStore(cli.store, options);
  let nowMs = Date.now() - names.length * 1000;
  const domain = { store, ...steadyBy(() => nowMs), random: randomBytes, newId: randomUUID };
  const actor = await findActor(domain, 'alice', 'alice');
  const entity = await store.entities.find(actor.user.tenantId, 'BER');
  if (!entity) throw new Error('no entity');
  const nobody = { deliver() {}, complete() {}, withdraw() {} };
  for (const name of names) {
    nowMs += 1000;
    await createKey(
      domain,
      actor,
      { name, entity, permissions: ['asset_sensors.ingest'], expiresAtMs: null },
      nobody,
    );
  }
  await store.close();
}
