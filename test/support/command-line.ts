import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/program/program.js';
import type { CommandProcess } from '../../src/cli/terminal/command-process.js';
import { programPath } from '../../src/platform/config/environment.js';

type Environment = Readonly<Record<string, string>>;

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The command line with a new folder and home. It runs in the process of the spec, and each command sees a process of its
 * own. What only a real process shows, such as a signal, needs a `BuiltProgram`.
 */
export class CommandLine {
  private constructor(readonly folder: string) {}

  static async create(): Promise<CommandLine> {
    return new CommandLine(await mkdtemp(join(tmpdir(), 'guildbook-commands-')));
  }

  get sessionFile(): string {
    return join(this.folder, 'config', 'guildbook', 'sessions.json');
  }

  /** Runs one command and returns its output. */
  async run(args: readonly string[], environment: Environment = {}): Promise<Finished> {
    const own = new SpecProcess(this.folder, {
      PATH: programPath(),
      HOME: join(this.folder, 'home'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      ...environment,
    });
    await runCommandLine(args, own).catch((error: unknown) => {
      if (!(error instanceof Exit)) throw error;
    });
    return { code: own.exitCode, stdout: own.stdout.text, stderr: own.stderr.text };
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** Ends a command where `process.exit` ends a process. */
class Exit extends Error {}

/** A process without a terminal, with nothing to read and its own signals. */
export class SpecProcess extends EventEmitter implements CommandProcess {
  readonly stdin = Readable.from([]);
  readonly stdout = new Printed();
  readonly stderr = new Printed();
  exitCode = 0;

  constructor(
    private readonly folder: string,
    readonly env: Environment,
  ) {
    super();
  }

  cwd(): string {
    return this.folder;
  }

  exit(code: number): never {
    this.exitCode = code;
    throw new Exit();
  }
}

class Printed extends Writable {
  private readonly chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}
