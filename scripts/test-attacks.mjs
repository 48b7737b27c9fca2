#!/usr/bin/env node
/** npm run test:attacks -- [--quick] [--section name] [--database embedded|postgresql|both]; --help describes it. */
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { runSources } from './test/run-sources.mjs';

const HELP = `npm run test:attacks -- [--quick] [--section name]… [--database embedded|postgresql|both] [--verbose]

Attacks the built server from outside: HTTP, git in the skills folder, SQL as the worker's role, files, other processes.
Each section starts a server on a copy of a prepared folder and database, so that damage does not reach another section.
--quick tries each kind of attack once, with the databases in turn (at most 90 seconds), and leaves out the section disk, which
mounts file systems and so takes root. --verbose prints every attempt.

PostgreSQL: the server in TEST_DATABASE_URL; without it only the embedded database. Prints a table, and as the last line
{"attempts":…,"through":…}. Exits with 1 if an attempt went through or a section could not run.`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    database: { type: 'string', default: process.env.TEST_DATABASE_URL ? 'both' : 'embedded' },
    section: { type: 'string', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});
const isWrong =
  !['embedded', 'postgresql', 'both'].includes(values.database) ||
  (values.database !== 'embedded' && !process.env.TEST_DATABASE_URL);
if (values.help || isWrong) {
  console[values.help ? 'log' : 'error'](HELP);
  process.exit(values.help ? 0 : 1);
}
await prepare(['deps', 'client', 'build']);
const options = [
  ...(values.quick ? ['--quick'] : []),
  ...(values.verbose ? ['--verbose'] : []),
  ...values.section.flatMap((name) => ['--section', name]),
  ...['--database', values.database],
];
process.exit(runSources('test/attacks/run.ts', options, { GUILDBOOK_TEST_DATABASE: 'postgresql' }));
