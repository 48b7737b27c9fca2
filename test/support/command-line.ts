import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/program/program.js';
import { programPath } from '../../src/platform/config/environment.js';
import { Exit, SpecProcess } from './spec-process.js';

interface Finished {
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
  async run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Finished> {
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
