import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const LISTENING = /Guildbook is listening on (http:\/\/\S+)/;
const START_MS = 180_000;

/** A started command. One that still runs when this process ends is killed. */
export class StartedProgram {
  private readonly child: ChildProcess;
  private text = '';

  constructor(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    this.child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    process.once('exit', () => this.child.kill('SIGKILL'));
  }

  /** Everything that the process has printed. */
  get log(): string {
    return this.text;
  }
  get pid(): number {
    return this.child.pid ?? 0;
  }
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The address of a server, once it listens. Rejects with the output if the process ends instead. */
  async listening(): Promise<string> {
    return (await this.printed(LISTENING))[1] ?? '';
  }

  /** Waits until the output has a match. Rejects with the output if the process ends without it. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const match = pattern.exec(this.text);
      if (match !== null) return match;
      if (!this.isRunning) throw new Error(`the process ended without ${String(pattern)}:\n${this.text}`);
      if (performance.now() > deadline) throw new Error(`the process did not print ${String(pattern)}:\n${this.text}`);
      await sleep(20);
    }
  }

  /** Sends a signal and waits for the end. Returns the exit code, or the signal that ended the process. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    if (!this.isRunning) return this.child.exitCode ?? this.child.signalCode ?? 0;
    const closed = once(this.child, 'close');
    this.child.kill(signal);
    const [code, by] = await closed;
    return code ?? by;
  }
}
