#!/usr/bin/env node
/**
 * npm run test:data -- --data <folder> [--agent-per file|project]
 *
 * Imports real transcripts, which are not part of the project, into the built program; --help lists what is measured.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './setup/prepare.mjs';
import { runSources } from './test/run-sources.mjs';

const HELP = `npm run test:data -- --data <folder> [--agent-per file|project]

Imports each set into a separate server (the built program, a temporary folder), through the importer and the HTTP API:
  <folder>/claude-code-swe/raw                  Claude Code transcripts; --agent-per selects what counts as one agent
                                                (default: file, for the distinct agents of a study)
  <folder>/claude-code-swe/trajectories.jsonl   parsed sessions, converted to transcripts; one agent per repository
  <folder>/transcripts                          files of every supported format, and of some unsupported ones
  <folder>/transcripts/claude-code/public-claude-code-log/edge_cases.jsonl   lines that are not records
  <folder>                                      everything in it, as one command imports a folder of mixed files

Measures: imported and skipped executions with reasons; lessons; the funnel and proposals of one cycle with their
evidence; seconds; the server's resident memory when idle, after the import and at its peak.
Checks: a second import adds nothing; every proposal has an action that worked; no home folder, user name, e-mail
address or secret in a proposal or a stored execution. Exits with 1 if a check fails or a set is missing.
The last line is one JSON object: files, taken and refused (by reason) of the whole folder, and all figures.`;

const { values } = parseArgs({
  options: { data: { type: 'string' }, 'agent-per': { type: 'string', default: 'file' }, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (values.data === undefined || !existsSync(values.data) || !['file', 'project'].includes(values['agent-per'])) {
  console.error(HELP);
  process.exit(1);
}
await prepare(['deps', 'client', 'build']);
process.exit(runSources('test/data/run.ts', ['--data', resolve(values.data), '--agent-per', values['agent-per']]));
