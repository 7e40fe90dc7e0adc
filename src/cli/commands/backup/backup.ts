import { basename, resolve } from 'node:path';
import { damageText } from '../../../core/audit/damage.ts';
import { auditDraft } from '../../../core/domain/actors.ts';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand } from '../../command/command.ts';
import { parsed, toggle } from '../../command/flags.ts';
import { createProgress } from '../../terminal/progress.ts';
import { isFolder, nextInSeries, parseKeep } from './keep.ts';

export default defineCommand({
  description:
    'For a Super user of the first organization. A consistent snapshot (mode 0600), also while the daemon serves; every page, reference and audit record of it is checked before it gets its name. It holds no secret.',
  arguments: [{ spelling: '<FILE>', doc: 'the file to write, or a folder for a new file with a name of its own' }],
  flags: {
    force: toggle('--force', 'replace a file that is there, once the new one is whole'),
    keep: parsed('--keep <N>', 'write a new file into the folder, then remove its oldest backups beyond N', parseKeep),
  },
  examples: [
    ['hkctl backup --keep 14 /var/backups/hkctl', 'every night, from cron or a timer'],
    ['hkctl backup /var/backups/hkctl', 'a new file in a folder'],
    ['hkctl backup plant.backup --force --json', 'replaces the one before'],
  ],
  needs: (_flags, [file = '']) => ['store.backup', resolve(file)],
  async run(context, { force, keep }, [file = ''], { domain, actor }) {
    const folder = resolve(file);
    const namesFolder = keep !== undefined || file.endsWith('/') || isFolder(folder);
    const series = namesFolder ? await nextInSeries(folder, domain, context) : undefined;
    const target = series?.target ?? folder;
    const bar = createProgress(context, 'Backing up');
    const request = { nowMs: domain.clock(), force, number: series?.number ?? 0, progress: bar.at };
    const engine = await context.services.engine(context.storePath);
    const facts = await engine.backup(target, request).finally(bar.end);
    const { createdAtMs, keys, auditRecords, damagedAuditRecords, bytes } = facts;
    const detail = { bytes, keys, ...(keep !== undefined && { keep }) };
    try {
      await domain.store.audit.append(auditDraft(domain, actor, 'store.backup', target, detail));
    } catch (thrown) {
      throw isHkctlError(thrown) ? unnoted(target, thrown) : thrown;
    }
    const removed =
      series && keep !== undefined
        ? await context.services.removeOldBackups({ folder, storeId: series.storeId, newest: target, keep })
        : [];
    const createdAt = formatInstantMs(createdAtMs);
    if (context.json) {
      context.printJson({
        file: target,
        created_at: createdAt,
        keys,
        audit_records: auditRecords,
        ...(damagedAuditRecords.length > 0 && { damaged_audit_records: damagedAuditRecords }),
        bytes,
        ...(keep !== undefined && { removed }),
      });
    } else {
      context.confirm(
        `Backup written and checked: ${target} (${bytes} bytes, ${keys} keys, ${auditRecords} audit records)`,
        ...(removed.length > 0
          ? [`Removed, to keep ${keep}: ${removed.map((path) => basename(path)).join(', ')}`]
          : []),
      );
    }
    if (damagedAuditRecords.length > 0) context.warn(`warning: ${damageText(damagedAuditRecords)}`);
  },
});

/** The file is whole: who finds it must not take it for what a failed backup left. */
function unnoted(target: string, thrown: HkctlError): HkctlError {
  return new HkctlError(
    thrown.code,
    `The backup ${target} is written and checked, but the audit trail could not note it: ${thrown.message}`,
    { hint: thrown.hint, cause: thrown },
  );
}
