import { HkctlError } from '../../../core/errors.ts';
import { cutText } from '../../../core/text/bounded-text.ts';
import type { Connection } from '../driver.ts';
import { translating } from '../errors.ts';
import { type DatabaseName, keptSchema, migratedSchema } from './migrated-schema.ts';
import { lineOf, type SchemaObject, schemaObjectsIn, textOf } from './schema-objects.ts';

interface ClaimedSchema {
  name: DatabaseName;
  /** The number of migrations that the database states. */
  version: number;
  migrationsFolder: string;
  /** The name under which the database is attached; without it, it is the main one of its connection. */
  attachedAs?: string;
}

/**
 * Throws `store_corrupt` (exit 6) if the schema of a database is not exactly that of its migrations: a foreign trigger or
 * view would run within hkctl's own statements. The message names the differences.
 */
export function requireOwnSchema(connection: Connection, path: string, schema: ClaimedSchema): void {
  const wrong = translating(path, () => foreignObjects(connection, schema));
  if (wrong.length === 0) return;
  throw new HkctlError(
    'store_corrupt',
    `The schema of the store ${path} was changed from outside: ${shownDifferences(wrong)}.`,
    {
      hint: 'None of it was executed. Keep the files for an investigation, and go back to your last backup: hkctl restore FILE',
    },
  );
}

export function foreignObjects(
  connection: Connection,
  { name, version, migrationsFolder, attachedAs }: ClaimedSchema,
): string[] {
  const objects = schemaObjectsIn(connection, attachedAs);
  // Comparing texts saves milliseconds: the migrations need not be applied, nor node:crypto loaded for a hash.
  if (textOf(objects) === keptSchema(name, version, migrationsFolder)) return [];
  return differences(objects, migratedSchema(name, version, migrationsFolder).objects);
}

/** The differences of two schemas as texts: foreign, redefined and missing objects. */
export function differences(found: readonly SchemaObject[], expected: readonly SchemaObject[]): string[] {
  const own = new Map(expected.map((object) => [keyOf(object), lineOf(object)]));
  const seen = new Set<string>();
  const wrong: string[] = [];
  for (const object of found) {
    const key = keyOf(object);
    const line = own.get(key);
    if (line === undefined || seen.has(key)) wrong.push(`${titleOf(object)} is none of hkctl's`);
    else if (line !== lineOf(object)) wrong.push(`${titleOf(object)} has another definition`);
    seen.add(key);
  }
  for (const object of expected) if (!seen.has(keyOf(object))) wrong.push(`${titleOf(object)} is missing`);
  return wrong;
}

/** A list of differences for one sentence: the first few, and the number of the rest. */
export function shownDifferences(wrong: readonly string[]): string {
  const rest = wrong.length - shownAtMost;
  return [...wrong.slice(0, shownAtMost), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

const shownAtMost = 5;

function keyOf({ type, name }: SchemaObject): string {
  return JSON.stringify([type, name]);
}

const longestName = 60;

function titleOf({ type, name, sql }: SchemaObject): string {
  const quoted = `"${cutText(String(name), longestName)}"`;
  if (typeof sql === 'string' && /^\s*create\s+virtual\b/i.test(sql)) return `the virtual table ${quoted}`;
  const kind = kinds.has(String(type)) ? String(type) : 'entry';
  return `the ${kind} ${quoted}`;
}

const kinds: ReadonlySet<string> = new Set(['table', 'index', 'trigger', 'view']);
