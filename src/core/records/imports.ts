import { type Actor, auditDraft, type Domain, requirePermissions } from '../access/actors.ts';
import { HkctlError } from '../errors.ts';
import { redactSecrets } from '../keys/secrets.ts';
import { requireEntity } from '../organization/entities.ts';
import type { ImportSummary } from '../port/records.ts';
import { printable } from '../text/shown-text.ts';
import type { ResourceDefinition } from './fields.ts';
import type { ImportBatch } from './import-batch.ts';

/** What a file of records may hold; each also gzipped, which is seen from its first bytes. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** How a file is to be read. */
export interface ReadOptions {
  /** Without it: by the name's extension, else by the first character of the content. */
  format?: ImportFormat;
  /** Only its extensions count. */
  fileName?: string;
  /** Column of the file → field of the resource, or `-` to leave the column out. Others go by their own names. */
  map?: Readonly<Record<string, string>>;
}

/**
 * Reads judged rows from bytes in batches; throws {@link ImportError} at the end where any value was refused. The pieces of
 * the source are the reader's from then on: it may hand their memory to another thread.
 */
export type RowReader = (
  resource: ResourceDefinition,
  source: AsyncIterable<Uint8Array>,
  options: ReadOptions,
) => AsyncIterable<ImportBatch>;

/** A value that is not as declared: where it stands, what it is, and the rule it breaks. */
export interface Violation {
  /** Line of the file, from 1; null where the whole file is meant. */
  line: number | null;
  /** Position of the value among the columns of the file, from 1; null where it has none. */
  column: number | null;
  /** The field, or the column as the file names it where no field is known; null where the whole row is meant. */
  field: string | null;
  /** The value as text, cut to what helps and without anything shaped like a secret; null where there is none. */
  value: string | null;
  rule: string;
}

/** How many violations are told one by one; the rest is only counted. */
export const reportedViolations = 20;

/** The refusal of a file (`bad_input`, exit 2): nothing was imported. `details` holds the violations for programs. */
export class ImportError extends HkctlError {
  readonly violations: readonly Violation[];
  readonly violationCount: number;

  constructor(violations: readonly Violation[], violationCount: number = violations.length) {
    const told = violations.slice(0, reportedViolations);
    const { message, more } = messageOf(told, violationCount);
    super('bad_input', message, {
      more,
      hint: 'Nothing was imported. Correct the file and import it again; --dry-run only checks it.',
      details: { violations: told, violation_count: violationCount },
    });
    this.name = 'ImportError';
    this.violations = told;
    this.violationCount = violationCount;
  }
}

/** Gathers violations: keeps the first of them and counts them all. */
export class ViolationList {
  readonly first: Violation[] = [];
  count = 0;

  add(violation: Violation): void {
    this.count++;
    if (this.first.length >= reportedViolations) return;
    // Columns are called as the file does, and rules quote them.
    const { field, value, rule } = violation;
    this.first.push({
      ...violation,
      field: field && cleaned(field),
      value: value && shownValue(value),
      rule: cleaned(rule),
    });
  }

  /** Throws {@link ImportError} where anything was gathered. */
  refuse(): void {
    if (this.count > 0) throw new ImportError(this.first, this.count);
  }
}

export interface ImportInput {
  resource: ResourceDefinition;
  /** Code of the entity the records belong to. */
  entity: string;
  /** Validated rows, as a {@link RowReader} gives them. */
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>;
  /** Also remove the records that the file lacks. */
  replace: boolean;
  /** Tell what would change, change nothing. */
  dryRun: boolean;
}

/**
 * Inserts or updates the records of a file by `id`, all or nothing; readers see the old set until it ends. A row is the
 * whole record: a field that it lacks becomes null. Needs `records.import`; audited, a dry run too.
 */
export async function importRecords(domain: Domain, actor: Actor, input: ImportInput): Promise<ImportSummary> {
  const { resource, replace, dryRun } = input;
  const target = `${input.entity}/${resource.name}`;
  await requirePermissions(domain, actor, ['records.import'], { action: 'records.import', target });
  const entity = await requireEntity(domain, actor, input.entity);
  return domain.store.records.import({
    resource,
    entityId: entity.id,
    replace,
    dryRun,
    nowUs: domain.clock() * 1000,
    rows: input.rows,
    audit: (summary) =>
      auditDraft(domain, actor, 'records.import', target, { ...summary, replace, ...(dryRun && { dry_run: true }) }),
  });
}

const shownLength = 80;

function cleaned(text: string): string {
  return printable(redactSecrets(text));
}

/** A long value hides the rule behind it. */
function shownValue(value: string): string {
  const safe = cleaned(value);
  return safe.length > shownLength ? `${safe.slice(0, shownLength)}…` : safe;
}

function messageOf(violations: readonly Violation[], count: number): { message: string; more: readonly string[] } {
  const lines = violations.map((violation) => `  ${sentenceOf(violation)}`);
  const more = count > violations.length ? [`  … and ${count - violations.length} more`] : [];
  const message = count === 1 ? 'One value is not as declared:' : `${count} values are not as declared:`;
  return { message, more: [...lines, ...more] };
}

function sentenceOf({ line, column, field, value, rule }: Violation): string {
  const place = [
    line === null ? undefined : `line ${line}`,
    column === null ? undefined : `column ${column}`,
    field ?? undefined,
  ];
  const given = value === null ? undefined : `"${value}"`;
  return [place.filter(Boolean).join(', '), given, rule].filter(Boolean).join(': ');
}
