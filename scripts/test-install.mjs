#!/usr/bin/env node
/** npm run test:install -- [--quick] [section …]; --help describes it. */
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { runSources } from './test/run-sources.mjs';

const HELP = `npm run test:install -- [--quick] [section …]

Packs the program, installs it into empty homes, and tests it as an operator uses it. Each file of test/install/sections
is a section; without names, all run. --quick runs the part of each that takes seconds.

PostgreSQL: the server in TEST_DATABASE_URL. What a missing program prevents is listed in "notTried" and not counted.
The last line is JSON: {"checks":…,"failed":…,"sections":{…},"notTried":[…]}. Exits with 1 if a check failed.`;

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
await prepare(['deps', 'client', 'build']);
process.exit(runSources('test/install/run.ts', [...(values.quick ? ['--quick'] : []), ...positionals]));
