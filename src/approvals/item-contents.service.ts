import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../platform/config.js';
import type { Tx } from '../platform/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { ApprovalRepository } from './approval.repository.js';
import type { ItemContent } from './approval-item.js';
import { itemContent, type Safe, type Submission } from './submission.js';

/** Items as this installation makes them: its agents are a part of the risk, and its settings say who has to agree. */
@Injectable()
export class ItemContents {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly items: ApprovalRepository,
  ) {}

  /** Throws `invalid` when it cannot be published. */
  async of(
    tx: Tx,
    id: string,
    submission: Omit<Submission, 'skillName' | 'proposal' | 'evidence' | 'fingerprint'>,
    safe: Safe,
    { skillName, version }: Pick<ItemContent, 'skillName' | 'version'>,
  ): Promise<ItemContent> {
    const reach = await this.items.agents(tx);
    return itemContent(id, submission, safe, { skillName, version, reach, quorum: this.config });
  }
}
