import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './migrations/schema/registry.ts',
  out: './migrations/registry',
});
