import { Injectable } from '@nestjs/common';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Tx } from '../../platform/database/database.js';
import type { Proposal } from './proposal.js';
import { ProposalRepository } from './proposal.repository.js';

/** A live skill: its org entry, and the approved proposal that it was made from. */
export interface LiveSkill {
  readonly entry: MemoryEntry;
  readonly approved: Proposal;
}

/** Finds live skills with their approved proposals. */
@Injectable()
export class LiveSkills {
  constructor(
    private readonly proposals: ProposalRepository,
    private readonly org: OrgEntries,
  ) {}

  async find(tx: Tx, name: string): Promise<LiveSkill | undefined> {
    const entry = await this.org.liveSkill(name, tx);
    const approved = entry?.proposalId ? await this.proposals.find(tx, entry.proposalId) : undefined;
    return entry && approved ? { entry, approved } : undefined;
  }

  /** Throws `not_found` if no live skill has this name. */
  async require(tx: Tx, name: string): Promise<LiveSkill> {
    const live = await this.find(tx, name);
    if (!live) throw new DomainError('not_found', 'skill.not_found', `There is no skill "${name}".`);
    return live;
  }
}
