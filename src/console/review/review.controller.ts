import { Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { readCookie } from '../../access/sign-in/cookie.js';
import { Clock } from '../../platform/base/clock.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ConsoleController } from '../frame/console-routes.decorator.js';
import { flashView, readFlash } from '../frame/flash-message.js';
import { sendPage } from '../frame/pages.view.js';
import { ReviewQueue } from '../frame/review-queue.service.js';
import { SNOOZED_COOKIE, snoozedProposals } from '../frame/visit.js';
import { ReviewPages } from './review-pages.service.js';

const NextQuery = z.object({ after: z.uuid().optional().catch(undefined) });
type NextQuery = z.infer<typeof NextQuery>;

/** The review of a proposal. */
@ConsoleController('review')
export class ReviewController {
  constructor(
    private readonly clock: Clock,
    private readonly queue: ReviewQueue,
    private readonly reviews: ReviewPages,
  ) {}

  @Get('next')
  @RequireScope('read', 'person')
  async next(
    @CurrentCaller() caller: Caller,
    @Query({ schema: NextQuery }) { after }: NextQuery,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const snoozed = snoozedProposals(readCookie(headers.cookie, SNOOZED_COOKIE), this.clock.now());
    const id = await this.queue.next(caller, snoozed, after);
    await reply.redirect(id === undefined ? '/' : `/review/${id}`, 303);
  }

  @Get(':id')
  @RequireScope('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { title, view } = await this.reviews.reviewPage(caller, id);
    const flash = readFlash(headers.cookie);
    if (flash) void reply.header('set-cookie', flash.end);
    await sendPage(reply, {
      template: 'review',
      title,
      view,
      section: 'dashboard',
      isWide: true,
      ...(flash ? { flash: flashView(flash) } : {}),
    });
  }

  @Get(':id/edit')
  @RequireScope('decide', 'person')
  async edit(@PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const view = await this.reviews.editPage(id);
    await sendPage(reply, { template: 'edit', title: view.title, view, section: 'dashboard', isWide: true });
  }
}
