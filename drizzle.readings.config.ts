import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './migrations/schema/readings.ts',
  out: './migrations/readings',
});
