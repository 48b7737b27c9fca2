import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { skillSlug } from '../../skills/document/slug.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { sanitizeWording, toNewProposal } from '../proposals/new-proposal.js';
import type { Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { requireFound } from '../proposals/proposal-summary.js';
import type { ProposalSummary, Resolve } from '../proposals/proposals.schema.js';
import type { ProposedSkill } from '../proposals/proposed-skill.schema.js';
import { withEditor } from '../proposals/quorum.js';
import { ContradictionRepository } from '../voting/contradiction.repository.js';
import type { ReadRevision } from '../voting/open-proposal.js';
import { OpenProposals } from '../voting/open-proposals.service.js';
import { RevisionWriter } from '../voting/revision-writer.service.js';
import { RejectProposal } from './reject.js';

/** Resolves a contradiction between a proposal and a live skill or another proposal. */
@Injectable()
export class ResolveContradiction {
  constructor(
    private readonly database: Database,
    private readonly proposals: ProposalRepository,
    private readonly rejectProposal: RejectProposal,
    private readonly skills: LiveSkills,
    private readonly open: OpenProposals,
    private readonly revisions: RevisionWriter,
    private readonly builder: ProposalBuilder,
    private readonly contradictions: ContradictionRepository,
    private readonly org: OrgEntries,
  ) {}

  /**
   * Turns a conflict into a successor of the live skill or into a merged wording, or rejects it. A successor with another
   * remedy is renamed. Throws `conflict` for
   * other proposals, and if the proposal changed, is decided or has expired.
   */
  async resolve(reviewer: ReviewerActor, id: string, resolution: Resolve, ifMatch?: string): Promise<ProposalSummary> {
    const seen = { artifactSha256: resolution.artifactSha256, ifMatch };
    if (resolution.as === 'keep') return this.keep(reviewer, id, seen);
    return this.database.transaction(async (tx) => {
      const proposal = await this.open.lockInScope(tx, reviewer, id, seen);
      requireConflict(proposal);
      if (resolution.as === 'supersede') requireLive(proposal);
      await this.open.requireCurrent(tx, proposal);
      // Two pending proposals have no live skill to amend.
      const kind = proposal.supersedesId === null ? ('new_skill' as const) : resolution.as;
      const submission = { ...toNewProposal(proposal), kind };
      const sanitized =
        resolution.as === 'supersede' ? proposal : sanitizeWording(resolution.proposedSkill, proposal, reviewer.id);
      const merged =
        resolution.as === 'supersede'
          ? submission
          : {
              ...submission,
              fingerprints: await this.fingerprintsOfBoth(tx, proposal),
              ...withEditor(proposal, reviewer.id),
            };
      const skillVersion = await this.nameFor(tx, proposal, sanitized.proposedSkill);
      const content = await this.builder.build(tx, id, merged, sanitized, skillVersion);
      return this.revisions.revise(tx, reviewer, proposal, content, 'proposal.resolved');
    });
  }

  /**
   * The name under which the skill goes on. A skill of another remedy gets the name of its own title, because the old
   * name says what no longer holds; the approval publishes it and removes the old file in one commit.
   */
  private async nameFor(
    tx: Tx,
    proposal: Proposal,
    { title, action }: ProposedSkill,
  ): Promise<Pick<Proposal, 'skillName' | 'version'>> {
    const live = proposal.supersedesId === null ? undefined : await this.skills.find(tx, proposal.skillName);
    // A merged wording keeps the name: its remedy is neither of both.
    const isOther = live?.approved.proposedSkill.action !== action && proposal.proposedSkill.action === action;
    if (!live || !isOther) return proposal;
    const plain = skillSlug(title);
    if (plain === proposal.skillName) return proposal;
    const isTaken = (await this.org.lastVersion(plain, tx)) > 0 || (await this.proposals.isSkillNameTaken(tx, plain));
    const skillName = isTaken ? skillSlug(plain, sha256(proposal.fingerprint).slice(0, 8)) : plain;
    const version = Math.max(live.approved.version, await this.org.lastVersion(skillName, tx)) + 1;
    return { skillName, version };
  }

  private async keep(reviewer: ReviewerActor, id: string, seen: ReadRevision): Promise<ProposalSummary> {
    const proposal = requireFound(await this.proposals.find(this.database.client, id), id);
    requireConflict(proposal);
    const [rival] = (await this.contradictions.rivals(this.database.client, [id])).get(id) ?? [];
    const stands =
      proposal.supersedesId === null && rival
        ? `The other proposal, "${rival.title}",`
        : `The live skill "${proposal.skillName}"`;
    return this.rejectProposal.reject(reviewer, id, `${stands} stays.`, seen);
  }

  /** The merged skill covers the patterns of both. */
  private async fingerprintsOfBoth(tx: Tx, proposal: Proposal): Promise<string[]> {
    if (proposal.supersedesId === null) {
      const rivals = (await this.contradictions.rivals(tx, [proposal.id])).get(proposal.id) ?? [];
      const pending = rivals.filter(({ state }) => state === 'pending');
      return [...new Set([...proposal.fingerprints, ...pending.flatMap(({ fingerprints }) => fingerprints)])];
    }
    const live = await this.skills.find(tx, proposal.skillName);
    return [...new Set([...proposal.fingerprints, ...(live?.approved.fingerprints ?? [])])];
  }
}

function requireConflict({ kind }: Proposal): void {
  if (kind !== 'conflict')
    throw new DomainError(
      'conflict',
      'proposal.no_conflict',
      'This proposal contradicts neither a live skill nor a pending proposal.',
    );
}

function requireLive({ supersedesId }: Proposal): void {
  if (supersedesId === null)
    throw new DomainError(
      'conflict',
      'proposal.no_conflict',
      'There is no live skill to replace: this contradicts a pending proposal. Approve it, merge both into one wording, or keep the other one.',
    );
}
