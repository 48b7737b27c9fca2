import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { voteOn } from '../src/approvals/voting/approval-request.js';
import { jobActor, type ReviewerActor } from '../src/journal/actor.js';
import { Database } from '../src/platform/database/database.js';
import { testProposalInput } from '../test/support/proposal-input.js';
import { wireServices } from '../test/support/wired-services.js';
import { recordRepository, repositoryIn } from './primed-repository.js';

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname;

/** A real database (embedded, on disk) with decisions in its outbox, and the real publisher that drains it. */
export class Outbox {
  private decided = 0;

  private constructor(
    private readonly database: Database,
    private readonly folder: string,
    private readonly parts: Awaited<ReturnType<typeof wireServices>>,
    private readonly reviewer: ReviewerActor,
  ) {}

  static async open(): Promise<Outbox> {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-database-'));
    const database = await Database.open({ dataDir: folder, migrationsDir: MIGRATIONS });
    const parts = await wireServices(database);
    return new Outbox(database, folder, parts, await parts.reviewer('Ada Reviewer'));
  }

  async close(): Promise<void> {
    await this.database.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Adds decisions without waking the publisher. */
  async fill(decisions: number): Promise<void> {
    for (let n = 0; n < decisions; n += 1) {
      this.decided += 1;
      const { id } = await this.parts.submitProposal.submit(
        jobActor('bench'),
        testProposalInput(`Decision number ${this.decided}`),
      );
      await this.database.transaction(async (tx) => {
        const item = await this.parts.items.lock(tx, id);
        if (item) await this.parts.caster.cast(tx, [voteOn(this.reviewer, item, [])]);
      });
    }
  }

  async drainerInto(folder: string): Promise<Drain> {
    await recordRepository(folder, (statement, ...values) =>
      this.database.client.$executeRawUnsafe(statement, ...values),
    );
    const { publisher, remote } = this.parts.publishing(repositoryIn(folder));
    return async () => {
      const began = performance.now();
      publisher.wake();
      await publisher.idle();
      const took = performance.now() - began;
      // It reads the database, which the benchmark closes at its end.
      await remote.idle();
      const left = await this.database.client.publication.count({ where: { state: 'pending' } });
      if (left > 0) throw new Error(`${left} decisions were not published`);
      return took;
    };
  }
}

/** Publishes all pending decisions; returns the time in milliseconds. */
export type Drain = () => Promise<number>;
