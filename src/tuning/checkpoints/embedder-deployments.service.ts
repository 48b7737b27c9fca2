import { Injectable, Logger } from '@nestjs/common';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { messageOf, stackOf } from '../../platform/base/error-text.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { clip } from '../../untrusted/text/clip.js';
import { CheckpointRepository } from '../checkpoints/checkpoint.repository.js';
import { CheckpointEmbedders } from '../checkpoints/checkpoint-embedders.service.js';
import { NotSupported } from '../checkpoints/tuning.errors.js';
import { CONFIGURED } from '../checkpoints/tuning.schema.js';

const LONGEST_FAILURE = 300;

/** Changes the row that names what is served: whole or not at all, with its entries in the journal. */
@Injectable()
export class EmbedderDeployments {
  private readonly logger = new Logger(EmbedderDeployments.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly checkpoints: CheckpointRepository,
    private readonly embedders: CheckpointEmbedders,
  ) {}

  /**
   * Deploys the checkpoint of a run. `expected` is what was served when the run began: its verdict compares with that, so
   * anything else is a conflict.
   */
  async deploy(actor: Actor, checkpointId: string, expected: string | null): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        const now = this.clock.now();
        const { checkpointId: current } = await this.checkpoints.lockActive(tx, now);
        if (current === checkpointId) return;
        if (current !== expected)
          throw new DomainError('conflict', 'tuning.served_changed', 'What is served changed during the run.');
        await this.embedders.open(tx, checkpointId);
        await this.checkpoints.switchTo(tx, checkpointId, current, now);
        await this.journal.append(tx, actor, {
          action: 'memory.checkpoint_deployed',
          subject: { type: 'embedder_checkpoint', id: checkpointId },
          data: { replaced: current ?? CONFIGURED },
        });
      });
    } catch (error) {
      await this.recordFailure(actor, 'memory.checkpoint_deploy_failed', checkpointId, error);
      throw error;
    }
  }

  /**
   * Puts a checkpoint, or with null the configured embedder, back in service. `record` writes what the caller adds to the
   * journal in the same transaction. The failure of a step has another entry than that of a deployment.
   */
  async rollBack(
    actor: Actor,
    target: string | null,
    why: string,
    record: (tx: Tx) => Promise<void> = async () => undefined,
  ): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        const now = this.clock.now();
        const { checkpointId: current } = await this.checkpoints.lockActive(tx, now);
        // Before the comparison: what is served does not make an unknown checkpoint known.
        await this.embedders.open(tx, target);
        if (current === target)
          throw new DomainError('conflict', 'tuning.already_active', 'This embedder is in service already.');
        await this.checkpoints.switchTo(tx, target, current, now);
        await this.journal.append(tx, actor, {
          action: 'memory.checkpoint_rolled_back',
          subject: { type: 'embedder_checkpoint', id: target ?? CONFIGURED },
          data: { replaced: current ?? CONFIGURED, why: redact(why).text },
        });
        await record(tx);
      });
    } catch (error) {
      if (isFailure(error)) await this.recordFailure(actor, 'memory.checkpoint_rollback_failed', target, error);
      throw error;
    }
  }

  /** In another transaction: that of the operation took everything back. */
  private async recordFailure(actor: Actor, action: string, target: string | null, error: unknown): Promise<void> {
    try {
      await this.database.transaction((tx) =>
        this.journal.append(tx, actor, {
          action,
          subject: { type: 'embedder_checkpoint', id: target ?? CONFIGURED },
          data: { failure: failureOf(error) },
        }),
      );
    } catch (second) {
      this.logger.error(`${action}: ${failureOf(error)}; the journal has no entry: ${stackOf(second)}`);
    }
  }
}

/** A refusal of the request is not one: nothing was tried. */
const isFailure = (error: unknown): boolean =>
  error instanceof NotSupported || !(error instanceof DomainError) || error.kind === 'unavailable';

/** The first words of an error, redacted: its message may hold text from outside. */
export const failureOf = (error: unknown): string => clip(redact(messageOf(error)).text, LONGEST_FAILURE);
