import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
/** What the shell prints last when it waits for a line: its prompt, and codes for the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes begin with the escape character
const PROMPT = /READY> (?:\u001b\[[\d;?>=]*[A-Za-z]|\u001b[>=]|\r)*$/;

/** A shell on a terminal of its own, as a person has it; `script` of util-linux makes the terminal. */
export class InteractiveShell {
  private text = '';

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    process.once('exit', () => child.kill('SIGKILL'));
  }

  /** Starts the shell and lets it read these lines, the last of which makes "READY> " its prompt. */
  static async start(
    command: string,
    lines: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<InteractiveShell> {
    const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
      ...options,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const shell = new InteractiveShell(child);
    for (const line of lines) child.stdin?.write(`${line}\n`);
    await shell.until(() => PROMPT.test(shell.text));
    return shell;
  }

  get log(): string {
    return this.text;
  }

  /** Types keys, such as `guildbook sk\t`. */
  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Waits until the condition holds. Rejects with everything that the shell has printed. */
  async until(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`the shell printed:\n${JSON.stringify(this.text)}`);
      await sleep(50);
    }
  }

  async end(): Promise<void> {
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }
}
