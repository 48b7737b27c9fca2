import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { programPath } from '../../src/platform/config/environment.js';
import { type Finished, finished, installGlobally, type Packed, packInto } from './packed-program.js';
import { StartedProgram } from './started-program.js';

/** A home and a current folder as on a new machine: both are empty, and no variable of this process is set. */
export interface Home {
  readonly home: string;
  readonly cwd: string;
  /** HOME, and PATH with `guildbook` on it. Nothing else is set. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface RunOptions {
  /** A new one without it. */
  readonly home?: Home;
  /** Variables besides HOME and PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to standard input, which is empty without it. */
  readonly input?: string;
}

/** The program that `npm install --global` puts on a machine. Each run packs and installs it once. */
export class InstalledProgram {
  private constructor(
    /** Everything of this run; removed when the process ends. */
    readonly folder: string,
    readonly packed: Packed,
    readonly prefix: string,
  ) {}

  static async prepare(): Promise<InstalledProgram> {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-installed-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const packed = await packInto(join(folder, 'packed'));
    const prefix = join(folder, 'prefix');
    await installGlobally(packed.file, prefix);
    return new InstalledProgram(folder, packed, prefix);
  }

  /** Path of the tarball. */
  get tarball(): string {
    return this.packed.file;
  }
  /** Path of the `guildbook` command. */
  get bin(): string {
    return join(this.prefix, 'bin', 'guildbook');
  }
  /** Folder of the installed package. */
  get packageFolder(): string {
    return join(this.prefix, 'lib', 'node_modules', 'guildbook');
  }

  newHome(): Home {
    const machine = mkdtempSync(join(this.folder, 'machine-'));
    const [home, cwd] = [join(machine, 'home'), join(machine, 'work')];
    for (const folder of [home, cwd]) mkdirSync(folder);
    const path = [join(this.prefix, 'bin'), programPath()].join(delimiter);
    return { home, cwd, environment: { HOME: home, PATH: path } };
  }

  /** Runs one command to its end. */
  run(args: readonly string[], { home = this.newHome(), env, cwd, input }: RunOptions = {}): Promise<Finished> {
    return finished(this.bin, args, {
      cwd: cwd ?? home.cwd,
      env: { ...home.environment, ...env },
      ...(input === undefined ? {} : { input }),
    });
  }

  /** Starts a command that keeps running, such as `serve`. */
  start(args: readonly string[], { home = this.newHome(), env, cwd }: RunOptions = {}): StartedProgram {
    return new StartedProgram(this.bin, args, cwd ?? home.cwd, { ...home.environment, ...env });
  }
}

let prepared: Promise<InstalledProgram> | undefined;

/** Packs the program and installs it into a temporary prefix, once in a run. */
export function installedProgram(): Promise<InstalledProgram> {
  prepared ??= InstalledProgram.prepare();
  return prepared;
}
