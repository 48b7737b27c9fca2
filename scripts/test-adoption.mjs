#!/usr/bin/env node
/** npm run test:adoption -- [--cache DIR] [--only NAME]; --help describes it. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runOffline } from './test/run-offline.mjs';

const HELP = `npm run test:adoption -- [--cache DIR] [--only NAME]

From an empty home to the first advice, with a real agent program (Claude Code, then Codex) and a scripted model, without a
network: one person connects the program and works in three sessions that meet the same failure; a proposal appears by
itself; the person approves it, which is the only human act; in the next session the advice arrives at the failure. Then
three people, with one session each.

  --cache DIR  folder in which the programs are installed from npm (${join(tmpdir(), 'guildbook-consumer-cache')}; 1.5 GB)
  --only NAME  only the products whose name starts with NAME; may be repeated

The last line is JSON: {"<product>, one person":{"steps":…,"humanActs":…,"sessionsToAdvice":…},…}. Exits with 1 if one
needs more than three sessions or one human act.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    cache: { type: 'string', default: join(tmpdir(), 'guildbook-consumer-cache') },
    only: { type: 'string', multiple: true, default: [] },
    inside: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
await runOffline('scripts/test-adoption.mjs', 'test/connect/adoption.ts', values);
