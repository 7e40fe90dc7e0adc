import { type Field, filterableFields, type ResourceDefinition } from '../../src/core/fields/fields.ts';

/** The fields with an index: one for every order of a page but that of `id`. */
export function indexedFields(resource: ResourceDefinition): string[] {
  return [...filterableFields(resource), 'updated_at'];
}

export function isNeverNull({ required, kind }: Field): boolean {
  return required === true || kind === 'list';
}

/** The column of a field in a table under construction, whose names are known only at run time. */
export function columnNamed<T extends object>(table: T, name: string): T[keyof T] {
  const found = table[name as keyof T]; // undefined for another name
  if (!found) throw new Error(`there is no column ${name}`);
  return found;
}
