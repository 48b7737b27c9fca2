#!/usr/bin/env node
/**
 * npm run test:consumers -- [--cache DIR] [--server URL] [--only NAME]
 *
 * Installs agents that read skills, and lets each one install the skills repository that the publisher writes.
 * docs/measurements/consumers.md lists them with their versions. Needs the npm registry for the first run, and about
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

const HELP = `Lets real consumers install the published skills, and checks that each lists every skill by name and description.

npm run test:consumers -- [options]
  --cache DIR    folder in which the consumers are installed (${join(tmpdir(), 'guildbook-consumer-cache')})
  --server URL   use the HTTP index of a running Guildbook instead of a small built-in server
  --only NAME    only the consumers whose name starts with NAME (claude, codex, gemini, opencode, skills); may be repeated

Each consumer has an empty home folder and no network except loopback. The last line is one JSON object.
Exits with 1 if a consumer failed or none could run. A consumer that cannot be installed here is reported as unavailable.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    cache: { type: 'string', default: join(tmpdir(), 'guildbook-consumer-cache') },
    server: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    // The first of the two runs passes the failed installations to the second, as JSON.
    inside: { type: 'string' },
  },
});

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const cache = resolve(values.cache);
mkdirSync(cache, { recursive: true });
// A running server is outside a separate network. In that case a closed proxy refuses everything except loopback.
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
