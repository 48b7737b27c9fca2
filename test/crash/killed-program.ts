import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SETTINGS } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';

export interface Place {
  readonly folder: string;
  /** Undefined: the embedded database in the folder. */
  readonly url: string | undefined;
}

export const dataDirOf = ({ folder }: Place): string => join(folder, 'database');
export const journalKeyOf = ({ folder }: Place): string => join(folder, 'journal-key.pem');

/** Opens the database for a moment: the embedded one has one process at a time. */
export async function readPlace<T>(place: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const where = place.url ? { url: place.url } : { dataDir: dataDirOf(place) };
  const database = await Database.open({ ...where, migrationsDir: MIGRATIONS });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * A process of the built program that takes orders as lines of JSON and answers in lines. It opens the database with its
 * first order, so it can be started in advance. `End` is what it says of an order that ended.
 */
export abstract class KilledProgram<End> {
  log = '';
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** `environment` is that of this program beside the place. */
  constructor(file: string, place: Place, environment: Readonly<Record<string, string>>) {
    const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    const child = spawn(process.execPath, [file], {
      cwd: place.folder,
      env: {
        PATH: programPath(),
        ...unset,
        DATABASE_URL: place.url ?? '',
        GUILDBOOK_DATA_DIR: dataDirOf(place),
        GUILDBOOK_SKILLS_DIR: join(place.folder, 'skills'),
        GUILDBOOK_JOURNAL_KEY_FILE: journalKeyOf(place),
        GUILDBOOK_UPKEEP_CRON: 'off',
        ...environment,
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

  /** What the begun order came to; undefined if the process ended before it. */
  async ended(): Promise<End | undefined> {
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line.replace(/^ended /, ''));
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  protected send(order: object): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  protected async line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }
}
