import { defineConfig } from 'drizzle-kit';

/** Where the tables of each database are declared, and how they differ. */
const databases = {
  registry: { dialect: 'sqlite', schema: './src/store/tables/sqlite/registry.ts' },
  records: { dialect: 'sqlite', schema: './migrations/schema/records.ts' },
  readings: { dialect: 'sqlite', schema: './src/store/tables/sqlite/readings.ts' },
  postgres: { dialect: 'postgresql', schema: './migrations/schema/postgres.ts' },
} as const;

function isDatabase(name: string): name is keyof typeof databases {
  return Object.hasOwn(databases, name);
}

/** drizzle-kit generates the migrations of one database at a time: `DATABASE=registry`. */
const name = process.env.DATABASE ?? '';
if (!isDatabase(name))
  throw new Error(`DATABASE is "${name}"; it must be ${Object.keys(databases).join(', ')}.`);

export default defineConfig({
  ...databases[name],
  out: process.env.MIGRATIONS ?? `./migrations/${name}`,
});
