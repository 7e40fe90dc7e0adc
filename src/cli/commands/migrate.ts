import { auditDraft, requirePermissions } from '../../core/domain/actors.ts';
import { afterChange } from '../../core/errors.ts';
import type { Store } from '../../core/port/store.ts';
import { numberAllSensors } from '../../core/records/imports.ts';
import { counted } from '../../core/text/words.ts';
import { defineCommand } from '../command/command.ts';
import { toggle } from '../command/flags.ts';

export default defineCommand({
  summary: 'Bring the store up to this version of hkctl',
  description:
    'For a Super user of the first organization. Writes a backup next to the store, then applies all missing steps or none. A store that is up to date stays as it is.',
  fields: ['applied', 'backup'],
  flags: {
    withoutBackup: toggle('--without-backup', 'write no backup first, such as on a full disk'),
  },
  examples: [
    ['hkctl migrate', 'after an update of hkctl'],
    ['hkctl migrate --json', 'reports the number of steps, and the backup'],
  ],
  async run(context, { withoutBackup }) {
    const authorize = async (store: Store) => {
      const domain = context.domainOf(store);
      const actor = await context.actorIn(domain);
      await requirePermissions(domain, actor, 'store.migrate', 'store');
    };
    const engine = await context.services.engine(context.storePath);
    const { applied, backup } = await engine.migrate(authorize, { withoutBackup });
    const result = { applied, ...(backup !== undefined && { backup }) };

    if (applied > 0) {
      const domain = await context.domain();
      const actor = await context.actorIn(domain);
      try {
        const auditEntry = auditDraft(domain, actor, 'store.migrate', 'store', result);
        await domain.store.audit.append(auditEntry);
      } catch (thrown) {
        throw afterChange(thrown, 'The store was migrated, but the audit trail could not note it.');
      }
      await numberAllSensors(domain);
    }

    if (context.json) context.printJson(result);
    else if (applied === 0) context.confirm('The store is up to date.');
    else {
      if (backup !== undefined) context.confirm(`Backup written and checked: ${backup}`);
      context.confirm(`Migrated: ${counted(applied, 'step')} applied.`);
    }
  },
});
