#!/usr/bin/env node
/** npm run test:connect -- [--cache DIR] [--only NAME]; --help describes it. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runOffline } from './test/run-offline.mjs';

const HELP = `npm run test:connect -- [--cache DIR] [--only NAME] [--keep]

Connects real agent programs (Claude Code, Codex, Gemini CLI, OpenCode, Copilot CLI) with guildbook connect and lets each
work with a scripted model, in an empty home and without a network: lessons reach the model, the published skills are
installed and offered to it, a call is refused once, a server that is slow, dead or malformed is not noticed, and --undo
leaves nothing.

The built server signs people in, issues tokens and serves the memory tools. A relay before it answers the hooks.

  --cache DIR  folder in which the programs are installed from npm (${join(tmpdir(), 'guildbook-consumer-cache')}; 1.5 GB)
  --only NAME  only the products whose name starts with NAME; may be repeated
  --keep       keep the homes

The last line is JSON: {"checks":…,"failed":…,"products":[…],"notTried":[…]}. Exits with 1 if a check failed.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    cache: { type: 'string', default: join(tmpdir(), 'guildbook-consumer-cache') },
    only: { type: 'string', multiple: true, default: [] },
    keep: { type: 'boolean', default: false },
    inside: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
await runOffline('scripts/test-connect.mjs', 'test/connect/run.ts', values);
