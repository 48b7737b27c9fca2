import { Body, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller, CurrentReviewer, CurrentReviewerOrAdmin } from '../../access/identity/caller.decorator.js';
import { type Caller, canAdminister, canDecideProposals } from '../../access/identity/caller.js';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { factsBeside, isBound, placeOf } from '../../evidence/predicate/binding.js';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { MemoryKeeping } from '../../memory/lessons/memory-keeping.service.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { VerifyLesson } from '../../memory/store/memory.schema.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { Clock } from '../../platform/base/clock.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireAnyScope, RequireScope } from '../../platform/http/require-scope.decorator.js';
import { type Promotion, PromotionListState, type PromotionSummary } from '../../promote/promotion.schema.js';
import { PromotionService } from '../../promote/promotion.service.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { flashCookie } from '../frame/flash-message.js';
import { grouped, moment } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';

const PAGE = 50;
const PageQuery = z.object({
  state: PromotionListState.default('unresolved').catch('unresolved'),
  after: z.uuid().optional().catch(undefined),
});
type PageQuery = z.infer<typeof PageQuery>;

/** `from`: the page to return to, if it is not that of the lesson. */
const VerifyForm = VerifyLesson.extend({ from: z.literal('dashboard').optional() });
type VerifyForm = z.infer<typeof VerifyForm>;

const STATES: Readonly<Record<PromotionListState, string>> = {
  waiting: 'To verify',
  unresolved: 'Unverified',
  queued: 'Not checked yet',
  verified: 'Verified',
};

@ConsoleController('memories')
export class MemoriesPageController {
  constructor(
    private readonly clock: Clock,
    private readonly promotions: PromotionService,
    private readonly keeping: MemoryKeeping,
    private readonly reading: MemoryReadService,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async list(@Query({ schema: PageQuery }) { state, after }: PageQuery, @Res() reply: FastifyReply): Promise<void> {
    const now = this.clock.now();
    const { items, next, counts } = await this.promotions.list({ state, after, limit: PAGE });
    const tabs = PromotionListState.options.map((one) => ({
      path: `/memories?state=${one}`,
      current: one === state,
      text: `${STATES[one]} (${grouped(counts[one] ?? 0)})`,
    }));
    const more = next === null ? null : `/memories?${new URLSearchParams({ state, after: next })}`;
    const rows = items.map((item) => memoryRow(item, now));
    await sendPage(reply, {
      template: 'memories',
      title: 'Memories',
      section: 'fleet',
      view: { tabs, rows, more },
    });
  }

  @Get(':id')
  @RequireScope('read', 'person')
  async show(@CurrentCaller() caller: Caller, @PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const verify = canDecideProposals(caller);
    const can = { verify, check: verify || canAdminister(caller) };
    const promotion = await this.promotions.show(id);
    const [memory] = await this.reading.live([id]);
    const view = memoryView(promotion, memory?.lesson, can, this.clock.now());
    await sendPage(reply, { template: 'memory', title: 'Memory', section: 'fleet', view });
  }

  @PostForm(':id/verify')
  @RequireScope('decide', 'person')
  async verify(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: VerifyForm }) { from, ...judgement }: VerifyForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.keeping.verify(reviewer, id, judgement);
    await this.promotions.checkNow(reviewer, id);
    if (from !== undefined) void reply.header('set-cookie', flashCookie({ kind: 'verified', id, name: 'lesson' }));
    await reply.redirect(from === undefined ? `/memories/${id}` : '/', 303);
  }

  @PostForm(':id/check')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  async check(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @PathId() id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.promotions.checkNow(actor, id);
    await reply.redirect(`/memories/${id}`, 303);
  }
}

/** A row of the list of memories. */
function memoryRow(
  { memory, discovery, because, checkedAt, relevanceCount, witnessCount }: PromotionSummary,
  now: Date,
) {
  return {
    id: memory,
    says: discovery,
    because,
    used: relevanceCount,
    seen: witnessCount,
    checked: checkedAt === null ? null : moment(checkedAt, now),
  };
}

/** The view of a memory: its evidence, the memories that it derives from, and what this person may do. */
function memoryView(
  promotion: Promotion,
  /** Undefined if it has ended. */
  lesson: Lesson | undefined,
  can: { readonly verify: boolean; readonly check: boolean },
  now: Date,
) {
  const { memory: id, discovery, proposer, provenance, because, dueAt, evidence, restsOn } = promotion;
  return {
    id,
    discovery,
    proposer,
    provenance,
    lesson: lesson ? lessonView(lesson) : null,
    because,
    due: moment(dueAt, now),
    evidence: evidence.map(({ kind, stance, source, reason, at }) => ({
      source,
      reason,
      when: moment(at, now),
      kind,
      stance,
    })),
    restsOn,
    can,
  };
}

/** What a lesson says and shows. A call that failed stands apart from one that worked. */
function lessonView({ activation, steps, cause, environment = [], example, binding }: Lesson) {
  const facts = factsBeside(environment, binding).map(({ name, value }) => `${name} ${value}`);
  return {
    ...activation,
    steps,
    cause: cause ?? null,
    binding: isBound(binding) ? placeOf(binding) : null,
    environment: facts.length > 0 ? facts.join(', ') : null,
    example: example
      ? {
          failed: callText(example.failed),
          error: example.error,
          between: example.between.map(callText),
          worked: example.worked ? callText(example.worked) : null,
        }
      : null,
  };
}
