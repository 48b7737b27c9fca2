#!/usr/bin/env node
/**
 * npm run test:cases -- --cases <folder>
 *
 * Imports recorded sessions into the built program and compares what it counts with what each case expects.
 */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';
import { runSources } from './test/run-sources.mjs';

const HELP = `npm run test:cases -- --cases <folder> [--only <name> …]

Each folder in <folder> with an expect.json is a case; one without is skipped by name. A case has separate runs, each
on a new server with an empty database (the built program): one "guildbook import" for each folder in "import", in this
order, then one cycle of the evolver. The rest of a run says what must hold:

  executions, agents, projects, calls, failedCalls   numbers over all stored executions
  orNamed       a file with this text in its name may be named as unread, with a reason, instead of being read
  hasCall       the text of a stored call's action
  proposal      texts that some proposal must recommend, and noProposal: texts that none may
  lesson        texts that a proposal or a private lesson must recommend
  notUnsolved   texts of failures that no list may call unsolved

  {"runs": [{"import": ["projects"], "executions": 2, "agents": 1, "proposal": ["terraform init"]}]}

--only runs the cases whose names begin with one of the given texts. Without --cases, it runs the sample in test/cases.
Prints one line for each case. The last line is JSON, such as {"cases":3,"failed":0}; exits with 1 if a case fails.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string', default: `${ROOT}/test/cases/sample` },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const folder = resolve(values.cases);
if (!existsSync(folder) || !statSync(folder).isDirectory()) {
  console.error(`The folder ${values.cases} does not exist. Name the folder of the cases with --cases <folder>.`);
  process.exit(1);
}
await prepare(['deps', 'client', 'build']);
const only = [...values.only, ...positionals].flatMap((name) => ['--only', name]);
process.exit(runSources('test/cases/run.ts', ['--cases', folder, ...only]));
