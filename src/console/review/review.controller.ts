import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { readCookie } from '../../access/sign-in/cookie.js';
import { Clock } from '../../platform/base/clock.js';
import { Access } from '../../platform/http/access.decorator.js';
import { Desk } from '../frame/desk.service.js';
import { doneOf, readDone } from '../frame/done.js';
import { sendPage } from '../frame/pages.view.js';
import { ConsoleProblems } from '../frame/problems.filter.js';
import { LATER_COOKIE, putOff } from '../frame/visit.js';
import { Reviews } from './reviews.service.js';

export const ItemId = z.uuid({ error: 'must be a UUID' });
const NextQuery = z.object({ after: z.uuid().optional().catch(undefined) });
type NextQuery = z.infer<typeof NextQuery>;

/** One item on one screen. */
@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller('review')
export class ReviewController {
  constructor(
    private readonly clock: Clock,
    private readonly desk: Desk,
    private readonly reviews: Reviews,
  ) {}

  @Get('next')
  @Access('read', 'person')
  async next(
    @CurrentCaller() caller: Caller,
    @Query({ schema: NextQuery }) { after }: NextQuery,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const later = putOff(readCookie(headers.cookie, LATER_COOKIE), this.clock.now());
    const id = await this.desk.next(caller, later, after);
    await reply.redirect(id === undefined ? '/' : `/review/${id}`, 303);
  }

  @Get(':id')
  @Access('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { title, view } = await this.reviews.packet(caller, id);
    const done = readDone(headers.cookie);
    if (done) void reply.header('set-cookie', done.end);
    await sendPage(reply, caller, {
      ...{ template: 'packet', title, view, at: 'today', isWide: true },
      ...(done ? { done: doneOf(done) } : {}),
    });
  }

  @Get(':id/edit')
  @Access('decide', 'person')
  async edit(
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: ItemId }) id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const view = await this.reviews.editPage(id);
    await sendPage(reply, caller, { template: 'edit', title: view.title, view, at: 'today', isWide: true });
  }
}
