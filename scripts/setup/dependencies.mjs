import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './progress.mjs';
import { digest, hasStamp, ROOT, writeStamp } from './stamp.mjs';

const STAMP = 'node_modules/.guildbook-setup';

/** Installs node_modules from npm-shrinkwrap.json. `npm ci` removes the folder first, and the stamp with it. */
export async function installDependencies() {
  const lock = digest(['npm-shrinkwrap.json']);
  if (hasStamp(STAMP, lock)) return;
  if (!isInstalledAlready()) {
    // With NODE_ENV=production npm would omit the compiler.
    const args = ['ci', '--no-audit', '--no-fund', '--include=dev'];
    const [command, ...first] = npmCommand();
    await runQuietly('installing dependencies (about half a minute)', command, [...first, ...args], { cwd: ROOT });
  }
  writeStamp(STAMP, lock);
}

/** The npm that runs this script, if there is one, because npm may be missing from the PATH. */
export function npmCommand() {
  const running = process.env.npm_execpath ?? '';
  if (running.endsWith('npm-cli.js')) return [process.execPath, running];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** True after a manual `npm ci` or `npm install`: npm's record in node_modules has every version of the lock file. */
function isInstalledAlready() {
  const record = readJson('node_modules/.package-lock.json');
  if (record === undefined) return false;
  const wanted = Object.entries(readJson('npm-shrinkwrap.json').packages);
  return wanted.every(([path, { version, optional }]) => {
    if (path === '') return true;
    const installed = record.packages[path];
    // Optional packages are binaries of other platforms, which npm omits.
    return installed === undefined ? optional === true : installed.version === version;
  });
}

function readJson(file) {
  const path = join(ROOT, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
