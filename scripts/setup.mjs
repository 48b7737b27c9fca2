#!/usr/bin/env node
/**
 * node scripts/setup.mjs [deps] [client] [build]   (all three without an argument)
 *
 * Prepares the checkout for a command. A step that is up to date does nothing:
 *   deps    installs node_modules from npm-shrinkwrap.json
 *   client  generates the database client from prisma/schema.prisma
 *   build   compiles src/ to dist/
 * Uses Node's own modules only, because nothing is installed yet.
 */
import { spawnSync } from 'node:child_process';

// Import everything else after this check: an old Node would fail on its syntax with an unreadable message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Guildbook needs Node.js 20.19 or newer; this is ${process.versions.node}. Download a newer version from nodejs.org.`,
  );
  process.exit(1);
}
if (spawnSync('git', ['--version']).status !== 0) {
  console.error('Guildbook needs git to publish skills, and git was not found. Install git and run this again.');
  process.exit(1);
}

const { prepare } = await import('./setup/prepare.mjs');
await prepare(process.argv.slice(2));
