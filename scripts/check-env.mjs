#!/usr/bin/env node
/**
 * .env.example and the table of settings in docs/settings.md say what src/platform/config says. With --write
 * (npm run env:example) they are made to. The last line is JSON with the number of settings.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tsImport } from 'tsx/esm/api';

const BEGIN = '<!-- settings: written by npm run env:example -->';
const END = '<!-- end of settings -->';
const { SETTINGS } = await tsImport('../src/platform/config/config.ts', import.meta.url);
const { envExample, settingsTable } = await tsImport('../src/platform/config/settings-reference.ts', import.meta.url);

const wanted = { '.env.example': envExample(), 'docs/settings.md': withTable('docs/settings.md') };
const stale = Object.entries(wanted).filter(([file, text]) => readFileSync(file, 'utf8') !== text);
if (process.argv.includes('--write')) {
  for (const [file, text] of stale) writeFileSync(file, text);
  console.log(stale.length === 0 ? 'nothing to write' : `written: ${stale.map(([file]) => file).join(', ')}`);
} else if (stale.length > 0) {
  for (const [file] of stale) console.error(`${file} does not say what src/platform/config says`);
  console.error('Run: npm run env:example');
  process.exitCode = 1;
}
console.log(JSON.stringify({ settings: Object.keys(SETTINGS).length }));

function withTable(file) {
  const text = readFileSync(file, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} does not hold ${BEGIN} and, after it, ${END}`);
  return `${text.slice(0, begin)}${BEGIN}\n\n${settingsTable()}\n\n${text.slice(end)}`;
}
