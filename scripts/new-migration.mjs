#!/usr/bin/env node
/**
 * npm run db:migration -- NAME: writes the difference between prisma/schema.prisma and prisma/migrations as a new
 * migration. Needs no server. Unlike `prisma migrate dev` it asks nothing and applies nothing: the program applies
 * migrations when it starts. Without a difference the file is empty, for hand-written SQL (triggers, functions, CHECKs).
 *
 * Until the first release the three migrations (schema, gate, roles) are edited, so that one file contains the current
 * gate. The new file then shows which SQL to move there.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name) || name.length > 60) {
  console.error('Usage: npm run db:migration -- NAME   (lower case, words joined by _, such as add_lesson_index)');
  process.exit(1);
}

const prisma = fileURLToPath(new URL('./prisma.mjs', import.meta.url));
const diff = ['migrate', 'diff', '--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma'];
const { status, stdout } = spawnSync(process.execPath, [prisma, ...diff, '--script'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(status ?? 1);

const sql = stdout.includes('-- This is an empty migration.') ? '' : stdout.trim();
const file = join('prisma', 'migrations', `${nextStamp()}_${name}`, 'migration.sql');
mkdirSync(join(file, '..'), { recursive: true });
writeFileSync(file, sql === '' ? '-- No difference to the schema: write the SQL here.\n' : `${sql}\n`);
console.log(`${file}: ${sql === '' ? 'empty, for hand-written SQL' : `${sql.split('\n').length} lines`}.`);
console.log('Until the first release, move its SQL into the schema, gate or roles migration and delete its folder.');
console.log('Delete databases that applied these three before the edit (.data/database).');
console.log('Then run "npm run db:check". Migrations are applied when the program starts.');

/** Migrations are applied in order of their names. The new one comes last even if this machine's clock is wrong. */
function nextStamp() {
  const last = readdirSync('prisma/migrations').reduce(
    (latest, entry) => Math.max(latest, Number.parseInt(entry, 10) || 0),
    0,
  );
  const now = Number(new Date().toISOString().replace(/\D/g, '').slice(0, 14));
  return Math.max(now, last + 1);
}
