import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isolated } from './isolation.js';
import type { Step } from './page.js';

const LISTENING = 'Guildbook is listening';
/** A block that installs packages from a registry takes longest. */
const BLOCK_TIMEOUT_MS = 600_000;
/** The first start creates the database; a machine under load may be ten times slower. */
const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/**
 * Sources the block files whose names arrive on descriptor 3, all in one shell, and answers with their status on
 * descriptor 4. A failed command of a block ends the shell, as `set -e` says. `wait` is never called: a block that keeps
 * running is a job of this shell, so that a later block can stop it (`kill %1`).
 */
const DRIVER = `set -eu
while IFS=' ' read -r kind file <&3; do
  if [ "$kind" = background ]; then
    eval "$(cat "$file") &" >"$file.out" 2>&1 </dev/null 3<&- 4>&-
  else
    . "$file" >"$file.out" 2>&1 </dev/null 3<&- 4>&-
  fi
  echo done >&4
done
for job in $(jobs -p); do kill "$job" || true; done
wait`;

export interface PageHome {
  /** Holds the files of the session; outside of what the page sees as its home. */
  readonly folder: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The empty database for blocks that need PostgreSQL. Others do not see it. */
  readonly databaseUrl: string | undefined;
}

/** One bash that runs the blocks of a page, one after the other, as a reader does in one terminal. */
export class PageSession {
  private ended: string | undefined;
  private blocks = 0;

  private constructor(
    private readonly shell: ChildProcess,
    private readonly commands: NodeJS.WritableStream,
    private readonly answers: AsyncIterator<string>,
    private readonly home: PageHome,
  ) {
    shell.once('exit', (code, signal) => {
      this.ended = signal ?? `status ${code}`;
    });
  }

  static async open(home: PageHome): Promise<PageSession> {
    const blocks = join(home.folder, 'blocks');
    await mkdir(blocks, { recursive: true });
    const [program, ...args] = isolated(home.folder, ['bash', '-c', DRIVER]);
    const log = createWriteStream(join(home.folder, 'shell.log'));
    await once(log, 'open');
    const shell = spawn(program ?? 'bash', args, {
      cwd: home.cwd,
      env: home.env,
      // A group of its own, so that `close` reaches whatever the blocks started.
      detached: true,
      stdio: ['ignore', log, log, 'pipe', 'pipe'],
    });
    // Node.js types the extra descriptors as either direction: 3 is written and 4 is read here.
    const [commands, answers] = [shell.stdio[3] as NodeJS.WritableStream, shell.stdio[4] as NodeJS.ReadableStream];
    return new PageSession(shell, commands, createInterface({ input: answers })[Symbol.asyncIterator](), home);
  }

  /** Runs one block. Throws with its output if a command failed, or if a server did not start to listen. */
  async run({ text, background, needs }: Step): Promise<void> {
    this.blocks += 1;
    const file = join(this.home.folder, 'blocks', `${this.blocks}.sh`);
    const url = needs.includes('postgresql') ? this.home.databaseUrl : undefined;
    await writeFile(file, background ? oneCommand(text, url) : withDatabase(text, url));
    await writeFile(`${file}.out`, '');
    this.commands.write(`${background ? 'background' : 'block'} ${file}\n`);
    const answer = await withTimeout(this.answers.next(), BLOCK_TIMEOUT_MS);
    if (answer === undefined) throw new Error(`did not end within ${BLOCK_TIMEOUT_MS / 1000} s\n${await tail(file)}`);
    if (answer.done === true) throw new Error(`ended the shell (${await this.status()})\n${await tail(file)}`);
    if (background) await this.untilListening(file);
  }

  /** Stops the servers as Ctrl-C does, then everything else that the blocks started. */
  async close(): Promise<void> {
    if (this.ended === undefined) {
      const exit = once(this.shell, 'exit');
      this.commands.end();
      await withTimeout(exit, STOP_TIMEOUT_MS);
    }
    try {
      if (this.shell.pid !== undefined) process.kill(-this.shell.pid, 'SIGKILL');
    } catch {
      // Nothing of the group is left.
    }
  }

  private async untilListening(file: string): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if ((await readFile(`${file}.out`, 'utf8')).includes(LISTENING)) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`did not print "${LISTENING}" within ${START_TIMEOUT_MS / 1000} s\n${await tail(file)}`);
  }

  private async status(): Promise<string> {
    if (this.ended === undefined) await withTimeout(once(this.shell, 'exit'), 5_000);
    return this.ended ?? 'still running';
  }
}

/** The text as one command, for the `&` behind it; comments and blank lines would stand between. */
function oneCommand(text: string, databaseUrl: string | undefined): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const only = lines.length === 1 ? lines[0] : undefined;
  // Without braces, `$!` and `kill %1` name the program itself and not a shell around it.
  if (only !== undefined) {
    const variable = databaseUrl === undefined ? '' : `DATABASE_URL='${databaseUrl}' `;
    return variable + only.replace(/\s+#\s.*$/, '');
  }
  return `{\n${withDatabase(lines.join('\n'), databaseUrl)}\n}`;
}

/** The variable is taken back behind the block, unless the block itself has changed it. */
function withDatabase(text: string, databaseUrl: string | undefined): string {
  if (databaseUrl === undefined) return text;
  return `export DATABASE_URL='${databaseUrl}'\n${text}\nif [ "\${DATABASE_URL-}" = '${databaseUrl}' ]; then unset DATABASE_URL; fi\n`;
}

async function tail(file: string): Promise<string> {
  const output = await readFile(`${file}.out`, 'utf8');
  return `${await readFile(file, 'utf8')}--- output\n${output.slice(-4_000)}`;
}

async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
