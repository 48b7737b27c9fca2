import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { type Checks, expectSame, expectText } from './checks.js';
import { installedProgram } from './installed-program.js';
import { findProgram, runProgram, tryProgram } from './programs.js';

const IMAGE = 'guildbook:test';
const PROJECT = 'guildbook-test';
const HEALTHY_MS = 180_000;

/** Builds the image and runs it alone and with PostgreSQL, where a container engine answers. */
export async function tryContainerEngine(checks: Checks): Promise<void> {
  const docker = findProgram('docker');
  if (docker === undefined || tryProgram(docker, ['info']).status !== 0) {
    const reason = docker === undefined ? 'docker is not installed' : 'no container engine answers';
    for (const what of ['docker build', 'docker run', 'docker compose up']) checks.skip(what, reason);
    return;
  }
  const context = mkdtempSync(join(tmpdir(), 'guildbook-context-'));
  try {
    const { tarball } = await installedProgram();
    copyFileSync(tarball, join(context, basename(tarball)));
    cpSync(join(PROJECT_ROOT, 'deploy'), join(context, 'deploy'), { recursive: true });
    const built = await checks.check('docker build makes the image', () =>
      runProgram(docker, ['build', '--file', 'deploy/Containerfile', '--tag', IMAGE, '.'], { cwd: context }),
    );
    if (built === undefined) return;
    await checks.check('docker run starts it read-only, and stops it by SIGTERM', () => runImage(docker));
    if (tryProgram(docker, ['compose', 'version']).status === 0)
      await checks.check('docker compose starts it with PostgreSQL', () => runCompose(docker, context));
    else checks.skip('docker compose up', 'the compose plugin is not installed');
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

async function runImage(docker: string): Promise<void> {
  const options = ['--detach', '--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  const id = runProgram(docker, ['run', ...options, IMAGE]).trim();
  try {
    const health = () => runProgram(docker, ['inspect', '--format', '{{.State.Health.Status}}', id]).trim();
    for (const deadline = performance.now() + HEALTHY_MS; health() !== 'healthy'; await sleep(1_000))
      if (performance.now() > deadline) throw new Error(tryProgram(docker, ['logs', id]).output);
    runProgram(docker, ['stop', '--time=60', id]);
    expectSame(runProgram(docker, ['inspect', '--format', '{{.State.ExitCode}}', id]).trim(), '143', 'the exit status');
  } finally {
    tryProgram(docker, ['rm', '--force', '--volumes', id]);
  }
}

async function runCompose(docker: string, context: string): Promise<void> {
  const compose = ['compose', '--file', 'deploy/compose.yaml', '--project-name', PROJECT];
  const cwd = context;
  runProgram(join(context, 'deploy', 'make-secrets.sh'), [], { cwd });
  try {
    runProgram(docker, [...compose, 'up', '--build', '--detach'], { cwd });
    const ready = () => fetch('http://127.0.0.1:4747/readyz').then((answer) => answer.text(), String);
    for (const deadline = performance.now() + HEALTHY_MS; !(await ready()).includes('"roles"'); await sleep(1_000))
      if (performance.now() > deadline) throw new Error(tryProgram(docker, [...compose, 'logs'], { cwd }).output);
    expectText(await ready(), '"roles":"in force"', '/readyz');
  } finally {
    tryProgram(docker, [...compose, 'down', '--volumes', '--timeout', '60'], { cwd });
  }
}
