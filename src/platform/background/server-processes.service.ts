import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { SECOND_MS } from '../base/durations.js';
import { messageOf } from '../base/error-text.js';
import { Ids } from '../base/ids.js';
import type { Config } from '../config/config.js';
import { VERSION } from '../config/version.js';
import { Database, type Tx } from '../database/database.js';

/** Orders the starts of processes. */
const LOCK = 7_240_027;
const HEARTBEAT_MS = 10 * SECOND_MS;
/** Three heartbeats: a busy machine may miss one. */
const LIVE_MS = 30 * SECOND_MS;
/** A dead process is shown at most this long, and one heartbeat of another process. */
const KEPT_MS = 60 * SECOND_MS;

export interface ServerProcess {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly address: string;
  readonly roleInForce: boolean | null;
  readonly skillsFolder: string | null;
  readonly indexBehind: number | null;
  readonly journalKey: string | null;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
}

/** What the parts of a process say about it, at each heartbeat. */
type Facts = Pick<ServerProcess, 'skillsFolder' | 'indexBehind'>;
type Fact = () => Promise<Partial<Facts>> | Partial<Facts>;

/** The live processes on this database, as rows. Each renews its own; a row that is not renewed is deleted. */
export class ServerProcesses implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ServerProcesses.name);
  /** Of this process, from its start to its end. */
  readonly id: string;
  private readonly startedAt: Date;
  private readonly facts: Fact[] = [];
  private timer: NodeJS.Timeout | undefined;
  private beat: Promise<void> = Promise.resolve();
  private isStopped = false;
  private liveCount = 1;
  private journalKey: string | undefined;

  constructor(
    private readonly listensAt: Pick<Config, 'host' | 'port'>,
    /** The name of the machine, redacted. */
    readonly host: string,
    private readonly database: Database,
    private readonly clock: Clock,
    ids: Ids,
  ) {
    this.id = ids.uuid();
    this.startedAt = clock.now();
  }

  /** Calls `fact` at each heartbeat, and shows what it returns beside this process. */
  describe(fact: Fact): void {
    this.facts.push(fact);
  }

  /** How many processes were live at the last heartbeat, this one included. */
  get live(): number {
    return this.liveCount;
  }

  /**
   * Puts this process on the list, at its start. `journalKey` names the key with which it signs the journal. If a live
   * process has another one, it stays off the list and that process is returned. Of two that start at once, one is first.
   */
  async join(journalKey: string): Promise<ServerProcess | undefined> {
    return this.database.transaction(async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)::text`;
      const since = new Date(this.clock.now().getTime() - KEPT_MS);
      // The embedded database has one process: a row in it is of one that was killed.
      const other =
        this.database.kind === 'embedded'
          ? null
          : await tx.serverProcess.findFirst({ where: { lastSeenAt: { gt: since }, journalKey: { not: journalKey } } });
      if (other !== null) return other;
      this.journalKey = journalKey;
      await this.write(tx, {});
      return undefined;
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.heartbeat(), HEARTBEAT_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.beat;
    const { id, database } = this;
    await database.client.$executeRaw`DELETE FROM "server_process" WHERE "id" = ${id}::uuid`.catch(() => undefined);
  }

  /** Renews this process, and deletes those that did not renew theirs for a minute. A failure is logged. */
  heartbeat(): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    this.beat = this.beat.then(() => this.renew());
    return this.beat;
  }

  /** The live processes, the oldest first. */
  async list(): Promise<ServerProcess[]> {
    const since = new Date(this.clock.now().getTime() - KEPT_MS);
    return this.database.client.serverProcess.findMany({
      where: { lastSeenAt: { gt: since } },
      orderBy: [{ startedAt: 'asc' }, { id: 'asc' }],
      take: 100,
    });
  }

  /**
   * Throws if the database cannot store anything: it only reads, or its disk is full. A row that is replaced may still
   * fit on a full disk, so that a list which exceeds its memory needs a file, too. The file ends with the statement.
   */
  async requireWritable(): Promise<void> {
    await this.database.client.$queryRaw`
      WITH "memory" AS MATERIALIZED (
        SELECT set_config('work_mem', '64kB', true) || set_config('temp_tablespaces', '', true) AS "set"),
      "row" AS (UPDATE "server_process" SET "pid" = "pid" WHERE "id" = ${this.id}::uuid)
      SELECT count(*) FROM "memory", LATERAL generate_series(length("set"), 10000)`;
  }

  private async renew(): Promise<void> {
    try {
      const facts: Partial<Facts> = {};
      for (const fact of this.facts) Object.assign(facts, await fact());
      await this.write(this.database.client, facts);
    } catch (error) {
      this.logger.warn(`the heartbeat of this process failed: ${messageOf(error)}`);
    }
  }

  private async write(tx: Tx, { skillsFolder = null, indexBehind = null }: Partial<Facts>): Promise<void> {
    const { kind, worker } = this.database;
    const now = this.clock.now();
    const address = `${this.listensAt.host}:${this.listensAt.port}`;
    const roleInForce = kind === 'embedded' ? null : worker.roleProblem === undefined;
    await tx.$executeRaw`
      INSERT INTO "server_process" ("id", "host", "pid", "version", "address", "role_in_force", "skills_folder",
        "index_behind", "journal_key", "started_at", "last_seen_at")
      VALUES (${this.id}::uuid, ${this.host}, ${process.pid}::int, ${VERSION}, ${address}, ${roleInForce}::boolean,
        ${skillsFolder}::text, ${indexBehind}::int, ${this.journalKey ?? null}::text, ${this.startedAt}, ${now})
      ON CONFLICT ("id") DO UPDATE SET "last_seen_at" = excluded."last_seen_at", "address" = excluded."address",
        "skills_folder" = excluded."skills_folder", "index_behind" = excluded."index_behind"`;
    const before = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
    await tx.$executeRaw`DELETE FROM "server_process" WHERE "last_seen_at" <= ${before(KEPT_MS)}`;
    const live = await tx.serverProcess.count({ where: { lastSeenAt: { gt: before(LIVE_MS) } } });
    this.liveCount = Math.max(1, live);
  }
}
