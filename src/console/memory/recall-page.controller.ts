import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { Executions } from '../../capture/intake/executions.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { DEFAULT_PROFILE } from '../../recall/ranking/ranking-profile.schema.js';
import { type Recall, RecallRequest, RetrievalMode, StrategyName } from '../../recall/ranking/recall.schema.js';
import { RecallService } from '../../recall/strategies/recall.service.js';
import { ConsoleController } from '../frame/console-routes.decorator.js';
import { grouped } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';

const SEEN_MS = 90 * DAY_MS;
const STRATEGIES = ['context', 'tool_based', 'self_editing'] as const;
const RETRIEVALS = ['words', 'vectors', 'hybrid', 'keyword_overlap'] as const;
const RecallQuery = z.object({
  q: z.string().trim().max(2_000).catch('').default(''),
  agent: z.string().trim().max(100).catch('').default(''),
  strategy: StrategyName.or(z.literal('')).catch('').default(''),
  retrieval: RetrievalMode.or(z.literal('')).catch('').default(''),
});
type RecallQuery = z.infer<typeof RecallQuery>;

/** Previews what an agent would receive for a task. The preview is not counted as a recall. */
@ConsoleController('recall')
export class RecallPageController {
  constructor(
    private readonly recalls: RecallService,
    private readonly executions: Executions,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async page(
    @CurrentCaller() caller: Caller,
    @Query({ schema: RecallQuery }) form: RecallQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const since = new Date(this.clock.now().getTime() - SEEN_MS);
    const agents = (await this.executions.countRunsByAgent(since)).map(({ agent }) => agent);
    const outcome = form.q && form.agent ? await this.answer(caller, form) : { answer: undefined, problem: null };
    const state = await this.recalls.state();
    const view = {
      ...form,
      agents,
      state,
      problem: outcome.problem,
      strategies: STRATEGIES.map((name) => ({ name, isCurrent: name === (form.strategy || state.strategy) })),
      retrievals: RETRIEVALS.map((name) => ({ name, isCurrent: name === (form.retrieval || state.retrieval) })),
      answer: outcome.answer ? answerView(outcome.answer) : null,
    };
    await sendPage(reply, { template: 'recall', title: 'Recall', section: 'recall', view });
  }

  /** Returns errors such as an unknown agent as a problem for the page. */
  private async answer(
    caller: Caller,
    { q, agent, strategy, retrieval }: RecallQuery,
  ): Promise<{ answer: Recall | undefined; problem: string | null }> {
    const request = RecallRequest.parse({
      query: q,
      agent,
      ...(strategy ? { strategy } : {}),
      ...(retrieval ? { retrieval } : {}),
    });
    try {
      return { answer: await this.recalls.recall(caller, request), problem: null };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { answer: undefined, problem: error.message };
    }
  }
}

function answerView(answer: Recall) {
  const { relevanceWeight, recencyWeight } = answer.profile ?? DEFAULT_PROFILE;
  return {
    ...answer,
    delivered: answer.memories.map((memory, at) => ({
      ...memory,
      at: at + 1,
      why: `${formatScore(memory.combined)}: ${relevanceWeight} of relevance ${formatScore(memory.relevance)}, ${recencyWeight} of recency ${formatScore(memory.recency)}`,
      found: foundBy(memory.foundBy),
    })),
  };
}

function foundBy({ words, vectors }: Recall['memories'][number]['foundBy']): string {
  const said = [
    ...(words ? [`rank ${grouped(words.rank)} by keywords (${formatScore(words.relevance)})`] : []),
    ...(vectors ? [`rank ${grouped(vectors.rank)} by vectors (${formatScore(vectors.relevance)})`] : []),
  ];
  return said.length === 0 ? 'always delivered' : said.join(', ');
}

const formatScore = (value: number): string => value.toFixed(2);
