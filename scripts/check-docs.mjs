#!/usr/bin/env node
/**
 * What the documents refer to exists: relative links and their headings, paths in backticks, npm scripts. The document
 * of the architecture agrees with the data and the code, and that of the dependencies with package.json. And no committed
 * file tells about the machine that it was written on.
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
  ...lockedAddresses('package-lock.json'),
  ...unlistedDependencies('docs/dependencies.md', 'package.json'),
];
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0
    ? `references hold in ${documents.length} documents, ${committed.length} files tell nothing about a machine`
    : `broken references: ${problems.length}`,
);
process.exit(problems.length === 0 ? 0 : 1);
