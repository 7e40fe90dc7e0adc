import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { auditDraft } from '../../../core/domain/actors.ts';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { unwritable } from '../../../core/files.ts';
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
      doc: 'the file to write, a folder for a new file with a name of its own, or - for standard output',
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
    ['hkctl backup plant.backup --force --json', 'replaces the one before'],
    ["hkctl backup - | ssh nas 'cat > plant.backup'", 'to standard output'],
  ],
  needs: (_flags, [file = '']) => ['store.backup', file === '-' ? file : resolve(file)],
  async run(context, { force, keep }, [file = ''], { domain, actor }) {
    const isStream = file === '-';
    if (isStream) requireStream(context, keep);
    const folder = resolve(file);
    const namesFolder = !isStream && (keep !== undefined || file.endsWith('/') || isFolder(folder));
    if (namesFolder) requireFolder(folder);
    const storeId = namesFolder ? await storeIdOf(domain.store) : undefined;
    const series =
      storeId === undefined ? undefined : await context.services.backupSeries(folder, storeId);
    // The machine's clock, right or wrong: the store's stands still while that one is behind, and names must differ.
    const target = isStream
      ? file
      : storeId === undefined
        ? folder
        : join(folder, backupName(context.io.clock(), storeId));
    const bar = createProgress(context, 'Backing up');
    const request = {
      nowMs: domain.clock(),
      force,
      number: series?.nextNumber ?? 0,
      progress: bar.at,
    };
    const engine = await context.services.engine(context.storePath);
    const written = await engine
      .backup(isStream ? toStandardOutput(context) : target, request)
      .finally(bar.end);
    const { createdAtMs, keys, auditRecords, bytes, digest } = written;
    const detail = { bytes, keys, digest, ...(keep !== undefined && { keep }) };
    try {
      await domain.store.audit.append(auditDraft(domain, actor, 'store.backup', target, detail));
    } catch (thrown) {
      throw isHkctlError(thrown) ? unnoted(target, thrown) : thrown;
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
      const report = isStream ? context.say : context.confirm;
      report(
        `Backup written and checked: ${isStream ? 'standard output' : target} (${bytes} bytes, ${keys} ${nounFor(keys, 'key')}, ${auditRecords} ${nounFor(auditRecords, 'audit record')})`,
        `Digest: ${digest}`,
        ...(removed.length > 0
          ? [`Removed, to keep ${keep}: ${removed.map((path) => basename(path)).join(', ')}`]
          : []),
      );
    }
  },
});

/** Refuses standard output for a backup where it cannot take one: `usage`. */
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

/** The file is whole: who finds it must not take it for what a failed backup left. */
function unnoted(target: string, thrown: HkctlError): HkctlError {
  return new HkctlError(
    thrown.code,
    `The backup ${target} is written and checked, but the audit trail could not note it: ${thrown.message}`,
    { hint: thrown.hint, cause: thrown },
  );
}

/** Parses how many backups to keep. Throws `usage`. */
export function parseKeep(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new HkctlError('usage', `"${text}" is not a number of backups: give one from 1 to 9999.`);
}

function requireFolder(folder: string): void {
  if (isFolder(folder)) return;
  throw new HkctlError('usage', `${folder} is not a folder that exists.`, {
    hint: 'Make it first. Backups in a folder get names of their own, by the time and the store.',
  });
}

/** Whether a path leads to a folder. Throws what {@link unwritable} says of one that cannot be seen. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (thrown) {
    throw unwritable(path, thrown) ?? thrown;
  }
}
