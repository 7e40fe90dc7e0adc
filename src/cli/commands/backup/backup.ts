import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { auditDraft } from '../../../core/domain/actors.ts';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { unwritable } from '../../../core/files/path-faults.ts';
import { type BackupTarget, backupName, storeIdOf } from '../../../core/operations/backups.ts';
import { nounFor } from '../../../core/text/words.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { parsed, toggle } from '../../command/flags.ts';
import { createProgress } from '../../terminal/progress.ts';

export default defineCommand({
  description:
    'For a Super user of the first organization. A consistent snapshot (mode 0600), also while the daemon serves; every page, reference and audit record of it is checked before it gets its name. It holds no secret.',
  arguments: [
    {
      spelling: '<FILE>',
      isFile: true,
      doc: 'the file to write (.gz: compressed), a folder for a new file with a name of its own, or - for standard output',
    },
  ],
  fields: ['file', 'created_at', 'keys', 'audit_records', 'digest', 'bytes', 'removed'],
  flags: {
    force: toggle('--force', 'replace a file that is there, once the new one is whole'),
    keep: parsed(
      '--keep <N>',
      'write a new file into the folder, then remove its oldest backups beyond N',
      parseKeep,
    ),
  },
  examples: [
    ['hkctl backup --keep 14 /var/backups/hkctl', 'every night, from cron or a timer'],
    ['hkctl backup /var/backups/hkctl', 'a new file in a folder'],
    ['hkctl backup plant.backup.gz --force --json', 'replaces the one before'],
    ["hkctl backup - | ssh nas 'cat > plant.backup'", 'to standard output'],
  ],
  needs: (_flags, [file = '']) => ['store.backup', file === '-' ? file : resolve(file)],
  async run(context, { force, keep }, [typedTarget = ''], { domain, actor }) {
    const isStream = typedTarget === '-';
    if (isStream) requireStream(context, keep);
    const path = resolve(typedTarget);
    const mustBeFolder = keep !== undefined || typedTarget.endsWith('/');
    const namesFolder = !isStream && (mustBeFolder || isFolder(path));
    if (namesFolder) requireFolder(path);

    const storeId = namesFolder ? await storeIdOf(domain.store) : undefined;
    const series =
      storeId === undefined ? undefined : await context.services.backupSeries(path, storeId);
    let target = isStream ? typedTarget : path;
    if (storeId !== undefined) {
      // The machine's clock, right or wrong: the store's stands still while the machine's is behind, and names must differ.
      target = join(path, backupName(context.io.clock(), storeId));
    }

    const progressBar = createProgress(context, 'Backing up');
    const request = {
      nowMs: domain.clock(),
      force,
      number: series?.nextNumber ?? 0,
      progress: progressBar.at,
    };
    const engine = await context.services.engine(context.storePath);
    const backupTarget = isStream ? toStandardOutput(context) : target;
    const writtenBackup = await engine.backup(backupTarget, request).finally(progressBar.end);

    const { createdAtMs, keys, auditRecords, bytes, digest } = writtenBackup;
    const detail = { bytes, keys, digest, ...(keep !== undefined && { keep }) };
    try {
      await domain.store.audit.append(auditDraft(domain, actor, 'store.backup', target, detail));
    } catch (thrown) {
      throw isHkctlError(thrown) ? auditFailure(target, thrown) : thrown;
    }

    const removed = series && keep !== undefined ? series.removeOld(target, keep) : [];
    const createdAt = formatInstantMs(createdAtMs);
    if (context.json) {
      context.printJson({
        file: target,
        created_at: createdAt,
        keys,
        audit_records: auditRecords,
        digest,
        bytes,
        ...(keep !== undefined && { removed }),
      });
    } else {
      const targetText = isStream ? 'standard output' : target;
      const keysText = `${keys} ${nounFor(keys, 'key')}`;
      const recordsText = `${auditRecords} ${nounFor(auditRecords, 'audit record')}`;
      const sentences = [
        `Backup written and checked: ${targetText} (${bytes} bytes, ${keysText}, ${recordsText})`,
        `Digest: ${digest}`,
      ];
      if (removed.length > 0) {
        const removedNames = removed.map((removedPath) => basename(removedPath));
        sentences.push(`Removed, to keep ${keep}: ${removedNames.join(', ')}`);
      }
      const sayResult = isStream ? context.say : context.confirm;
      sayResult(...sentences);
    }
  },
});

/** Refuses standard output that cannot take a backup: `usage`. */
function requireStream({ io, json }: Context, keep: number | undefined): void {
  if (keep !== undefined)
    throw new HkctlError('usage', '--keep needs a folder, and - is standard output.');
  if (json) {
    throw new HkctlError('usage', '--json and the backup cannot both be on standard output.', {
      hint: 'Leave out --json. The last line of the backup is its digest: tail -c 72 FILE',
    });
  }
  if (io.stdout.isTTY) {
    throw new HkctlError('usage', 'A backup is no text: standard output is a terminal.', {
      hint: 'Send it to a file or a program: hkctl backup - > FILE',
    });
  }
}

function toStandardOutput({ io }: Context): BackupTarget {
  return { write: (bytes) => io.stdout.writeBytes(bytes) };
}

/** The error of an audit trail that failed after the backup: nobody must take the whole file for the rest of a failed backup. */
function auditFailure(target: string, thrown: HkctlError): HkctlError {
  return new HkctlError(
    thrown.code,
    `The backup ${target} is written and checked, but the audit trail could not note it: ${thrown.message}`,
    { hint: thrown.hint, cause: thrown },
  );
}

/** Parses how many backups to keep. Throws `usage`. */
export function parseKeep(typedCount: string): number {
  if (/^[1-9]\d{0,3}$/.test(typedCount)) return Number(typedCount);
  throw new HkctlError(
    'usage',
    `"${typedCount}" is not a number of backups: give one from 1 to 9999.`,
  );
}

function requireFolder(folder: string): void {
  if (isFolder(folder)) return;
  throw new HkctlError('usage', `${folder} is not a folder that exists.`, {
    hint: 'Make it first. Backups in a folder get names of their own, by the time and the store.',
  });
}

/** Whether a path leads to a folder. For a path that cannot be seen, throws the error of {@link unwritable}. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (thrown) {
    throw unwritable(path, thrown) ?? thrown;
  }
}
