import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/config/environment.js';
import type { AgentProgram } from './products.js';

const LIMIT_MS = 120_000;
const CLI = join(PROJECT_ROOT, 'dist', 'cli', 'main.js');
const GIT_CONFIG = '.gitconfig';
export const REMOTE = 'https://rita:secret@git.example.test/team/shop.git';
/** What a product writes about what it did, in words that are ours: logs and sessions, and nothing that runs. */
const RECORDS =
  /\.log$|\.jsonl$|\/logs?\/|\/sessions?\/|\/projects\/|\/tmp\/|\/history|\.db(?:-wal|-shm)?$|\.sqlite(?:-wal|-shm)?$|\/session-state\/|\/shell_snapshots\/|\/\.cache\/|\/backups\//;

export interface Finished {
  readonly status: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** One person's machine: an empty home with one agent program, a project, and the built command line. */
export class Machine {
  readonly home: string;
  readonly project: string;
  private readonly environment: Readonly<Record<string, string>>;

  constructor(
    private readonly folder: string,
    private readonly agent: AgentProgram,
    command: readonly string[],
    node: string,
    model: string,
  ) {
    this.home = join(folder, 'home');
    this.project = join(folder, 'project');
    const bin = join(folder, 'bin');
    for (const made of [this.home, this.project, bin]) mkdirSync(made, { recursive: true });
    const program = join(bin, agent.name);
    writeFileSync(program, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`);
    chmodSync(program, 0o755);
    this.environment = {
      HOME: this.home,
      PATH: `${bin}:${dirname(node)}:/usr/bin:/bin`,
      TERM: 'dumb',
      NO_COLOR: '1',
      LANG: 'C.UTF-8',
      ...agent.environment(model),
    };
    agent.configure(this.home, model);
    for (const args of [
      ['init', '-q'],
      ['remote', 'add', 'origin', REMOTE],
    ])
      spawnSync('git', args, { cwd: this.project, env: this.environment });
  }

  /** Gives or takes the access to a remote, as a person's git settings do: `address` is cloned from `url`. */
  setAccess(address: string, url: string | undefined): void {
    const file = join(this.home, GIT_CONFIG);
    if (url === undefined) rmSync(file, { force: true });
    else writeFileSync(file, `[url "${url}"]\n\tinsteadOf = ${address}\n`);
  }

  /** Runs the built command line. */
  guildbook(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return this.run(process.execPath, [CLI, ...args], this.home, variables);
  }

  /** Lets the agent work on one prompt in the project. */
  work(text: string): Promise<Finished> {
    rmSync(join(this.project, 'ran.txt'), { force: true });
    return this.run(join(this.folder, 'bin', this.agent.name), this.agent.prompt(text), this.project);
  }

  /** How often the command of the model ran in the last session. */
  runs(): number {
    const file = join(this.project, 'ran.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  }

  settings(): string {
    return join(this.home, '.config/guildbook', `${this.agent.product}.conf`);
  }

  /** Ends the rest of the client after a time-out. */
  endRest(): void {
    rmSync(this.settings().replace(/\.conf$/, '.rest'), { force: true });
  }

  /** Files and folders of the home that name Guildbook or hold its name, apart from records of sessions. */
  remains(): string[] {
    return readdirSync(this.home, { recursive: true, encoding: 'utf8' })
      .map((file) => join(this.home, file))
      .filter((file) => !RECORDS.test(file.slice(this.home.length)) && mentionsGuildbook(file))
      .map((file) => relative(this.home, file));
  }

  private run(
    command: string,
    args: readonly string[],
    cwd: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Finished> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        cwd,
        env: { ...this.environment, ...variables },
        timeout: LIMIT_MS,
        killSignal: 'SIGKILL',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const printed = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => {
          printed[name] += text;
        });
      child.once('error', reject);
      child.once('close', (status, signal) =>
        resolve({ status: status ?? signal, ...printed, ms: Math.round(performance.now() - began) }),
      );
    });
  }
}

function mentionsGuildbook(file: string): boolean {
  if (file.endsWith('guildbook')) return true;
  const { size, isFile } = (() => {
    const found = statSync(file, { throwIfNoEntry: false });
    return { size: found?.size ?? 0, isFile: found?.isFile() ?? false };
  })();
  return isFile && size < 2_000_000 && readFileSync(file, 'latin1').includes('guildbook');
}
