import { requirePermissions } from '../../core/access/actors.ts';
import { defineCommand } from '../command.ts';

/** `hkctl migrate` */
export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Bring the store up to this version of hkctl',
  description: 'For a Super user. A store that is up to date is left as it is.',
  flags: {},
  examples: [
    ['hkctl migrate', 'after an update of hkctl'],
    ['hkctl migrate --json', 'reports how many steps were applied'],
  ],
  async run(context) {
    const { applied } = await context.services.migrateStore(context.storePath, async (store) => {
      const domain = context.domainOf(store);
      const actor = await context.actorIn(domain);
      await requirePermissions(domain, actor, ['store.manage'], { action: 'store.migrate', target: 'store' });
    });
    if (context.json) context.printJson({ applied });
    else context.confirm(applied === 0 ? 'The store is up to date.' : `Migrated: ${applied} steps applied.`);
  },
});
