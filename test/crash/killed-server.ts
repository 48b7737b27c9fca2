import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Guildbook } from '../../src/client/guildbook.js';
import { PROJECT_ROOT, SETTINGS } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { readAdminToken } from '../support/admin-token.js';
import { killingGit } from './kill-plan.js';

const DIST = join(PROJECT_ROOT, 'dist');
const LISTENING = /Guildbook is listening on (http:\/\/\S+)/;
const START_MS = 120_000;
const ABANDONED_MS = 120_000;

export interface ServerOptions {
  /** The folder of the built program. */
  readonly dist?: string;
  /** Of several processes that share it. */
  readonly skillsDir?: string;
  /** Settings beside those of the place. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The built server on a separate folder, started repeatedly. */
export class KilledServer {
  url = '';
  oneTimeToken: string | undefined;
  log = '';
  #child: ChildProcess | undefined;

  constructor(
    readonly folder: string,
    private readonly databaseUrl: string | undefined,
    private readonly options: ServerOptions = {},
  ) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'git'), killingGit(folder));
    chmodSync(join(folder, 'git'), 0o755);
  }

  get dataDir(): string {
    return join(this.folder, 'database');
  }
  get skillsDir(): string {
    return this.options.skillsDir ?? join(this.folder, 'skills');
  }
  get pid(): number {
    return this.#child?.pid ?? 0;
  }
  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    const settings = {
      DATABASE_URL: this.databaseUrl ?? '',
      GUILDBOOK_DATA_DIR: this.dataDir,
      GUILDBOOK_SKILLS_DIR: this.skillsDir,
      GUILDBOOK_PORT: '0',
      ...this.options.settings,
    };
    this.log = '';
    this.url = '';
    // A separate process group, so that its children can be killed with it.
    const child = spawn(process.execPath, [join(this.options.dist ?? DIST, 'main.js')], {
      cwd: this.folder,
      // The wrapper of git comes before the real one.
      env: { PATH: `${this.folder}:${programPath()}`, ...unset, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    for (const deadline = performance.now() + START_MS; !LISTENING.test(this.log); await sleep(10)) {
      if (!this.isRunning || performance.now() > deadline) throw new Error(`the server does not start:\n${this.log}`);
    }
    this.url = LISTENING.exec(this.log)?.[1] ?? '';
    await new Guildbook({ server: this.url }).health();
    // The file of the first start, until the person has signed in.
    this.oneTimeToken = readAdminToken(this.dataDir);
  }

  kill(withChildren: boolean): void {
    signal(withChildren ? -this.pid : this.pid, 'SIGKILL');
  }

  /** As a supervisor of services stops it. */
  stop(): void {
    signal(this.pid, 'SIGTERM');
  }

  /** Waits until the server and every git process that it started have ended. */
  async waitForExit(): Promise<void> {
    if (this.isRunning && this.#child) await once(this.#child, 'exit');
    while (signal(-this.pid, 0)) await sleep(5);
  }

  /**
   * Makes leftover files old enough to be cleaned up: the server keeps recent ones, because another process may still
   * use them.
   */
  ageLeftovers(): void {
    const at = new Date(Date.now() - ABANDONED_MS);
    const gitDir = join(this.skillsDir, '.git');
    for (const path of leftovers(gitDir)) {
      try {
        utimesSync(join(gitDir, path), at, at);
      } catch {
        // A running server has removed it meanwhile.
      }
    }
  }
}

/** Locks, and temporary files, folders and packs. */
export function leftovers(gitDir: string): string[] {
  const found = (path: string) => /(?:^|\/)(?:guildbook-[^/]+|[^/]+\.lock|tmp_[^/]+|\.tmp-[^/]+)$/.test(path);
  return entriesOf(gitDir).filter(found);
}

// Not `recursive`: a file that disappears meanwhile must not be an error.
function entriesOf(folder: string, path = ''): string[] {
  let names: string[] = [];
  try {
    names = readdirSync(join(folder, path));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const entry = path === '' ? name : `${path}/${name}`;
    const isFolder = lstatSync(join(folder, entry), { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? [entry, ...entriesOf(folder, entry)] : [entry];
  });
}

/** False if no process has this id. */
function signal(id: number, name: 'SIGKILL' | 'SIGTERM' | 0): boolean {
  try {
    return process.kill(id, name);
  } catch {
    return false;
  }
}
