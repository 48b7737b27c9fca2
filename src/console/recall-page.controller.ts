import { Controller, Get, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../access/caller.decorator.js';
import type { Caller } from '../access/caller.js';
import { Executions } from '../capture/executions.service.js';
import { Access } from '../platform/access.decorator.js';
import { Clock } from '../platform/clock.js';
import { DomainError } from '../platform/domain.errors.js';
import { type Recall, RecallRequest, Retrieval, StrategyName } from '../recall/recall.schema.js';
import { Recalling } from '../recall/recall.service.js';
import { sendPage } from './pages.view.js';
import { ConsoleProblems } from './problems.filter.js';
import { recallView } from './recall-page.js';
import { say } from './texts.js';

const SEEN_MS = 90 * 86_400_000;
const RecallQuery = z.object({
  q: z.string().trim().max(2_000).catch('').default(''),
  agent: z.string().trim().max(100).catch('').default(''),
  strategy: StrategyName.or(z.literal('')).catch('').default(''),
  retrieval: Retrieval.or(z.literal('')).catch('').default(''),
});
type RecallQuery = z.infer<typeof RecallQuery>;

/** What an agent would be told for a task, and why. It counts nothing: the agent did not ask. */
@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller('recall')
export class RecallPageController {
  constructor(
    private readonly recalling: Recalling,
    private readonly executions: Executions,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Access('read', 'person')
  async page(
    @CurrentCaller() caller: Caller,
    @Query({ schema: RecallQuery }) asked: RecallQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const since = new Date(this.clock.now().getTime() - SEEN_MS);
    const agents = (await this.executions.agents(since)).map(({ agent }) => agent);
    const outcome = asked.q && asked.agent ? await this.answer(caller, asked) : { answer: undefined, problem: null };
    const view = recallView({ asked, agents, state: this.recalling.state(), ...outcome });
    await sendPage(reply, caller, { template: 'recall', title: say('recall.title'), at: 'recall', view });
  }

  /** An agent that there is none of is said on the page. */
  private async answer(
    caller: Caller,
    { q, agent, strategy, retrieval }: RecallQuery,
  ): Promise<{ answer: Recall | undefined; problem: string | null }> {
    const request = RecallRequest.parse({
      ...{ query: q, agent },
      ...(strategy ? { strategy } : {}),
      ...(retrieval ? { retrieval } : {}),
    });
    try {
      return { answer: await this.recalling.recall(caller, request), problem: null };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { answer: undefined, problem: error.message };
    }
  }
}
