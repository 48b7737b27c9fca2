import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { isUniqueViolation, type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { type LiveSkill, LiveSkills } from '../proposals/live-skills.service.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { mergeFingerprint } from '../proposals/retirement.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { RetirementWriter } from './retirement-writer.service.js';

type SkillRef = Pick<MemoryEntry, 'id' | 'skillName'>;

/** Two live skills that say the same: the one that stays, the one that goes, and why, in words of rules. */
export interface Merge {
  readonly keep: SkillRef;
  readonly retire: SkillRef;
  readonly says: string;
}

/**
 * `pending`: this pair, or another proposal about one of the two. `rejected`: a person keeps both versions. `changed`: one
 * of them is no longer live.
 */
export type MergeOutcome =
  | { readonly outcome: 'submitted'; readonly proposalId: string }
  | { readonly outcome: 'pending' | 'rejected' | 'changed' };

/**
 * Proposes to retire one of two live skills that say the same. The text that stays is the approved one, byte for byte, so
 * that the only change is a retirement, and a person decides on it.
 */
@Injectable()
export class ProposeMerge {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly proposals: ProposalRepository,
    private readonly skills: LiveSkills,
    private readonly writer: RetirementWriter,
  ) {}

  async propose(actor: JobActor, merge: Merge): Promise<MergeOutcome> {
    requireJob(actor);
    try {
      return await this.database.transaction((tx) => this.proposeIn(tx, actor, merge));
    } catch (error) {
      if (isUniqueViolation(error)) return { outcome: 'pending' };
      throw error;
    }
  }

  private async proposeIn(tx: Tx, actor: JobActor, { keep, retire, says }: Merge): Promise<MergeOutcome> {
    const [kept, retired] = [await this.live(tx, keep), await this.live(tx, retire)];
    if (!kept || !retired || keep.id === retire.id) return { outcome: 'changed' };
    const fingerprint = mergeFingerprint(keep.id, retire.id);
    const [last] = await this.proposals.retirementRequests(tx, fingerprint);
    if (last?.proposal.state === 'rejected') return { outcome: 'rejected' };
    if (await this.proposals.isMergeBlocked(tx, versionOf(kept), versionOf(retired))) return { outcome: 'pending' };
    const request = requestOf(kept, redact(says).text);
    const action = 'proposal.merge_proposed';
    const proposalId = await this.writer.create(tx, actor, { live: retired, fingerprint, request, action });
    return { outcome: 'submitted', proposalId };
  }

  private async live(tx: Tx, { id, skillName }: SkillRef): Promise<LiveSkill | undefined> {
    const found = skillName === null ? undefined : await this.skills.find(tx, skillName);
    return found?.entry.id === id ? found : undefined;
  }
}

const versionOf = ({ entry, approved: { skillName } }: LiveSkill) => ({ memoryId: entry.id, skillName });

/** Ids and hashes are those of the database, and not redacted: the digits of a hash could be taken for a secret. */
function requestOf({ entry, approved }: LiveSkill, says: string): RetirementRequest {
  const { id: proposalId, skillName, version, artifactSha256 } = approved;
  return { reason: 'merge', says, keep: { memoryId: entry.id, proposalId, skillName, version, artifactSha256 } };
}
