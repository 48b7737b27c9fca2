import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CommandProcess } from '../../src/cli/terminal/command-process.js';
import type { Environment } from '../../src/platform/config/environment.js';

/** Ends a command where `process.exit` ends a process. */
export class Exit extends Error {}

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
