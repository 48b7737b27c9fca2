#!/usr/bin/env node
/**
 * npm run check: runs all checks that need no database, in parallel. Prints one line for each check with its time, then
 * their notes and the full output of the failed ones. The last line is JSON with the figures of all checks. Exits with 1 if one failed.
 */
import { spawn } from 'node:child_process';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';

const CHECKS = {
  'format and lint': [
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--error-on-warnings',
    '--max-diagnostics=none',
  ],
  types: ['node_modules/typescript-native/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
  sizes: ['scripts/check-sizes.mjs'],
  documents: ['scripts/check-docs.mjs'],
  vocabulary: ['scripts/check-glossary.mjs'],
  environment: ['scripts/check-env.mjs'],
  // The last figure of the last line is the weight of the source in tokens.
  boundaries: ['scripts/check-boundaries.mjs'],
};

// The types of the database client are generated; without them the type check fails.
await prepare(['deps', 'client']);

const results = await Promise.all(Object.entries(CHECKS).map(runCheck));
for (const note of results.flatMap(({ output }) => output.match(/^note: .*$/gm) ?? [])) console.log(note);
const failed = results.filter(({ code }) => code !== 0);
for (const { name, output } of failed) console.log(`\n--- ${name}\n${output.trim()}`);
if (failed.length > 0) console.log(`\nfailed: ${failed.map(({ name }) => name).join(', ')}`);
console.log(JSON.stringify(Object.assign({}, ...results.map(({ output }) => figuresOf(output)))));
process.exit(failed.length > 0 ? 1 : 0);

/** Returns the figures of a check, which prints them as JSON on its last line if it has any. */
function figuresOf(output) {
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  return last.startsWith('{') ? JSON.parse(last) : {};
}

async function runCheck([name, args]) {
  const started = performance.now();
  const { code, output } = await run(args);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${seconds.padStart(5)} s`);
  return { name, code, output };
}

function run(args) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
