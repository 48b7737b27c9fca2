import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { count } from '../../platform/base/count.schema.js';
import { sumBy } from '../../platform/base/sum.js';
import type { BatchAnswer, BatchLookup, BatchQuestion, ModelBatches, ProposerResult } from './proposer.js';
import { unavailable } from './unavailable.js';

type Params = Anthropic.MessageCreateParamsNonStreaming;

const Batch = z.object({
  id: z.string().min(1).max(200),
  processing_status: z.enum(['in_progress', 'canceling', 'ended']),
});

/** The list endpoint returns the number of requests of a batch, not their ids. */
const ListedBatch = z.object({
  id: z.string().min(1).max(200),
  created_at: z.iso.datetime({ offset: true }).transform((at) => new Date(at)),
  request_counts: z
    .object({ processing: count, succeeded: count, errored: count, canceled: count, expired: count })
    .transform((counts) => sumBy(Object.values(counts), (of) => of)),
});
const LIST_LIMIT = 100;

/** One line of the results. The provider charges only for `succeeded`. */
const Result = z.object({
  custom_id: z.string(),
  result: z.union([
    z.object({ type: z.literal('succeeded'), message: z.unknown() }),
    z.object({ type: z.enum(['errored', 'canceled', 'expired']) }),
  ]),
});

const NOT_THE_API = { outcome: 'unavailable', reason: 'not the Message Batches API' } as const;

/** The Message Batches API: the same requests and answers, within a day, for half the price. */
export class AnthropicBatches implements ModelBatches {
  constructor(
    private readonly client: Anthropic,
    private readonly request: (payload: AnalysisPayload) => Params,
    private readonly answer: (message: unknown) => ProposerResult,
  ) {}

  async submit(questions: readonly BatchQuestion[]): ReturnType<ModelBatches['submit']> {
    try {
      const requests = questions.map(({ id, payload }) => ({ custom_id: id, params: this.request(payload) }));
      // No retry: a batch whose response was lost may exist, and a second one would be charged as well.
      const created: unknown = await this.client.messages.batches.create({ requests }, { maxRetries: 0 });
      const batch = Batch.safeParse(created);
      return batch.success ? { outcome: 'submitted', id: batch.data.id } : { ...NOT_THE_API, mayBeCharged: true };
    } catch (error) {
      return unavailable(error);
    }
  }

  async find({ requests, from, to, knownIds: known }: BatchLookup): ReturnType<ModelBatches['find']> {
    try {
      const page = await this.client.messages.batches.list({ limit: LIST_LIMIT });
      const matching = page.data.flatMap((one: unknown) => {
        const batch = ListedBatch.safeParse(one);
        if (!batch.success || known.has(batch.data.id) || batch.data.request_counts !== requests) return [];
        return batch.data.created_at >= from && batch.data.created_at <= to ? [batch.data.id] : [];
      });
      const [id] = matching;
      return id !== undefined && matching.length === 1 ? { outcome: 'found', id } : { outcome: 'none' };
    } catch (error) {
      return unavailable(error);
    }
  }

  async poll(id: string): ReturnType<ModelBatches['poll']> {
    try {
      const found: unknown = await this.client.messages.batches.retrieve(id);
      const batch = Batch.safeParse(found);
      if (!batch.success) return NOT_THE_API;
      if (batch.data.processing_status !== 'ended') return { outcome: 'in_progress' };
      return { outcome: 'ended', answers: this.read(await this.client.messages.batches.results(id)) };
    } catch (error) {
      return unavailable(error);
    }
  }

  /** Skips a line that is not a valid result; its question then has no answer. */
  private async *read(lines: AsyncIterable<unknown>): AsyncGenerator<BatchAnswer> {
    for await (const line of lines) {
      const parsed = Result.safeParse(line);
      if (!parsed.success) continue;
      const { custom_id: id, result } = parsed.data;
      const answer =
        'message' in result
          ? this.answer(result.message)
          : ({ outcome: 'unavailable', reason: `batch: ${result.type}` } as const);
      yield { id, answer };
    }
  }
}
