import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { freePort, tryProgram } from './programs.js';

const ROOTFS = join(PROJECT_ROOT, 'deploy', 'rootfs.sh');
const START_MS = 180_000;

export interface ProcessFacts {
  readonly name: string;
  readonly state: string;
  readonly uid: string;
  readonly capabilities: string;
  readonly noNewPrivileges: string;
}

/** The image's root filesystem, run as a container: read-only, without privileges, with one volume. */
export class RootfsServer {
  url = '';
  log = '';
  #child: ChildProcess | undefined;
  #port = 0;

  constructor(
    /** What `rootfs.sh build` wrote. */
    readonly image: string,
    readonly volume: string,
  ) {}

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    // The same at every start: a sign-in belongs to an address.
    this.#port ||= await freePort();
    const port = this.#port;
    const given = { GUILDBOOK_HOST: '127.0.0.1', GUILDBOOK_PORT: String(port), ...settings };
    const assignments = Object.entries(given).map(([name, value]) => `${name}=${value}`);
    const child = spawn(ROOTFS, ['run', this.image, this.volume, ...assignments], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    for (const deadline = performance.now() + START_MS; !this.log.includes('is listening on'); await sleep(20))
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`the root filesystem does not start:\n${this.log}`);
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Process 1 of the container, by its number on this machine. */
  get init(): number {
    const parent = this.#child?.pid ?? 0;
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
    const pid = Number(children.trim().split(' ')[0]);
    if (!(pid > 0)) throw new Error('the container has no process 1');
    return pid;
  }

  /** Every process of the container. */
  processes(): ProcessFacts[] {
    const namespaceOf = (pid: string) => statusOf(pid)?.get('NSpid')?.split(/\s+/).length;
    const outer = namespaceOf('self') ?? 1;
    const ours = new Set([String(this.init)]);
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && (namespaceOf(name) ?? 0) > outer);
    for (const pid of pids) if (ours.has(statusOf(pid)?.get('PPid') ?? '')) ours.add(pid);
    return [...ours].map((pid) => {
      const status = statusOf(pid) ?? new Map<string, string>();
      const field = (name: string) => status.get(name) ?? '';
      return {
        name: field('Name'),
        state: field('State'),
        uid: field('Uid'),
        capabilities: `${field('CapEff')} ${field('CapPrm')} ${field('CapBnd')}`,
        noNewPrivileges: field('NoNewPrivs'),
      };
    });
  }

  /** Runs a program in the container, as its user or as root. */
  execute(args: readonly string[], { asRoot = false } = {}) {
    const enter = ['--target', String(this.init), '--mount', '--pid', '--ipc', '--uts', '--root', '--wd'];
    const user = asRoot ? [] : ['--setuid', '10001', '--setgid', '10001'];
    const settings = readFileSync(`/proc/${this.init}/environ`, 'utf8').split('\0').filter(Boolean);
    return tryProgram('nsenter', [...enter, ...user, '--', '/usr/bin/env', '-i', ...settings, ...args]);
  }

  /** Sends the signal to process 1. Returns the exit status of the container and how long it took. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ status: number | null; seconds: number }> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) throw new Error(`the container is not running:\n${this.log}`);
    const ended = once(child, 'exit');
    const began = performance.now();
    process.kill(this.init, signal);
    await ended;
    return { status: child.exitCode, seconds: Math.round((performance.now() - began) / 100) / 10 };
  }

  /** Ends the container if a check left it running. */
  async discard(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.stop('SIGKILL');
  }
}

/** The fields of a process; undefined if it has ended. */
function statusOf(pid: string): Map<string, string> | undefined {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
    return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.split(':').slice(1).join(':').trim()]));
  } catch {
    return undefined;
  }
}
