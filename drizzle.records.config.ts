import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './migrations/schema/records.ts',
  out: './migrations/records',
});
