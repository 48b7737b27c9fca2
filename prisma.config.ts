import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Without a server the URL is only a placeholder: scripts/schema-engine.mjs then works on the embedded database.
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://embedded@localhost/embedded' },
});
