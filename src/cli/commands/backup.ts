import { resolve } from 'node:path';
import { auditDraft } from '../../core/access/actors.ts';
import { damageText } from '../../core/audit/damage.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import { defineCommand } from '../command.ts';
import { toggle } from '../flags.ts';

/** `hkctl backup` */
export const backup = defineCommand({
  name: 'backup',
  summary: 'Write all of the store into one file',
  description:
    'For a Super user. A consistent snapshot (mode 0600), also while the daemon serves; every page, reference and audit record of it is checked before it gets its name. It holds no secret.',
  arguments: [{ spelling: '<FILE>', doc: 'the file to write' }],
  flags: { force: toggle('--force', 'replace a file that is there, once the new one is whole') },
  examples: [
    ['hkctl backup /var/backups/hkctl-$(date +%F).backup', 'every night, from cron or a timer'],
    ['hkctl backup plant.backup --force --json', 'replaces the one before'],
  ],
  needs: (_flags, [file = '']) => ({ permissions: ['store.manage'], action: 'store.backup', target: resolve(file) }),
  async run(context, { force }, [file = '']) {
    const { domain, actor } = await context.session();
    const target = resolve(file);
    const facts = await context.services.backupStore(context.storePath, target, domain.clock(), force);
    const { createdAtMs, keys, auditRecords, damagedAuditRecords, bytes } = facts;
    await domain.store.audit.append(auditDraft(domain, actor, 'store.backup', target, { bytes, keys }));
    const createdAt = formatInstantMs(createdAtMs);
    if (context.json) {
      context.printJson({
        file: target,
        created_at: createdAt,
        keys,
        audit_records: auditRecords,
        ...(damagedAuditRecords.length > 0 && { damaged_audit_records: damagedAuditRecords }),
        bytes,
      });
    } else {
      context.confirm(
        `Backup written and checked: ${target} (${bytes} bytes, ${keys} keys, ${auditRecords} audit records)`,
      );
    }
    if (damagedAuditRecords.length > 0) context.warn(`warning: ${damageText(damagedAuditRecords)}`);
  },
});
