#!/usr/bin/env node
/**
 * Reports committed files that use a word which docs/glossary.md retires, or that cite a text which is not in the
 * repository. The last line is JSON with the number of such places.
 */
import { readFileSync } from 'node:fs';
import { retiredUses, retiredWords } from './docs/glossary.mjs';
import { committedFiles, textOf } from './docs/repository.mjs';

const GLOSSARY = 'docs/glossary.md';

/** Files that are not checked: texts that others wrote, recorded sessions, golden sets, the words that rules look for, and the glossary. */
const NOT_OURS = [
  GLOSSARY,
  'LICENSE',
  'npm-shrinkwrap.json',
  'examples/sample-fleet/',
  'examples/source/',
  'examples/formats/',
  'src/untrusted/redaction/gitleaks/',
  // Words of English with their frequency.
  'src/recall/ranking/english/',
  'src/platform/otlp/generated/',
  'src/evolve/claims/wordlists.ts',
  'test/golden/',
];

const retired = retiredWords(readFileSync(GLOSSARY, 'utf8'));
const files = committedFiles().filter((file) => !NOT_OURS.some((path) => file.startsWith(path)));
const uses = files.flatMap((file) => retiredUses(file, textOf(file) ?? '', retired));
for (const use of uses) console.error(use);
console.log(`${retired.length} retired words, ${files.length} files`);
console.log(JSON.stringify({ retiredWords: uses.length }));
process.exit(retired.length > 0 && uses.length === 0 ? 0 : 1);
