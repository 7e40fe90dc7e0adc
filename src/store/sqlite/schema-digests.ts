import type { DatabaseName } from './files.ts';

/**
 * What each database is made of after its first, second … migration, as a digest (`digestOf`), so that opening a store
 * compares it without reading the migrations' folder. A test holds them against the folder and shows what belongs here.
 */
export const schemaDigests: Readonly<Record<DatabaseName, readonly string[]>> = {
  registry: ['tNPukxJT__DZnmwzZuX6Y1U2xvrAa_zI_V1MdKPruLw'],
  records: ['I0p4oS68Qz6hxG3anDZlWucPrFBTdyl7dkNQivyezZ0'],
  readings: ['e8uBakuY1ngycs-qyrpwvmYPN2ppDrnfVOE3EFYZgl8'],
};
