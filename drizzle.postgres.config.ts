import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './migrations/schema/postgres.ts',
  out: './migrations/postgres',
});
