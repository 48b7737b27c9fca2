#!/usr/bin/env node
/**
 * Runs the Prisma CLI with the same arguments, on the schema engine from npm (scripts/schema-engine.mjs) instead of the
 * native one, which the CLI would download at its first start. PRISMA_SCHEMA_ENGINE_BINARY selects another engine.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const env = {
  PRISMA_SCHEMA_ENGINE_BINARY: fileURLToPath(new URL('./schema-engine.mjs', import.meta.url)),
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
  CHECKPOINT_DISABLE: '1',
  ...process.env,
};
const { status } = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], { stdio: 'inherit', env });
process.exit(status ?? 1);
