import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import { Database } from '../../platform/database/database.js';
import type { Embedder } from '../../recall/embedding/embedder.js';
import { ServedEmbedder } from '../../recall/embedding/served-embedder.js';
import { EMBEDDER, MemoryVectors } from '../../recall/index/memory-vectors.service.js';
import { CheckpointRepository } from '../checkpoints/checkpoint.repository.js';
import { CheckpointEmbedders } from '../checkpoints/checkpoint-embedders.service.js';

/** Other processes serve what the row names within this time, plus that of filling their index. */
const POLL_MS = 2_000;

/**
 * Lets this process serve the checkpoint that the database names. The switch is one assignment between two requests; if
 * the checkpoint has other vectors, they are complete before it, and meanwhile the one in service stays as a whole.
 */
@Injectable()
export class EmbedderSwitch implements OnModuleInit {
  private readonly logger = new Logger(EmbedderSwitch.name);
  private failedId: string | null = null;
  private preparing: Embedder | undefined;
  private following: Promise<void> | undefined;
  /** Why something else is served than the database names. */
  problem: string | null = null;

  constructor(
    @Inject(EMBEDDER) private readonly served: ServedEmbedder,
    private readonly database: Database,
    private readonly checkpoints: CheckpointRepository,
    private readonly embedders: CheckpointEmbedders,
    private readonly vectors: MemoryVectors,
  ) {}

  /** Before the first request. No vectors are in use yet, so there is nothing to prepare. */
  async onModuleInit(): Promise<void> {
    await this.follow();
  }

  @Interval(POLL_MS)
  async poll(): Promise<void> {
    try {
      await this.follow();
    } catch (error) {
      this.logger.error(stackOf(error));
    }
  }

  /** Switches now if it can. Calls at the same time share one look at the row. */
  follow(): Promise<void> {
    this.following ??= this.switchIfReady().finally(() => {
      this.following = undefined;
    });
    return this.following;
  }

  private async switchIfReady(): Promise<void> {
    const { client } = this.database;
    const { checkpointId } = await this.checkpoints.active(client);
    if (checkpointId === this.served.current.checkpointId) {
      this.problem = null;
      return;
    }
    if (checkpointId !== null && checkpointId === this.failedId) return;
    try {
      const served = await this.embedders.open(client, checkpointId);
      if (this.preparing && this.preparing.name !== served.embedder.name) this.vectors.discard(this.preparing);
      this.preparing = served.embedder;
      if (!this.vectors.prepare(served.embedder)) return;
      this.preparing = undefined;
      this.vectors.switchTo(served);
      this.problem = null;
      this.failedId = null;
      this.logger.log(`${served.displayName} is in service`);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // What cannot be served is not tried again until the row changes. The configured embedder always can.
      this.failedId = checkpointId;
      this.problem = error.message;
      this.logger.error(`${this.problem} The configured embedder stays in service.`);
      if (this.served.current !== this.served.configured) this.vectors.switchTo(this.served.configured);
    }
  }
}
