import { Inject, Injectable } from '@nestjs/common';
import type { Place } from '../../access/identity/remit.js';
import type { Config } from '../../platform/config/config.js';
import type { Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { ItemContent } from './approval-item.js';
import { AudienceRepository } from './audience.repository.js';
import { MAX_SEEN_BY } from './proposal.schema.js';
import { soleOwner } from './quorum.js';
import { itemContent, type Safe, type Submission } from './submission.js';

/** Items as this installation makes them: its agents are a part of the risk, and its settings say who has to agree. */
@Injectable()
export class ItemContents {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly audiences: AudienceRepository,
  ) {}

  /** Throws `invalid` when it cannot be published. */
  async of(
    tx: Tx,
    id: string,
    submission: Omit<Submission, 'skillName' | 'proposal' | 'evidence' | 'fingerprint'>,
    safe: Safe,
    { skillName, version }: Pick<ItemContent, 'skillName' | 'version'>,
  ): Promise<ItemContent> {
    const reach = await this.audiences.reach(tx);
    const audience = await this.audienceOf(tx, safe);
    const owner = soleOwner(safe.evidence);
    const sourceOwnerId = owner === undefined ? null : await this.audiences.reviewedOwner(tx, owner);
    const place = { skillName, version, audience, sourceOwnerId };
    return itemContent(id, submission, safe, { ...place, reach, quorum: this.config });
  }

  /** The departments and roles of the agents that it was learned from. A list that was cut is everybody's. */
  private async audienceOf(tx: Tx, { evidence }: Safe): Promise<Place[]> {
    const names = evidence.seenBy.map(({ agent }) => agent);
    return names.length >= MAX_SEEN_BY ? [] : this.audiences.places(tx, names);
  }
}
