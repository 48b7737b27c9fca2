import type Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { type ModelClientSettings, modelClient } from './model-client.js';
import { type ModelPurpose, measureCall } from './model-metrics.js';
import { modelTraits } from './model-traits.js';
import { maxUsageOf, ReportedUsage, usageOf } from './model-usage.js';
import type { Unavailable, Usage } from './proposer.js';
import { unavailable } from './unavailable.js';

export interface ModelEndpoint extends ModelClientSettings {
  readonly model: string;
  /** For models that take one; undefined: their default. */
  readonly temperature?: number | undefined;
}

export type ModelAnswer<T> =
  | { readonly outcome: 'answer'; readonly value: T; readonly usage?: Usage }
  /** The model answered, but the answer cannot be read. */
  | { readonly outcome: 'none'; readonly reason: 'refused' | 'unfinished' | 'malformed'; readonly usage?: Usage }
  /** The model could not be asked. */
  | Unavailable;

const Message = z.object({
  stop_reason: z.string().nullable(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  // A gateway may leave the usage out; the call is then charged at its maximum.
  usage: ReportedUsage.optional().catch(undefined),
});

/** Asks a model for one structured answer at a time. Never throws for anything that a model or its server answers. */
export class ModelQuestion<T> {
  private readonly client: Anthropic;
  private readonly format: ReturnType<typeof zodOutputFormat>;

  constructor(
    private readonly purpose: ModelPurpose,
    private readonly endpoint: ModelEndpoint,
    private readonly system: string,
    private readonly schema: z.ZodType<T>,
    private readonly maxTokens: number,
  ) {
    this.format = zodOutputFormat(schema);
    this.client = modelClient(endpoint);
  }

  /** `content`: texts that others wrote must be fenced. */
  ask(content: string): Promise<ModelAnswer<T>> {
    return measureCall(this.purpose, () => this.call(content));
  }

  private async call(content: string): Promise<ModelAnswer<T>> {
    try {
      const answer: unknown = await this.client.messages.create(this.request(content));
      return this.read(answer);
    } catch (error) {
      return unavailable(error);
    }
  }

  /** Returns the maximum usage of this question, which is reserved before the call. */
  maxUsage(content: string): Usage {
    return maxUsageOf(this.request(content));
  }

  private request(content: string): Anthropic.MessageCreateParamsNonStreaming {
    const { model } = this.endpoint;
    const { temperature, effort } = modelTraits(model, this.endpoint.temperature);
    return {
      model,
      max_tokens: this.maxTokens,
      system: [{ type: 'text', text: this.system, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content }],
      output_config: { format: this.format, ...(effort ? { effort } : {}) },
      // The types of the SDK know only the newest models, which take no temperature.
      ...(temperature === undefined ? {} : { temperature }),
    };
  }

  /** An answer that is not a message means that the model is unavailable. A message that stopped early is no answer. */
  private read(answer: unknown): ModelAnswer<T> {
    const message = Message.safeParse(answer);
    if (!message.success) return { outcome: 'unavailable', reason: 'not the Messages API' };
    const { stop_reason: stop, content } = message.data;
    const used = message.data.usage ? { usage: usageOf(message.data.usage) } : {};
    if (stop !== 'end_turn') return { outcome: 'none', reason: stop === 'refusal' ? 'refused' : 'unfinished', ...used };
    const text = content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
    const parsed = this.schema.safeParse(parseJson(text));
    return parsed.success
      ? { outcome: 'answer', value: parsed.data, ...used }
      : { outcome: 'none', reason: 'malformed', ...used };
  }
}
