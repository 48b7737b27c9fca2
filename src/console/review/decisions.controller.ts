import { Body, Controller, Headers, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentCaller, CurrentReviewer } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { readCookie, setCookie } from '../../access/sign-in/cookie.js';
import { ApproveProposal } from '../../approvals/decisions/approve.js';
import { EditWording } from '../../approvals/decisions/edit.js';
import { OverrideRules } from '../../approvals/decisions/override.js';
import { RejectProposal } from '../../approvals/decisions/reject.js';
import { ReopenProposal } from '../../approvals/decisions/reopen.js';
import { ResolveContradiction } from '../../approvals/decisions/resolve.js';
import { RetireSkill } from '../../approvals/decisions/retire.js';
import { Approve, Override, Reject, type Resolve } from '../../approvals/proposals/proposals.schema.js';
import type { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { type FlashMessage, flashCookie } from '../frame/flash-message.js';
import { PART_MEDIA_TYPE, sendPage, sendPart } from '../frame/pages.view.js';
import { ConsoleProblemFilter } from '../frame/problems.filter.js';
import { ReviewQueue } from '../frame/review-queue.service.js';
import { SNOOZED_COOKIE, snoozedProposals, withSnoozed } from '../frame/visit.js';
import { say } from '../texts/texts.js';
import { EditForm, parseForm } from './edit-form.js';
import { ItemId } from './review.controller.js';
import { REJECTION_REASONS } from './review-page.js';
import { ReviewPages } from './review-pages.service.js';

const Sha256 = Approve.shape.artifactSha256;
const Tag = z.string().min(1).max(200);
const ApproveForm = z.object({ sha256: Sha256, tag: Tag });
type ApproveForm = z.infer<typeof ApproveForm>;
const RejectForm = z.object({
  tag: Tag,
  code: z.enum(REJECTION_REASONS).optional(),
  text: z.string().trim().max(1_800).default(''),
});
type RejectForm = z.infer<typeof RejectForm>;
const ReasonForm = z.object({ reason: Reject.shape.reason });
type ReasonForm = z.infer<typeof ReasonForm>;
const OverrideForm = z.object({ sha256: Sha256, tag: Tag, reason: Override.shape.reason });
type OverrideForm = z.infer<typeof OverrideForm>;
const ResolveForm = z.object({ sha256: Sha256, as: z.enum(['supersede', 'keep']) });
type ResolveForm = z.infer<typeof ResolveForm>;

/** The verbs of a reviewer, as forms. Each calls the verb that the API calls, with the same checks. */
@ApiExcludeController()
@UseFilters(ConsoleProblemFilter)
@Controller('review')
export class DecisionsController {
  constructor(
    private readonly clock: Clock,
    private readonly approveProposal: ApproveProposal,
    private readonly rejectProposal: RejectProposal,
    private readonly resolveContradiction: ResolveContradiction,
    private readonly reopenProposal: ReopenProposal,
    private readonly revokeApproval: RetireSkill,
    private readonly overrideRules: OverrideRules,
    private readonly editWording: EditWording,
    private readonly reviews: ReviewPages,
    private readonly queue: ReviewQueue,
  ) {}

  /** Exactly the bytes whose hash stood on the screen. */
  @Post(':id/approve')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async approve(
    @CurrentReviewer() reviewer: ReviewerActor,
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: ApproveForm }) { sha256, tag }: ApproveForm,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { state, skillName } = await this.approveProposal.approve(reviewer, id, sha256, tag);
    await this.redirectToNext(request, reply, caller, {
      ...{ id, name: skillName, kind: state === 'pending' ? 'voted' : 'approved' },
    });
  }

  @Post(':id/reject')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async reject(
    @CurrentReviewer() reviewer: ReviewerActor,
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: RejectForm }) { tag, code, text }: RejectForm,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const reason = [...(code ? [say(`reason.${code}`)] : []), ...(text === '' ? [] : [text])].join('. ');
    const said = Reject.shape.reason.safeParse(reason);
    if (!said.success)
      throw new DomainError('invalid', 'request.invalid', `A reason ${said.error.issues[0]?.message ?? 'is needed'}.`);
    const { skillName } = await this.rejectProposal.reject(reviewer, id, said.data, { ifMatch: tag });
    await this.redirectToNext(request, reply, caller, { id, name: skillName, kind: 'rejected' });
  }

  @Post(':id/resolve')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async resolve(
    @CurrentReviewer() reviewer: ReviewerActor,
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: ResolveForm }) { sha256, as }: ResolveForm,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const resolution: Resolve = { as, artifactSha256: sha256 };
    const { skillName: name } = await this.resolveContradiction.resolve(reviewer, id, resolution);
    if (as === 'keep') await this.redirectToNext(request, reply, caller, { id, name, kind: 'rejected' });
    else await this.redirectToProposal(reply, { id, name, kind: 'resolved' });
  }

  @Post(':id/reopen')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async reopen(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: ReasonForm }) { reason }: ReasonForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = await this.reopenProposal.reopen(reviewer, id, reason);
    await this.redirectToProposal(reply, { id: asked.id, name: asked.skillName, kind: 'reopened' });
  }

  @Post(':id/retire')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async revoke(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: ReasonForm }) { reason }: ReasonForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { skillName } = await this.revokeApproval.retire(reviewer, id, reason);
    await this.redirectToProposal(reply, { id, name: skillName, kind: 'revoked' });
  }

  /** One of two halves, by two people, where the review scope or the number of votes stands in the way. */
  @Post(':id/override')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async override(
    @CurrentReviewer() reviewer: ReviewerActor,
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: OverrideForm }) { sha256, tag, reason }: OverrideForm,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { state, skillName } = await this.overrideRules.override(
      reviewer,
      id,
      { artifactSha256: sha256, reason },
      tag,
    );
    const done = { id, name: skillName };
    if (state === 'pending') await this.redirectToProposal(reply, { ...done, kind: 'half' });
    else await this.redirectToNext(request, reply, caller, { ...done, kind: 'approved' });
  }

  @Post(':id/snooze')
  @RequireScope('read', 'person')
  @RouteConfig({ takesForm: true })
  async snooze(
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const name = await this.reviews.nameOf(id);
    const now = this.clock.now();
    const until = new Date(now.getTime() + DAY_MS);
    const cookie = withSnoozed(readCookie(request.headers.cookie, SNOOZED_COOKIE), id, until, now);
    await this.redirectToNext(request, reply, caller, { id, name, kind: 'later' }, cookie);
  }

  /** What the words on the screen would become. For the script the preview alone, else the whole page. */
  @Post(':id/preview')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: EditForm }) words: EditForm,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (accept === PART_MEDIA_TYPE) return sendPart(reply, 'preview', await this.reviews.previewOf(id, words));
    const view = await this.reviews.editPage(id, { words, isStale: false });
    await sendPage(reply, caller, { template: 'edit', title: view.title, view, section: 'today', isWide: true });
  }

  /** A new revision; with `approve`, also this person's vote, where the preview showed its very bytes. */
  @Post(':id/edit')
  @RequireScope('decide', 'person')
  @RouteConfig({ takesForm: true })
  async edit(
    @CurrentReviewer() reviewer: ReviewerActor,
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Body({ schema: EditForm }) form: EditForm,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const read = parseForm(form);
    if ('problems' in read) return this.showFormAgain(reply, caller, id, form, 400);
    const saved = await this.save(reviewer, id, form, read.proposal).catch((error: unknown) => {
      if (error instanceof DomainError && /^approval\.(?:artifact_changed|not_matched)$/.test(error.code)) return 409;
      if (error instanceof DomainError && error.kind === 'invalid') return 400;
      throw error;
    });
    if (typeof saved === 'number') return this.showFormAgain(reply, caller, id, form, saved);
    const { skillName: name, artifactSha256 } = saved;
    if (form.next === 'approve' && form.seen === artifactSha256) {
      const { state } = await this.approveProposal.approve(reviewer, id, artifactSha256);
      return this.redirectToNext(request, reply, caller, {
        id,
        name,
        kind: state === 'pending' ? 'voted' : 'approved',
      });
    }
    await this.redirectToProposal(reply, { id, name, kind: 'edited' });
  }

  private async save(reviewer: ReviewerActor, id: string, { sha256, tag }: EditForm, proposal: ProposedSkill) {
    return (await this.reviews.isConflict(id))
      ? this.resolveContradiction.resolve(reviewer, id, {
          as: 'amend',
          artifactSha256: sha256,
          proposedSkill: proposal,
        })
      : this.editWording.edit(reviewer, id, { artifactSha256: sha256, proposedSkill: proposal }, tag);
  }

  /** The form once more, with the words as they were typed. */
  private async showFormAgain(
    reply: FastifyReply,
    caller: Caller,
    id: string,
    words: EditForm,
    status: 400 | 409,
  ): Promise<void> {
    const view = await this.reviews.editPage(id, { words, isStale: status === 409 });
    await sendPage(reply, caller, {
      template: 'edit',
      title: view.title,
      view,
      section: 'today',
      isWide: true,
      status,
    });
  }

  /** To the best of what waits, with a word on what was done. */
  private async redirectToNext(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    done: FlashMessage,
    snooze?: string,
  ): Promise<void> {
    const cookie = snooze ?? readCookie(request.headers.cookie, SNOOZED_COOKIE);
    const next = await this.queue.next(caller, snoozedProposals(cookie, this.clock.now()));
    const cookies = [
      flashCookie(done),
      ...(snooze === undefined ? [] : [setCookie(SNOOZED_COOKIE, snooze, DAY_MS / 1_000)]),
    ];
    await reply.header('set-cookie', cookies).redirect(next === undefined ? '/' : `/review/${next}`, 303);
  }

  private async redirectToProposal(reply: FastifyReply, done: FlashMessage): Promise<void> {
    await reply.header('set-cookie', flashCookie(done)).redirect(`/review/${done.id}`, 303);
  }
}
