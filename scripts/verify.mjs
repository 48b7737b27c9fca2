#!/usr/bin/env node
/** npm run verify -- [--data <folder>] [--from <step>] [--only <step> …] [--list]; --help describes it. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { npmCommand } from './setup/dependencies.mjs';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';
import { formatSpan } from './test/timed.mjs';
import { commandOf, formatTotal, planSteps, resumeCommand, UnknownStep } from './verify/plan.mjs';
import { STEPS } from './verify/steps.mjs';

const HELP = `npm run verify -- [--data <folder>] [--from <step>] [--only <step> …]

Runs what takes too long for each merge: crash, attack, race and installation tests, agents from npm, the other versions
of Node, and each benchmark at its smallest size. About an hour. Run it, or its steps that the change touches, before
an issue is closed. Stops at the first step that fails, and prints the command that continues there.

  --data <folder>  data from outside the repository; without it, the steps that need it are left out
  --from <step>    starts with this step
  --only <step> …  only these steps
  --list           lists the steps

PostgreSQL: the server in TEST_DATABASE_URL, else the one that .ci/postgresql.sh finds or starts. The last line is JSON.`;

const LOGS = join(ROOT, 'node_modules/.cache/guildbook-verify');
const LAST_FAILURE = join(LOGS, 'last-failure.json');
const SHOWN_LINES = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    from: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) end(HELP);
if (values.data !== undefined && !existsSync(values.data)) end(`The folder ${values.data} does not exist.`, 1);
if (positionals.length > 0 && values.only.length === 0) end(HELP, 1);
const options = {
  from: values.from,
  only: [...values.only, ...positionals],
  data: values.data === undefined ? undefined : resolve(values.data),
};
const plan = selected();
if (values.list) end(listed());

await prepare(['deps', 'client', 'build']);
if (plan.steps.some(({ postgresql }) => postgresql) && !process.env.TEST_DATABASE_URL) runWithPostgresql();
mkdirSync(LOGS, { recursive: true });
const last = existsSync(LAST_FAILURE) ? JSON.parse(readFileSync(LAST_FAILURE, 'utf8')) : undefined;
if (last !== undefined) console.log(`${last.step} failed before; to continue there: ${last.command}`);
if (plan.leftOut.length > 0) console.log(`left out without --data: ${plan.leftOut.join(', ')}`);

const started = performance.now();
const passed = [];
let failed;
for (const step of plan.steps) {
  if (runStep(step)) passed.push(step.name);
  else failed = step.name;
  if (failed !== undefined) break;
}
if (failed !== undefined) {
  const command = resumeCommand(failed, options);
  writeFileSync(LAST_FAILURE, JSON.stringify({ step: failed, command }));
  console.log(`\nTo continue: ${command}`);
} else if (passed.includes(last?.step)) rmSync(LAST_FAILURE);
const total = { passed, failed, leftOut: plan.leftOut, seconds: Math.round((performance.now() - started) / 1000) };
console.log(`\n${formatTotal(total)}\n${JSON.stringify(total)}`);
process.exit(failed === undefined ? 0 : 1);

function selected() {
  try {
    return planSteps(STEPS, options);
  } catch (error) {
    if (!(error instanceof UnknownStep)) throw error;
    return end(error.message, 1);
  }
}

function listed() {
  const width = Math.max(...STEPS.map(({ name }) => name.length));
  const rows = STEPS.map((step) => `${step.name.padEnd(width)}  npm ${commandOf(step, '<folder>').join(' ')}`);
  return rows.join('\n').replaceAll('run --silent', 'run');
}

/** Runs this program again where a server is found, and ends with its exit code. */
function runWithPostgresql() {
  const args = [join(ROOT, '.ci/with-postgresql'), process.execPath, ...process.argv.slice(1)];
  const { status, error } = spawnSync('bash', args, { stdio: 'inherit' });
  if (error) end(`Set TEST_DATABASE_URL: bash does not start (${error.message}).`, 1);
  process.exit(status ?? 1);
}

/** Prints one line, with the end of the log of a step that fails. */
function runStep(step) {
  const log = join(LOGS, `${step.name}.log`);
  const before = performance.now();
  process.stdout.write(`${step.name.padEnd(22)} `);
  const output = openSync(log, 'w');
  const [npm, ...first] = npmCommand();
  const { status } = spawnSync(npm, [...first, ...commandOf(step, options.data)], {
    cwd: ROOT,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const took = formatSpan(performance.now() - before);
  console.log(`${status === 0 ? 'ok' : 'FAILED'} ${took}`);
  if (status === 0) return true;
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  console.log(`\n${lines.slice(-SHOWN_LINES).join('\n')}\n\nThe whole output: ${relative(ROOT, log)}`);
  return false;
}

function end(text, status = 0) {
  console[status === 0 ? 'log' : 'error'](text);
  process.exit(status);
}
