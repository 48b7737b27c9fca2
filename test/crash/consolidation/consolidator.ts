import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT, SETTINGS } from '../../../src/platform/config/config.js';
import { programPath } from '../../../src/platform/config/environment.js';

const PROGRAM = join(PROJECT_ROOT, 'test/crash/consolidation/consolidate.mjs');

/** The name of its connections. After a kill, PostgreSQL may still be finishing what it had received. */
export const CONNECTION_NAME = 'guildbook-crash-consolidation';

export interface Order {
  /** Every agent by default. */
  readonly agentId?: string;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  /** Kills itself before this statement of the run, from 1. */
  readonly killBefore?: number;
}

export interface Ended {
  readonly runs?: number;
  readonly failed?: readonly (string | null)[];
  readonly busy?: number;
  readonly statements?: number;
  readonly ms?: number;
  readonly refused?: string;
}

export interface Place {
  readonly folder: string;
  /** Undefined: the embedded database in the folder. */
  readonly url: string | undefined;
}

export const dataDirOf = ({ folder }: Place): string => join(folder, 'database');
export const journalKeyOf = ({ folder }: Place): string => join(folder, 'journal-key.pem');

/** A process that consolidates. It opens the database with its first order, so it can be started in advance. */
export class Consolidator {
  log = '';
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(place: Place) {
    const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: place.folder,
      env: {
        PATH: programPath(),
        ...unset,
        DATABASE_URL: place.url ?? '',
        PGAPPNAME: CONNECTION_NAME,
        GUILDBOOK_DATA_DIR: dataDirOf(place),
        GUILDBOOK_SKILLS_DIR: join(place.folder, 'skills'),
        GUILDBOOK_JOURNAL_KEY_FILE: journalKeyOf(place),
        GUILDBOOK_CONSOLIDATION_CRON: 'off',
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

  /** Begins a run. Returns when the process says that it begins. */
  async begin(order: Order): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    const line = await this.line();
    if (line !== 'running') throw new Error(`the consolidation does not start: ${line ?? ''}\n${this.log}`);
  }

  /** What the begun run came to; undefined if the process ended before it. */
  async ended(): Promise<Ended | undefined> {
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line.replace(/^ended /, ''));
  }

  async run(order: Order): Promise<Ended> {
    await this.begin(order);
    const ended = await this.ended();
    if (!ended) throw new Error(`the consolidation ended unexpectedly:\n${this.log}`);
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
