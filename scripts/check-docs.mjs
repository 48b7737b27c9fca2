#!/usr/bin/env node
/**
 * Checks that the references in documents exist: relative links and their headings, paths in backticks, npm scripts.
 * Checks docs/architecture.md against the boundary data and the code, and docs/dependencies.md against package.json. No
 * committed file may contain a trace of the machine that it was written on.
 */
import { readFileSync } from 'node:fs';
import { architectureProblems } from './docs/architecture.mjs';
import { unlistedDependencies } from './docs/dependencies.mjs';
import { lockedAddresses, machineTraces } from './docs/machine.mjs';
import { brokenReferences } from './docs/references.mjs';
import { committedFiles } from './docs/repository.mjs';

const ARCHITECTURE = 'docs/architecture.md';
const committed = committedFiles();
const documents = committed.filter((file) => file.endsWith('.md'));
const problems = [
  ...brokenReferences(documents, committed),
  ...architectureProblems(ARCHITECTURE, readFileSync(ARCHITECTURE, 'utf8')),
  ...machineTraces(committed),
  ...lockedAddresses('npm-shrinkwrap.json'),
  ...unlistedDependencies('docs/dependencies.md', 'package.json'),
];
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0
    ? `no broken reference in ${documents.length} documents, no trace of a machine in ${committed.length} files`
    : `broken references: ${problems.length}`,
);
process.exit(problems.length === 0 ? 0 : 1);
