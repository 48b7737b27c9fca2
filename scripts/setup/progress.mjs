import { spawn } from 'node:child_process';

const HEARTBEAT_SECONDS = process.stdout.isTTY ? 1 : 15;

export class StepFailed extends Error {}

/**
 * Runs a program and shows its output only if it fails. Meanwhile a line shows the activity and the seconds so far.
 * `activity` reads as "installing …". Throws `StepFailed` with the output.
 */
export async function runQuietly(activity, command, args, options = {}) {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  say(`${activity} …`);
  const heartbeat = setInterval(() => say(`${activity} … ${seconds()} s`), HEARTBEAT_SECONDS * 1000);
  try {
    const { code, output } = await run(command, args, options);
    const took = ((performance.now() - started) / 1000).toFixed(1);
    if (code === 0) return endLine(`${activity}: done in ${took} s`);
    endLine(`${activity}: failed after ${took} s`);
    throw new StepFailed(output.trimEnd());
  } finally {
    clearInterval(heartbeat);
  }
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => reject(new StepFailed(`setup: ${command} does not start: ${error.message}`)));
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** On a terminal each line overwrites the one before it. */
function say(text) {
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[Ksetup: ${text}` : `setup: ${text}\n`);
}

function endLine(text) {
  process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}setup: ${text}\n`);
}
