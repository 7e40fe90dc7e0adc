import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError, isHkctlError } from '../errors.ts';
import type { ResourceDefinition } from '../fields/fields.ts';
import type { ImportBatch } from '../fields/import-batch.ts';
import { requireEntity } from '../organization/entities.ts';
import type { ImportSummary } from '../port/records.ts';
import { redactSecrets } from '../secrets.ts';
import { cutText, printable } from '../text/shown-text.ts';
import { nounFor } from '../text/words.ts';

/** The formats of a file of records; each may be gzipped, which its first bytes show. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ReadOptions {
  /** By default from the name's extension, else from the first character of the content. */
  format?: ImportFormat;
  fileName?: string;
  /** Column of the file → field of the resource, or `-` to leave the column out. Other columns keep their own names. */
  map?: Readonly<Record<string, string>>;
}

/** Reads and validates rows in batches; throws {@link ImportError} at the end. The chunks of the source are its own. */
export type RowReader = (
  resource: ResourceDefinition,
  source: AsyncIterable<Uint8Array>,
  options: ReadOptions,
) => AsyncIterable<ImportBatch>;

export interface Violation {
  /** Line of the file, from 1; null for the whole file. */
  line: number | null;
  /** Column of the file, from 1; null if it has none. */
  column: number | null;
  /** The field, or the file's own name of an unknown column; null for the whole row. */
  field: string | null;
  /** The value as text, cut short and without anything shaped like a secret; null if there is none. */
  value: string | null;
  rule: string;
}

/** The number of violations that are reported one by one; the rest is only counted. */
const reportedViolationsLimit = 20;

/** The refusal of a file (`bad_input`, exit 2): nothing was imported. `details` lists the violations for programs. */
export class ImportError extends HkctlError {
  readonly violations: readonly Violation[];
  readonly violationCount: number;

  constructor(violations: readonly Violation[], violationCount: number) {
    const { message, more } = messageOf(violations, violationCount);
    super('bad_input', message, {
      more,
      hint: 'Nothing was imported. Correct the file and import it again; --dry-run only checks it.',
      details: { violations, violation_count: violationCount },
    });
    this.name = 'ImportError';
    this.violations = violations;
    this.violationCount = violationCount;
  }
}

/** Collects violations: keeps the first ones and counts all. */
export class ViolationList {
  readonly first: Violation[] = [];
  count = 0;

  add(violation: Violation): void {
    this.count++;
    if (this.first.length >= reportedViolationsLimit) return;
    // Names of columns come from the file, and rules quote them.
    const { field, value, rule } = violation;
    this.first.push({
      ...violation,
      field: field && safeText(field),
      // A long value would hide the rule after it.
      value: value && cutText(safeText(value), 80),
      rule: safeText(rule),
    });
  }

  /** Throws {@link ImportError} if there are any. */
  refuse(): void {
    if (this.count > 0) {
      throw new ImportError(this.first, this.count);
    }
  }
}

interface ImportInput {
  resource: ResourceDefinition;
  entity: string;
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>;
  replace: boolean;
  dryRun: boolean;
  /** Asks whether most records may be removed, and throws if not. Missing if there is no terminal to ask. */
  confirmRemoval?: (counts: RemovalCounts) => Promise<void>;
}

export interface RemovalCounts {
  removed: number;
  existing: number;
}

/** The counts of an import that removes more than half of the existing records (promise 3.8); else undefined. */
export function removalToConfirm({
  removed,
  updated,
  unchanged,
}: ImportSummary): RemovalCounts | undefined {
  const existing = removed + updated + unchanged;
  return removed > existing / 2 ? { removed, existing } : undefined;
}

/**
 * Inserts or updates the records of a file by `id`, all or nothing; readers see the old set until it ends. A row is the
 * whole record: missing fields become null, except for `keptLists`. Needs `records.import`; dry runs are audited, too. Throws
 * `confirmation_required` if it would remove most records and there is no terminal to ask.
 */
export async function importRecords(
  domain: Domain,
  actor: Actor,
  input: ImportInput,
): Promise<ImportSummary> {
  const { resource, replace, dryRun } = input;
  const target = `${input.entity}/${resource.name}`;
  await requirePermissions(domain, actor, 'records.import', target);
  const entity = await requireEntity(domain, actor, input.entity);
  const { latestMs, isSteady } = domain.steady();
  const summary = await domain.store.records.import({
    resource,
    entityId: entity.id,
    replace,
    dryRun,
    nowUs: latestMs * 1000,
    correctsDates: isSteady,
    rows: input.rows,
    confirm: async (summary) => {
      const counts = dryRun ? undefined : removalToConfirm(summary);
      if (counts) await (input.confirmRemoval ?? refuseRemoval)(counts);
    },
    audit: (summary) =>
      auditDraft(domain, actor, 'records.import', target, {
        ...summary,
        replace,
        ...(dryRun && { dry_run: true }),
      }),
  });
  if (resource.name === 'sensors' && !dryRun) await numberSensors(domain, entity.id);
  return summary;
}

/** Numbers the sensors of every entity, such as those that an older version has imported. */
export async function numberAllSensors({ store }: Pick<Domain, 'store'>): Promise<void> {
  for (const tenant of await store.tenants.list()) {
    for (const { id } of await store.entities.list(tenant.id)) await numberSensors({ store }, id);
  }
}

/** Gives new sensors their numbers while there is space: on a full disk, not even reads of the entity would work without. */
async function numberSensors({ store }: Pick<Domain, 'store'>, entityId: string): Promise<void> {
  try {
    await store.readings.directory(entityId);
  } catch (thrown) {
    // The import stands; the next read tries again.
    if (!isHkctlError(thrown)) throw thrown;
  }
}

async function refuseRemoval({ removed, existing }: RemovalCounts): Promise<void> {
  throw new HkctlError(
    'confirmation_required',
    `The import would remove ${removed} of ${existing} ${nounFor(existing, 'record')}.`,
  );
}

function safeText(text: string): string {
  return printable(redactSecrets(text));
}

function messageOf(
  violations: readonly Violation[],
  count: number,
): { message: string; more: readonly string[] } {
  const sentences = violations.map((violation) => `  ${sentenceOf(violation)}`);
  const unreported = count - violations.length;
  if (unreported > 0) sentences.push(`  … and ${unreported} more`);

  const message =
    count === 1 ? 'One value is not as declared:' : `${count} values are not as declared:`;
  return { message, more: sentences };
}

function sentenceOf({ line, column, field, value, rule }: Violation): string {
  const location = [
    line === null ? undefined : `line ${line}`,
    column === null ? undefined : `column ${column}`,
    field ?? undefined,
  ];
  const locationText = location.filter(Boolean).join(', ');
  const quotedValue = value === null ? undefined : `"${value}"`;
  return [locationText, quotedValue, rule].filter(Boolean).join(': ');
}
