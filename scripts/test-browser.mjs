#!/usr/bin/env node
/**
 * npm run test:browser [-- arguments of jest]
 *
 * Tests the console in Chromium (on Debian, the package chromium). GUILDBOOK_TEST_CHROMIUM names another browser. Each
 * spec starts a separate server on an embedded database.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';
import { findChromium } from './test/chromium.mjs';

const chromium = findChromium();
await prepare(['deps', 'client']);
const jest = [
  join(ROOT, 'node_modules/jest/bin/jest.js'),
  '--testRegex',
  'test/browser/.*\\.browser\\.ts$',
  '--testTimeout',
  '120000',
];
const { status } = spawnSync(process.execPath, [...jest, ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, GUILDBOOK_TEST_CHROMIUM: chromium },
  stdio: 'inherit',
});
process.exit(status ?? 1);
