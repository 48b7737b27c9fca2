import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import {
  evidenceFor,
  type NewProposal,
  proposalEntry,
  rebasedTarget,
  requireSupported,
  type SanitizedProposal,
  sanitizeProposal,
  withGate,
  withKeptAuthors,
} from '../proposals/new-proposal.js';
import type { Proposal, ProposalContent } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { neverLower } from '../proposals/risk.js';
import { Contradictions } from '../voting/contradictions.service.js';
import { VoteRepository } from '../voting/vote.repository.js';
import type { SubmitResult } from './submit.js';

/** Updates the pending proposal of a pattern with new evidence. */
@Injectable()
export class RefreshProposal {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly votes: VoteRepository,
    private readonly builder: ProposalBuilder,
    private readonly org: OrgEntries,
    private readonly contradictions: Contradictions,
  ) {}

  /**
   * Writes a new revision. A proposal that a person edited or voted for is only revised if its target skill changed,
   * and then keeps the person's wording. Throws `conflict` if the proposal is decided, `invalid` if its check does not
   * support it.
   */
  async refresh(actor: JobActor, proposalId: string, submission: NewProposal): Promise<SubmitResult> {
    requireJob(actor);
    requireSupported(submission.evidence);
    const found = sanitizeProposal(submission);
    const { kept } = found.evidence;
    const sanitized = withKeptAuthors(found, kept && (await this.proposals.find(this.database.client, kept.from)));
    return this.database.transaction(async (tx) => {
      const proposal = await this.proposals.lock(tx, proposalId);
      if (proposal?.state !== 'pending')
        throw new DomainError(
          'conflict',
          'proposal.changed',
          'The proposal was decided while its evidence was refreshed.',
        );
      const renewed = await this.reviseContent(tx, actor, proposal, submission, sanitized);
      // The contradictions were found for the generated wording, not for a person's edit.
      const others = proposal.editorId === null ? (submission.contradicts ?? []) : [];
      const isContested = await this.contradictions.record(tx, actor, proposalId, others);
      const isConflict = isContested || (renewed?.kind === 'conflict' && proposal.kind !== 'conflict');
      if (isConflict)
        await this.journal.append(tx, actor, {
          action: 'SKILL_EVOLVER_CONFLICT_DETECTED',
          subject: { type: 'proposal', id: proposalId },
          data: { supersedesId: renewed?.supersedesId ?? proposal.supersedesId, contradicts: [...others] },
        });
      return { id: proposalId, outcome: renewed || isContested ? 'refreshed' : 'unchanged', isConflict };
    });
  }

  /** Writes the revision and returns its content; undefined if nothing changed. */
  private async reviseContent(
    tx: Tx,
    actor: JobActor,
    proposal: Proposal,
    submission: NewProposal,
    found: SanitizedProposal,
  ): Promise<ProposalContent | undefined> {
    // A cycle never covers an external edit, whose unknown author needs two other people.
    if (proposal.edit !== null) return undefined;
    const target = await this.targetOf(tx, proposal, submission);
    const name = target?.skillName ?? (await this.currentName(tx, proposal));
    const skillVersion = await this.versionFor(tx, proposal, name);
    const { version } = skillVersion;
    const live = await this.org.liveSkill(name, tx);
    const { kind, supersedesId } = target ? submission : rebasedTarget(proposal, live?.id ?? null);
    const rebased = { ...submission, kind, supersedesId };
    const hasMoved = rebased.supersedesId !== proposal.supersedesId || version !== proposal.version;
    if (!hasMoved && (await this.votes.isTouchedByReviewer(tx, proposal))) return undefined;
    const sanitized = proposal.editorId === null ? keepOrder(proposal, found) : keepWording(proposal, submission);
    const { editorId, earlierEditorIds } = proposal;
    const built = await this.builder.build(
      tx,
      proposal.id,
      { ...rebased, editorId, earlierEditorIds },
      sanitized,
      skillVersion,
    );
    const content = neverLower(proposal, built);
    if (isSame(proposal, content)) return undefined;
    await this.proposals.reviseAsJob(tx, proposal, content, this.clock.now());
    await this.journal.append(tx, actor, proposalEntry('proposal.refreshed', proposal.id, content));
    return content;
  }

  /**
   * The live skill, approved after the submission, that the proposal replaces or contradicts; undefined if there is
   * none.
   */
  private async targetOf(
    tx: Tx,
    proposal: Proposal,
    { supersedesId }: NewProposal,
  ): Promise<{ skillName: string } | undefined> {
    if (proposal.supersedesId !== null || supersedesId === null || proposal.editorId !== null) return undefined;
    const entry = await this.org.find(supersedesId, tx);
    return entry?.skillName && entry.supersededAt === null ? { skillName: entry.skillName } : undefined;
  }

  /** A proposal that renames its live target keeps the new name. */
  private async versionFor(tx: Tx, { supersedesId, skillName }: Proposal, current: string) {
    const target = supersedesId === null ? undefined : await this.org.find(supersedesId, tx);
    const isRenaming = target?.supersededAt === null && target.skillName !== skillName;
    const last = await this.org.lastVersion(current, tx);
    if (!isRenaming) return { skillName: current, version: last + 1 };
    return { skillName, version: Math.max(last, await this.org.lastVersion(skillName, tx)) + 1 };
  }

  /** The current name of the target skill, which may have been renamed since. */
  private async currentName(tx: Tx, { supersedesId, skillName }: Proposal): Promise<string> {
    let entry = supersedesId === null ? undefined : await this.org.find(supersedesId, tx);
    while (entry?.supersededById) entry = await this.org.find(entry.supersededById, tx);
    return entry?.supersededAt === null ? (entry.skillName ?? skillName) : skillName;
  }
}

/** What lowered it is said as at its submission: later rejections change no revision. */
function keepOrder({ evidence }: Proposal, found: SanitizedProposal): SanitizedProposal {
  const { lowered: _now, ...others } = found.evidence;
  const { lowered } = evidence;
  return { ...found, evidence: redactDeep({ ...others, ...(lowered ? { lowered } : {}) }).value };
}

/** The new evidence below the wording of the proposal, with its authors and its gate. */
function keepWording({ proposedSkill, evidence }: Proposal, submission: NewProposal): SanitizedProposal {
  const found = evidenceFor(submission.evidence, submission.proposedSkill, proposedSkill);
  const sanitized = sanitizeProposal({ ...submission, proposedSkill, evidence: found });
  const { authored = [] } = evidence;
  const { kept: _kept, ...renewed } = sanitized.evidence;
  const gated = withGate(sanitized.proposedSkill, proposedSkill);
  return { ...sanitized, proposedSkill: gated, evidence: redactDeep({ ...renewed, authored }).value };
}

/** The figures are not in the file, so equal bytes do not mean equal evidence. */
function isSame(before: Proposal, after: ProposalContent): boolean {
  return (
    before.artifactSha256 === after.artifactSha256 &&
    before.supersedesId === after.supersedesId &&
    canonicalJson(before.evidence) === canonicalJson(after.evidence)
  );
}
