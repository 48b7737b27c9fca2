import { Body, Controller, Get, Headers, Param, Post, Put, Query, Res, UseFilters } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller, CurrentReviewer } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import type { ReviewerActor } from '../journal/actor.js';
import { Access } from '../platform/http/access.decorator.js';
import { Also, Answers } from '../platform/http/answers.decorator.js';
import { ApproveProposal } from './decisions/approve.js';
import { EditWording } from './decisions/edit.js';
import { OverrideRules } from './decisions/override.js';
import { RefusedDecisions } from './decisions/refused-decisions.filter.js';
import { RejectProposal } from './decisions/reject.js';
import { ReopenProposal } from './decisions/reopen.js';
import { ResolveContradiction } from './decisions/resolve.js';
import { RevokeApproval } from './decisions/revoke.js';
import {
  Approval,
  ApprovalPage,
  ApprovalQuery,
  ApprovalSummary,
  Approve,
  EditProposal,
  Override,
  Reject,
  Resolve,
  Voted,
} from './proposals/approvals.schema.js';
import { entityTag } from './proposals/entity-tag.js';
import { ApprovalViews } from './queue/approval-views.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('approvals')
@ApiBearerAuth()
@UseFilters(RefusedDecisions)
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly views: ApprovalViews,
    private readonly approveProposal: ApproveProposal,
    private readonly overrideRules: OverrideRules,
    private readonly editWording: EditWording,
    private readonly resolveContradiction: ResolveContradiction,
    private readonly reopenProposal: ReopenProposal,
    private readonly rejectProposal: RejectProposal,
    private readonly revokeApproval: RevokeApproval,
  ) {}

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'What waits for a decision, best first' })
  @Answers(200, ApprovalPage)
  list(@CurrentCaller() caller: Caller, @Query({ schema: ApprovalQuery }) query: ApprovalQuery): Promise<ApprovalPage> {
    return this.views.list(caller, query);
  }

  @Get(':id')
  @Access('read', 'person', 'service')
  @ApiOperation({
    summary: 'One item with everything a decision needs: the file, the evidence, the findings, the history',
  })
  @Answers(200, Approval)
  async show(
    @Param('id', { schema: Id }) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Approval> {
    const approval = await this.views.show(id);
    reply.header('etag', entityTag(approval));
    return approval;
  }

  @Post(':id/approve')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Approve exactly the bytes that you read, named by their SHA-256' })
  @Answers(200, Voted)
  @Also(202, 'Your vote is recorded; more reviewers have to approve', Voted)
  async approve(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Approve }) body: Approve,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Voted> {
    const voted = await this.approveProposal.approve(reviewer, id, body.artifactSha256, ifMatch);
    if (voted.state === 'pending') reply.status(202);
    return voted;
  }

  @Post(':id/override')
  @Access('decide', 'person')
  @ApiOperation({
    summary: 'One of two halves, by two people, of an approval without the remit or the number of votes',
  })
  @Answers(200, Voted)
  @Also(202, 'Your half is recorded; somebody else has to give the other', Voted)
  async override(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Override }) body: Override,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Voted> {
    const voted = await this.overrideRules.override(reviewer, id, body, ifMatch);
    if (voted.state === 'pending') reply.status(202);
    return voted;
  }

  @Put(':id/proposal')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Another wording: a new revision without votes, which you cannot approve alone' })
  @Answers(200, ApprovalSummary)
  edit(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: EditProposal }) body: EditProposal,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ApprovalSummary> {
    return this.editWording.edit(reviewer, id, body, ifMatch);
  }

  @Post(':id/resolve')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'What becomes of a conflict: a successor, a wording for both, or the live skill stands' })
  @Answers(200, ApprovalSummary)
  resolve(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Resolve }) body: Resolve,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ApprovalSummary> {
    return this.resolveContradiction.resolve(reviewer, id, body, ifMatch);
  }

  @Post(':id/reopen')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Ask again what was rejected, expired or withdrawn: a new item with the same content' })
  @Answers(201, ApprovalSummary)
  reopen(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Reject }) body: Reject,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ApprovalSummary> {
    return this.reopenProposal.reopen(reviewer, id, body.reason, ifMatch);
  }

  @Post(':id/reject')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Reject with a reason, which is remembered' })
  @Answers(200, ApprovalSummary)
  reject(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Reject }) body: Reject,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ApprovalSummary> {
    return this.rejectProposal.reject(reviewer, id, body.reason, { ifMatch });
  }

  @Post(':id/revoke')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Take an approval back: its skill is retired, with a commit' })
  @Answers(200, ApprovalSummary)
  revoke(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: Reject }) body: Reject,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ApprovalSummary> {
    return this.revokeApproval.revoke(reviewer, id, body.reason, ifMatch);
  }
}
