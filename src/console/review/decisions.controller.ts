import { Body, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentReviewer, callerOf } from '../../access/identity/caller.decorator.js';
import { readCookie, setCookie } from '../../access/sign-in/cookie.js';
import { ApproveProposal } from '../../approvals/decisions/approve.js';
import { EditWording } from '../../approvals/decisions/edit.js';
import { OverrideRules } from '../../approvals/decisions/override.js';
import { RejectProposal } from '../../approvals/decisions/reject.js';
import { ReopenProposal } from '../../approvals/decisions/reopen.js';
import { ResolveContradiction } from '../../approvals/decisions/resolve.js';
import { RetireSkill } from '../../approvals/decisions/retire.js';
import { SetSkillRollout } from '../../approvals/decisions/set-rollout.js';
import { Approve, Override, Reject, type Resolve } from '../../approvals/proposals/proposals.schema.js';
import type { ProposedSkill } from '../../approvals/proposals/proposed-skill.schema.js';
import { REJECTION_REASONS, REJECTION_SENTENCES } from '../../approvals/texts/rejection-reason.schema.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { Percent } from '../../skills/delivery/rollout.schema.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { type FlashMessage, flashCookie } from '../frame/flash-message.js';
import { PART_MEDIA_TYPE, sendPage, sendPart } from '../frame/pages.view.js';
import { ReviewQueue } from '../frame/review-queue.service.js';
import { SNOOZED_COOKIE, snoozedProposals, withSnoozed } from '../frame/visit.js';
import { EditForm, parseForm } from './edit-form.js';
import { ReviewPages } from './review-pages.service.js';

const Sha256 = Approve.shape.artifactSha256;
const Tag = z.string().min(1).max(200);
const ApproveForm = z.object({ sha256: Sha256, tag: Tag, percent: z.coerce.number().pipe(Percent).optional() });
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

/** A reviewer's decisions as forms. Each calls the same service as the API, with the same checks. */
@ConsoleController('review')
export class DecisionsController {
  constructor(
    private readonly clock: Clock,
    private readonly approveProposal: ApproveProposal,
    private readonly rejectProposal: RejectProposal,
    private readonly resolveContradiction: ResolveContradiction,
    private readonly reopenProposal: ReopenProposal,
    private readonly retireSkill: RetireSkill,
    private readonly overrideRules: OverrideRules,
    private readonly editWording: EditWording,
    private readonly setRollout: SetSkillRollout,
    private readonly reviews: ReviewPages,
    private readonly queue: ReviewQueue,
  ) {}

  /** Approves exactly the bytes whose hash the page showed. */
  @PostForm(':id/approve')
  @RequireScope('decide', 'person')
  async approve(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: ApproveForm }) { sha256, tag, percent }: ApproveForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { state, kind, skillName } = await this.approveProposal.approve(reviewer, id, sha256, tag);
    const done = kind === 'retire' ? 'retired' : 'approved';
    // Otherwise the approval has begun the usual stage, or that of the version before.
    if (state === 'approved' && percent !== undefined && percent !== this.reviews.usualPercent)
      await this.setRollout.set(reviewer, skillName, percent);
    await this.redirectToNext(reply, { id, name: skillName, kind: state === 'pending' ? 'voted' : done });
  }

  @PostForm(':id/reject')
  @RequireScope('decide', 'person')
  async reject(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: RejectForm }) { tag, code, text }: RejectForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const reason = [...(code ? [REJECTION_SENTENCES[code]] : []), ...(text === '' ? [] : [text])].join('. ');
    const checked = Reject.shape.reason.safeParse(reason);
    if (!checked.success)
      throw new DomainError(
        'invalid',
        'request.invalid',
        `A reason ${checked.error.issues[0]?.message ?? 'is needed'}.`,
      );
    const { skillName } = await this.rejectProposal.reject(reviewer, id, checked.data, { ifMatch: tag });
    await this.redirectToNext(reply, { id, name: skillName, kind: 'rejected' });
  }

  @PostForm(':id/resolve')
  @RequireScope('decide', 'person')
  async resolve(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: ResolveForm }) { sha256, as }: ResolveForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const resolution: Resolve = { as, artifactSha256: sha256 };
    const { skillName: name } = await this.resolveContradiction.resolve(reviewer, id, resolution);
    if (as === 'keep') await this.redirectToNext(reply, { id, name, kind: 'rejected' });
    else await this.redirectToProposal(reply, { id, name, kind: 'resolved' });
  }

  @PostForm(':id/reopen')
  @RequireScope('decide', 'person')
  async reopen(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: ReasonForm }) { reason }: ReasonForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const reopened = await this.reopenProposal.reopen(reviewer, id, reason);
    await this.redirectToProposal(reply, { id: reopened.id, name: reopened.skillName, kind: 'reopened' });
  }

  @PostForm(':id/retire')
  @RequireScope('decide', 'person')
  async retire(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: ReasonForm }) { reason }: ReasonForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { skillName } = await this.retireSkill.retire(reviewer, id, reason);
    await this.redirectToProposal(reply, { id, name: skillName, kind: 'retired' });
  }

  /** Records one of the two approvals of an override. */
  @PostForm(':id/override')
  @RequireScope('decide', 'person')
  async override(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: OverrideForm }) { sha256, tag, reason }: OverrideForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { state, skillName } = await this.overrideRules.override(
      reviewer,
      id,
      { artifactSha256: sha256, reason },
      tag,
    );
    const flash = { id, name: skillName };
    if (state === 'pending') await this.redirectToProposal(reply, { ...flash, kind: 'half' });
    else await this.redirectToNext(reply, { ...flash, kind: 'approved' });
  }

  @PostForm(':id/snooze')
  @RequireScope('read', 'person')
  async snooze(@PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const name = await this.reviews.nameOf(id);
    const now = this.clock.now();
    const until = new Date(now.getTime() + DAY_MS);
    const cookie = withSnoozed(readCookie(reply.request.headers.cookie, SNOOZED_COOKIE), id, until, now);
    await this.redirectToNext(reply, { id, name, kind: 'snoozed' }, cookie);
  }

  /** Renders the edited fields. The script receives only the preview, a browser without it the whole page. */
  @PostForm(':id/preview')
  @RequireScope('decide', 'person')
  async preview(
    @PathId() id: string,
    @Body({ schema: EditForm }) words: EditForm,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (accept === PART_MEDIA_TYPE) return sendPart(reply, 'preview', await this.reviews.previewOf(id, words));
    const view = await this.reviews.editPage(id, { words, isStale: false });
    await sendPage(reply, { template: 'edit', title: view.title, view, section: 'dashboard', isWide: true });
  }

  /** Saves a revision. With `approve` it also votes for it, if the preview showed exactly these bytes. */
  @PostForm(':id/edit')
  @RequireScope('decide', 'person')
  async edit(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: EditForm }) form: EditForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const parsed = parseForm(form, await this.reviews.proposedSkillOf(id));
    if ('problems' in parsed) return this.showFormAgain(reply, id, form, 400);
    const saved = await this.save(reviewer, id, form, parsed.proposedSkill).catch((error: unknown) => {
      if (error instanceof DomainError && /^proposal\.(?:artifact_changed|revision_mismatch)$/.test(error.code))
        return 409;
      if (error instanceof DomainError && error.kind === 'invalid') return 400;
      throw error;
    });
    if (typeof saved === 'number') return this.showFormAgain(reply, id, form, saved);
    const { skillName: name, artifactSha256 } = saved;
    if (form.next === 'approve' && form.seen === artifactSha256) {
      const { state } = await this.approveProposal.approve(reviewer, id, artifactSha256);
      return this.redirectToNext(reply, {
        id,
        name,
        kind: state === 'pending' ? 'voted' : 'approved',
      });
    }
    await this.redirectToProposal(reply, { id, name, kind: 'edited' });
  }

  private async save(reviewer: ReviewerActor, id: string, { sha256, tag }: EditForm, proposedSkill: ProposedSkill) {
    return (await this.reviews.isConflict(id))
      ? this.resolveContradiction.resolve(reviewer, id, {
          as: 'amend',
          artifactSha256: sha256,
          proposedSkill,
        })
      : this.editWording.edit(reviewer, id, { artifactSha256: sha256, proposedSkill }, tag);
  }

  /** Shows the form again with the values as typed. */
  private async showFormAgain(reply: FastifyReply, id: string, words: EditForm, status: 400 | 409): Promise<void> {
    const view = await this.reviews.editPage(id, { words, isStale: status === 409 });
    await sendPage(reply, {
      template: 'edit',
      title: view.title,
      view,
      section: 'dashboard',
      isWide: true,
      status,
    });
  }

  /** Redirects to the next proposal, with a flash message. */
  private async redirectToNext(reply: FastifyReply, flash: FlashMessage, snooze?: string): Promise<void> {
    const { request } = reply;
    const cookie = snooze ?? readCookie(request.headers.cookie, SNOOZED_COOKIE);
    const next = await this.queue.next(callerOf(request), snoozedProposals(cookie, this.clock.now()));
    const cookies = [
      flashCookie(flash),
      ...(snooze === undefined ? [] : [setCookie(SNOOZED_COOKIE, snooze, DAY_MS / 1_000)]),
    ];
    await reply.header('set-cookie', cookies).redirect(next === undefined ? '/' : `/review/${next}`, 303);
  }

  private async redirectToProposal(reply: FastifyReply, flash: FlashMessage): Promise<void> {
    await reply.header('set-cookie', flashCookie(flash)).redirect(`/review/${flash.id}`, 303);
  }
}
