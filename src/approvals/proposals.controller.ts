import { Body, Get, Headers, Post, Put, Query, Res, UseFilters } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, CurrentReviewer } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import type { ReviewerActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { AlsoReturns, ApiController, Refuses, Returns, TakesIfMatch } from '../platform/http/returns.decorator.js';
import { ApproveProposal } from './decisions/approve.js';
import { EditWording } from './decisions/edit.js';
import { OverrideRules } from './decisions/override.js';
import { RefusedDecisionFilter } from './decisions/refused-decision.filter.js';
import { RejectProposal } from './decisions/reject.js';
import { ReopenProposal } from './decisions/reopen.js';
import { ResolveContradiction } from './decisions/resolve.js';
import { RetireSkill } from './decisions/retire.js';
import { entityTag } from './proposals/proposal.js';
import {
  Approve,
  EditProposal,
  Override,
  ProposalDetails,
  ProposalPage,
  ProposalQuery,
  ProposalSummary,
  Reject,
  Resolve,
  VotedProposal,
} from './proposals/proposals.schema.js';
import { ProposalReader } from './queue/proposal-reader.service.js';

/** Codes of a decision on a proposal that changed since it was read. */
const OUTDATED = [
  'proposal.already_decided',
  'proposal.expired',
  'proposal.artifact_changed',
  'proposal.stale',
] as const;

@ApiController('proposals', 'v1/proposals')
@UseFilters(RefusedDecisionFilter)
export class ProposalsController {
  constructor(
    private readonly views: ProposalReader,
    private readonly approvals: ApproveProposal,
    private readonly overrides: OverrideRules,
    private readonly edits: EditWording,
    private readonly resolutions: ResolveContradiction,
    private readonly reopenings: ReopenProposal,
    private readonly rejections: RejectProposal,
    private readonly retirements: RetireSkill,
  ) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'List pending proposals, those tested on other runs and the highest impact first' })
  @Returns(200, ProposalPage)
  listProposals(
    @CurrentCaller() caller: Caller,
    @Query({ schema: ProposalQuery }) query: ProposalQuery,
  ): Promise<ProposalPage> {
    return this.views.list(caller, query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'Show a proposal with its file, evidence, findings and history',
  })
  @Returns(200, ProposalDetails, { etag: 'The revision and its state, to send as If-Match' })
  @Refuses(404, 'proposal.not_found')
  async getProposal(@PathId() id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ProposalDetails> {
    const approval = await this.views.show(id);
    reply.header('etag', entityTag(approval));
    return approval;
  }

  @Post(':id/approve')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Approve exactly the bytes that you read, identified by their SHA-256' })
  @Returns(200, VotedProposal)
  @AlsoReturns(202, 'Your vote is recorded; more reviewers have to approve', VotedProposal)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, ...OUTDATED, 'proposal.already_voted')
  @TakesIfMatch('proposal.revision_mismatch')
  async approveProposal(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: Approve }) body: Approve,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<VotedProposal> {
    const voted = await this.approvals.approve(reviewer, id, body.artifactSha256, ifMatch);
    if (voted.state === 'pending') reply.status(202);
    return voted;
  }

  @Post(':id/override')
  @RequireScope('decide', 'person')
  @ApiOperation({
    summary: 'Give one of the two approvals of an override, which bypasses the review scope and the number of votes',
  })
  @Returns(200, VotedProposal)
  @AlsoReturns(202, 'Your approval is recorded; another reviewer has to give the second one', VotedProposal)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, ...OUTDATED, 'proposal.override_not_needed', 'proposal.override_already_given')
  @TakesIfMatch('proposal.revision_mismatch')
  async overrideProposal(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: Override }) body: Override,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<VotedProposal> {
    const voted = await this.overrides.override(reviewer, id, body, ifMatch);
    if (voted.state === 'pending') reply.status(202);
    return voted;
  }

  @Put(':id/skill')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Edit the proposal: a new revision without votes, which you cannot approve alone' })
  @Returns(200, ProposalSummary)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, ...OUTDATED, 'proposal.not_editable')
  @TakesIfMatch('proposal.revision_mismatch')
  editProposal(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: EditProposal }) body: EditProposal,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ProposalSummary> {
    return this.edits.edit(reviewer, id, body, ifMatch);
  }

  @Post(':id/resolve')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Resolve a contradiction: replace the live skill, merge both, or keep the live skill' })
  @Returns(200, ProposalSummary)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, ...OUTDATED, 'proposal.no_conflict')
  @TakesIfMatch('proposal.revision_mismatch')
  resolveConflict(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: Resolve }) body: Resolve,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ProposalSummary> {
    return this.resolutions.resolve(reviewer, id, body, ifMatch);
  }

  @Post(':id/reopen')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Reopen a rejected, expired or withdrawn proposal as a new one with the same content' })
  @Returns(201, ProposalSummary)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, 'proposal.not_reopenable', 'proposal.already_pending', 'proposal.stale')
  @TakesIfMatch('proposal.revision_mismatch')
  reopenProposal(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: Reject }) body: Reject,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ProposalSummary> {
    return this.reopenings.reopen(reviewer, id, body.reason, ifMatch);
  }

  @Post(':id/reject')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Reject with a reason, which Guildbook remembers' })
  @Returns(200, ProposalSummary)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, ...OUTDATED)
  @TakesIfMatch('proposal.revision_mismatch')
  rejectProposal(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: Reject }) body: Reject,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ProposalSummary> {
    return this.rejections.reject(reviewer, id, body.reason, { ifMatch });
  }

  @Post(':id/retire')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Retire the skill of an approved proposal, with a commit' })
  @Returns(200, ProposalSummary)
  @Refuses(404, 'proposal.not_found')
  @Refuses(409, 'proposal.not_live', 'proposal.stale')
  @TakesIfMatch('proposal.revision_mismatch')
  retireSkill(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: Reject }) body: Reject,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ProposalSummary> {
    return this.retirements.retire(reviewer, id, body.reason, ifMatch);
  }
}
