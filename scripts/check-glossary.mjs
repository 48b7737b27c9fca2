#!/usr/bin/env node
/**
 * No committed file uses a word that docs/glossary.md retires, or cites a text that is not in the repository. The last
 * line is JSON with the number of such places.
 */
import { readFileSync } from 'node:fs';
import { retiredUses, retiredWords } from './docs/glossary.mjs';
import { committedFiles, textOf } from './docs/repository.mjs';

const GLOSSARY = 'docs/glossary.md';

/** Texts that others wrote, recorded sessions, golden sets, the words that rules look for, and the glossary itself. */
const NOT_OURS = [
  GLOSSARY,
  'LICENSE',
  'package-lock.json',
  'examples/sample-fleet/',
  'examples/formats/',
  'src/untrusted/redaction/gitleaks/',
  'src/evolve/claims/wordlists.ts',
  'test/golden/',
  'bench/attribution/labels.tsv',
];

const retired = retiredWords(readFileSync(GLOSSARY, 'utf8'));
const files = committedFiles().filter((file) => !NOT_OURS.some((path) => file.startsWith(path)));
const uses = files.flatMap((file) => retiredUses(file, textOf(file) ?? '', retired));
for (const use of uses) console.error(use);
console.log(`${retired.length} retired words, ${files.length} files`);
console.log(JSON.stringify({ retiredWords: uses.length }));
process.exit(retired.length > 0 && uses.length === 0 ? 0 : 1);
