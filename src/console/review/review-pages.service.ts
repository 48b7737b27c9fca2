import { Inject, Injectable } from '@nestjs/common';
import { type Caller, canDecideProposals } from '../../access/identity/caller.js';
import { reviewScopeCovers } from '../../access/identity/review-scope.js';
import { entityTag } from '../../approvals/proposals/proposal.js';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { ProposalReader } from '../../approvals/queue/proposal-reader.service.js';
import { Executions } from '../../capture/intake/executions.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { RolloutStages } from '../../skills/delivery/rollout-stages.service.js';
import { editView, type FormValues, formValuesOf, parseForm, previewView } from './edit-form.js';
import { reviewView } from './review-page.js';

/** Builds the pages of a review. */
@Injectable()
export class ReviewPages {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly views: ProposalReader,
    private readonly executions: Executions,
    private readonly rollouts: RolloutStages,
  ) {}

  /** The share of agents that receives a new skill first, if the reviewer chooses no other. */
  get usualPercent(): number {
    return this.config.rolloutPercent;
  }

  async reviewPage(caller: Caller, id: string) {
    const proposal = await this.views.show(id);
    const voted = await this.views.votedBy(caller.id, [proposal]);
    return {
      title: proposal.title,
      view: reviewView(proposal, {
        now: this.clock.now(),
        name: caller.name,
        canDecide: canDecideProposals(caller) && reviewScopeCovers(caller.reviewScope, proposal.audience),
        isReviewer: canDecideProposals(caller),
        hasVoted: proposal.state === 'pending' && voted.has(id),
        reach: await this.views.countAgents(),
        percent: this.usualPercent,
        onlyOwner: proposal.state === 'pending' ? await this.rollouts.ownerFor(proposal) : null,
        agents: await this.executions.agentNames((proposal.evidence.pairs ?? []).map(({ executionId }) => executionId)),
      }),
    };
  }

  /**
   * The edit form with the values of the proposal or the typed ones. Throws `conflict` if the proposal cannot be
   * edited.
   */
  async editPage(id: string, typed?: { words: FormValues; isStale: boolean }) {
    const proposal = await this.views.show(id);
    requireEditable(proposal);
    const words = typed?.words ?? formValuesOf(proposal.proposedSkill);
    return editView({
      proposal,
      words,
      tag: entityTag(proposal),
      isFresh: typed === undefined,
      isStale: typed?.isStale ?? false,
      preview: await this.preview(proposal, words),
    });
  }

  /** Only the preview. */
  async previewOf(id: string, words: FormValues) {
    return this.preview(await this.views.show(id), words);
  }

  async proposedSkillOf(id: string): Promise<ProposalDetails['proposedSkill']> {
    return (await this.views.show(id)).proposedSkill;
  }

  async nameOf(id: string): Promise<string> {
    return (await this.views.show(id)).skillName;
  }

  /** Whether the proposal is a conflict: editing it resolves the contradiction. */
  async isConflict(id: string): Promise<boolean> {
    return (await this.views.show(id)).kind === 'conflict';
  }

  private async preview({ id, proposedSkill }: ProposalDetails, words: FormValues) {
    const parsed = parseForm(words, proposedSkill);
    if ('problems' in parsed) return previewView(parsed);
    try {
      return previewView(await this.views.preview(id, parsed.proposedSkill));
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
      return previewView({ problems: [error.message] });
    }
  }
}

function requireEditable({ state, kind }: ProposalDetails): void {
  if (state !== 'pending')
    throw new DomainError('conflict', 'proposal.already_decided', `This proposal is already ${state}.`);
  if (kind === 'retire')
    throw new DomainError('conflict', 'proposal.not_editable', 'A retirement has no text to edit.');
}
