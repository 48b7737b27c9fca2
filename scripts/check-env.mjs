#!/usr/bin/env node
/** .env.example says what src/platform/config/config.ts says. With --write (npm run env:example) it is made to. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tsImport } from 'tsx/esm/api';

const FILE = '.env.example';
const { describeConfig } = await tsImport('../src/platform/config/config.ts', import.meta.url);
const wanted = describeConfig();

if (process.argv.includes('--write')) {
  writeFileSync(FILE, wanted);
  console.log(`${FILE} written`);
} else if (existsSync(FILE) && readFileSync(FILE, 'utf8') === wanted) {
  console.log(`${FILE} is up to date`);
} else {
  console.error(`${FILE} does not say what src/platform/config/config.ts says. Run: npm run env:example`);
  process.exit(1);
}
