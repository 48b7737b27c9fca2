import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT, SETTINGS } from '../../../src/platform/config/config.js';
import { programPath } from '../../../src/platform/config/environment.js';
import { dataDirOf, journalKeyOf, type Place } from '../consolidation/consolidator.js';

const PROGRAM = join(PROJECT_ROOT, 'test/crash/checkpoints/tune.mjs');
/** The name of its connections. After a kill, PostgreSQL may still be finishing what it had received. */
export const CONNECTION_NAME = 'guildbook-crash-checkpoints';

export interface Order {
  readonly op: 'run' | 'rollback' | 'delete' | 'look';
  readonly target?: string;
  /** Of a run that it starts. */
  readonly seed: number;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  /** Kills itself before this statement, from 1. */
  readonly killBefore?: number;
}

export interface Serving {
  readonly checkpointId: string | null;
  readonly name: string;
  readonly dimensions: number;
  readonly fits: boolean;
}

export interface Ended {
  readonly statements?: number;
  readonly ms?: number;
  readonly serving?: Serving;
  readonly refused?: string;
}

/** A process that tunes the embedder. It opens the database with its first order, so it can be started in advance. */
export class Tuner {
  log = '';
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(place: Place, dist: string) {
    const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: place.folder,
      env: {
        PATH: programPath(),
        ...unset,
        CRASH_DIST: dist,
        DATABASE_URL: place.url ?? '',
        PGAPPNAME: CONNECTION_NAME,
        GUILDBOOK_DATA_DIR: dataDirOf(place),
        GUILDBOOK_SKILLS_DIR: join(place.folder, 'skills'),
        GUILDBOOK_JOURNAL_KEY_FILE: journalKeyOf(place),
        GUILDBOOK_RETRIEVAL: 'hybrid',
        GUILDBOOK_UPKEEP_CRON: 'off',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.log += text;
    });
    // A killed process reads no more.
    child.stdin.on('error', () => undefined);
  }

  /** Begins an order. Returns what the process serves before it. */
  async begin(order: Order): Promise<Serving> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    const line = await this.line();
    if (!line?.startsWith('serving ')) throw new Error(`the program does not start: ${line ?? ''}\n${this.log}`);
    if ((await this.line()) !== 'running') throw new Error(`the order does not begin\n${this.log}`);
    return JSON.parse(line.slice('serving '.length));
  }

  /** What the order came to; undefined if the process ended before. */
  async ended(): Promise<Ended | undefined> {
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line.replace(/^ended /, ''));
  }

  async do(order: Order): Promise<Ended> {
    await this.begin(order);
    const ended = await this.ended();
    if (!ended || ended.refused !== undefined) throw new Error(`${order.op} failed: ${ended?.refused}\n${this.log}`);
    return ended;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  private async line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }
}
