#!/usr/bin/env node
/**
 * node scripts/setup.mjs [deps] [client] [build]   (all three without an argument)
 *
 * Brings the checkout to the state that a command needs, and does nothing where it is there already:
 *   deps    node_modules as package-lock.json says
 *   client  the database client generated from prisma/schema.prisma
 *   build   src/ compiled to dist/
 * Only what Node brings along, since nothing is installed yet.
 */
import { spawnSync } from 'node:child_process';

// Everything else is imported after this check: an old Node would stop at its syntax with an unreadable message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Guildbook needs Node.js 20.19 or newer; this is ${process.versions.node}. See nodejs.org for a newer one.`,
  );
  process.exit(1);
}
if (spawnSync('git', ['--version']).status !== 0) {
  console.error('Guildbook needs git, which publishes the skills; it was not found. Install it and run this again.');
  process.exit(1);
}

const { prepare } = await import('./setup/prepare.mjs');
await prepare(process.argv.slice(2));
