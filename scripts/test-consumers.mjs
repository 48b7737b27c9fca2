#!/usr/bin/env node
/**
 * npm run test:consumers -- [--cache DIR] [--server URL] [--only NAME]
 *
 * Installs the agents that read skills and has each of them take the skills repository that the publisher makes.
 * docs/measurements/consumers.md says which ones run with which versions. Needs the npm registry for the first run, and about
 * 1.5 GB in the cache folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installAll, runAll } from '../test/consumers/run.ts';
import { canUnshareNetwork, WITHOUT_NETWORK } from '../test/consumers/sandbox.ts';

const HELP = `Has real consumers install the published skills, and checks that each lists every skill by name and description.

npm run test:consumers -- [options]
  --cache DIR    where the consumers are installed and kept (${join(tmpdir(), 'guildbook-consumer-cache')})
  --server URL   take the HTTP index of a running Guildbook instead of a small server of our own
  --only NAME    only the consumers whose name starts so (claude, codex, gemini, opencode, skills); may be repeated

Each consumer has an empty home and no network but loopback. The last line is one JSON object.
Ends with 1 when a consumer failed or none could be run; one that cannot be installed here is said, and not passed.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    cache: { type: 'string', default: join(tmpdir(), 'guildbook-consumer-cache') },
    server: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    // Set by the first of the two runs for the second: what could not be installed, as JSON.
    inside: { type: 'string' },
  },
});

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const cache = resolve(values.cache);
mkdirSync(cache, { recursive: true });
// A running server is outside of a network of our own; then what is not on loopback meets a closed proxy.
const ownNetwork = values.inside !== undefined || (values.server === undefined && canUnshareNetwork());
const options = {
  cache,
  server: values.server,
  only: values.only.map((name) => name.toLowerCase()),
  isolation: ownNetwork ? 'own network' : 'closed proxy',
};

if (values.inside !== undefined) await report(new Map(JSON.parse(values.inside)));
else {
  const failures = installAll(options, (line) => console.log(line));
  if (ownNetwork) process.exit(runInside(failures));
  await report(failures);
}

function runInside(failures) {
  const [command, ...args] = WITHOUT_NETWORK;
  const script = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const inside = ['--inside', JSON.stringify([...failures])];
  return spawnSync(command, [...args, process.execPath, ...script, ...inside], { stdio: 'inherit' }).status ?? 1;
}

async function report(failures) {
  const outcomes = await runAll(options, failures);
  const row = (cells) => cells.map((cell, index) => String(cell).padEnd([13, 10, 11, 12, 7][index] ?? 0)).join(' ');
  console.log(`\n${row(['consumer', 'version', 'from', 'result', 's'])}`);
  for (const { consumer, version, from, status, seconds, reason } of outcomes) {
    console.log(row([consumer, version ?? '-', from, status, seconds]) + (reason ? `\n  ${reason}` : ''));
  }
  const count = (status) => outcomes.filter((outcome) => outcome.status === status).length;
  const passed = count('passed');
  const failed = count('failed');
  const { isolation } = options;
  console.log(JSON.stringify({ passed, failed, unavailable: count('unavailable'), isolation, consumers: outcomes }));
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
