import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Guildbook } from '../../src/client/guildbook.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { PROJECT_ROOT, SETTINGS } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { DirectoryInUseError, lockDirectory } from '../../src/platform/database/single-process-lock.js';
import { readAdminToken } from './admin-token.js';
import { createMigratedDatabase, migratedFolder } from './database.js';
import { createServerDatabase, type ServerDatabase } from './server-database.js';

const PROGRAM = join(PROJECT_ROOT, 'dist', 'cli', 'main.js');
/** These servers live for seconds, so optimising the code of the embedded database would cost more than it saves. */
const SHORT_LIVED = '--liftoff-only';
const LISTENING = /Guildbook is listening on (http:\/\/\S+)/;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program with a new folder, home and database. Server and command line run as separate processes. */
export class BuiltProgram {
  private readonly children = new Set<ChildProcess>();

  private constructor(
    readonly folder: string,
    private readonly database: ServerDatabase | undefined,
  ) {}

  /** With `isFirstStart`, the program creates its database. Otherwise it starts with a migrated, empty one. */
  static async prepare({ isFirstStart = false } = {}): Promise<BuiltProgram> {
    await build();
    const database = await (isFirstStart ? createServerDatabase() : createMigratedDatabase());
    const program = new BuiltProgram(await mkdtemp(join(tmpdir(), 'guildbook-built-')), database);
    if (!isFirstStart && program.database === undefined)
      await cp(await migratedFolder(), program.dataDir, { recursive: true });
    return program;
  }

  get dataDir(): string {
    return join(this.folder, 'database');
  }
  get skillsDir(): string {
    return join(this.folder, 'skills');
  }
  get sessionFile(): string {
    return join(this.folder, 'config', 'guildbook', 'sessions.json');
  }

  /**
   * Starts `guildbook serve` and waits until it listens. Rejects with its output if it exits instead. With `logFile`, its
   * output is appended to that file.
   */
  async serve(settings: Readonly<Record<string, string>> = {}, logFile?: string): Promise<ServerProcess> {
    const environment = {
      DATABASE_URL: this.database?.url ?? '',
      GUILDBOOK_DATA_DIR: this.dataDir,
      GUILDBOOK_SKILLS_DIR: this.skillsDir,
      GUILDBOOK_PORT: '0',
      // Specs say when a cycle runs.
      GUILDBOOK_EVOLVER_ENABLED: 'false',
      ...settings,
    };
    const child = this.start(['serve'], environment, logFile);
    const server = new ServerProcess(child, settings['GUILDBOOK_DATA_DIR'] ?? this.dataDir, logFile);
    await server.listening();
    return server;
  }

  /** Starts `npm start` or another script of package.json in the checkout, with the same settings as `serve`. */
  npm(args: readonly string[], settings: Readonly<Record<string, string>> = {}): ServerProcess {
    // npm passes no options to node, so the first node of the search path adds ours.
    const programs = join(this.folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'node'), `#!/bin/sh\nexec '${process.execPath}' ${SHORT_LIVED} "$@"\n`, {
      mode: 0o755,
    });
    const child = this.spawn('npm', args, PROJECT_ROOT, {
      PATH: `${programs}:${programPath()}`,
      DATABASE_URL: '',
      GUILDBOOK_DATA_DIR: this.dataDir,
      GUILDBOOK_SKILLS_DIR: this.skillsDir,
      GUILDBOOK_PORT: '0',
      ...settings,
    });
    return new ServerProcess(child, this.dataDir);
  }

  /** Runs one command and returns its output. */
  async run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Finished> {
    const child = this.start(args, environment);
    const output = collect(child);
    const [code] = await once(child, 'close');
    return { code, stdout: output.stdout, stderr: output.stderr };
  }

  /** Runs one command and sends SIGINT at the given time. */
  async interrupt(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    time: Promise<unknown>,
  ): Promise<Finished> {
    const child = this.start(args, environment);
    const output = collect(child);
    time.then(() => child.kill('SIGINT'));
    const [code] = await once(child, 'close');
    return { code, stdout: output.stdout, stderr: output.stderr };
  }

  /** Runs one command whose output is closed before the first write, as `head` may do. */
  async runUnread(args: readonly string[]): Promise<Finished> {
    const child = this.start(args, {});
    const output = collect(child);
    child.stdout?.destroy();
    const [code] = await once(child, 'close');
    return { code, stdout: '', stderr: output.stderr };
  }

  async remove(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    await this.database?.drop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private start(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    logFile?: string,
  ): ChildProcess {
    const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
    const child = this.spawn(process.execPath, [SHORT_LIVED, PROGRAM, ...args], this.folder, environment, output);
    if (typeof output === 'number') closeSync(output);
    return child;
  }

  private spawn(
    command: string,
    args: readonly string[],
    cwd: string,
    environment: Readonly<Record<string, string>>,
    output: 'pipe' | number = 'pipe',
  ): ChildProcess {
    // Set but empty, so that neither the shell nor a developer's .env changes a server under test.
    const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    const child = spawn(command, args, {
      cwd,
      env: {
        PATH: programPath(),
        HOME: join(this.folder, 'home'),
        XDG_CONFIG_HOME: join(this.folder, 'config'),
        ...unset,
        ...environment,
      },
      stdio: ['ignore', output, output],
    });
    this.children.add(child);
    return child;
  }
}

/** A running `guildbook serve`. */
export class ServerProcess {
  private readonly output: { stdout: string; stderr: string };

  constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
    private readonly logFile?: string,
  ) {
    this.output = collect(child);
  }

  /** Everything that the process has printed, including the log. */
  get log(): string {
    return this.logFile === undefined ? this.output.stdout + this.output.stderr : readFileSync(this.logFile, 'utf8');
  }
  get url(): string {
    return LISTENING.exec(this.log)?.[1] ?? '';
  }
  /** The token of a first start, from its file: it is in no log. */
  get oneTimeToken(): string | undefined {
    return readAdminToken(this.dataDir);
  }

  async listening(): Promise<void> {
    while (this.url === '') {
      if (this.child.exitCode !== null) throw new Error(this.log);
      await sleep(20);
    }
    // The file is written before the address is printed.
    await new Guildbook({ server: this.url }).health();
    await setImmediate();
  }

  /** Waits until the process has printed the text. */
  async waitForOutput(text: string): Promise<void> {
    while (!this.log.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(this.log);
      await sleep(20);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Signs in with the token of the first start. */
  async administrator(): Promise<Guildbook> {
    const { token } = await new Guildbook({ server: this.url }).signIn(this.oneTimeToken ?? '');
    return new Guildbook({ server: this.url, token });
  }

  /** Sends a signal and waits for the end. Returns the exit code, or the signal that ended the process. */
  async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | string> {
    const closed = once(this.child, 'close');
    this.child.kill(signal);
    const [code, by] = await closed;
    return code ?? by;
  }
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}

/** Builds dist/ from the sources. The build empties the folder, so spec workers hold a lock for it. */
export async function build(): Promise<void> {
  const turn = join(tmpdir(), `guildbook-build-${sha256(PROJECT_ROOT).slice(0, 16)}`);
  await mkdir(turn, { recursive: true });
  const release = await waitForLock(turn);
  try {
    const child = spawn(process.execPath, [join(PROJECT_ROOT, 'scripts', 'setup.mjs'), 'build'], {
      env: { PATH: programPath() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = collect(child);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`the build failed:\n${output.stdout}${output.stderr}`);
  } finally {
    await release();
  }
}

async function waitForLock(directory: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      return await lockDirectory(directory);
    } catch (error) {
      if (!(error instanceof DirectoryInUseError)) throw error;
    }
  }
}
