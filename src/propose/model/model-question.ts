import type Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import type { Fenced } from './fenced.js';
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
  | {
      readonly outcome: 'none';
      readonly reason: 'refused' | 'unfinished' | 'malformed';
      /** Why it is unfinished or malformed, where that is known. */
      readonly because?: 'truncated' | 'empty';
      readonly usage?: Usage;
    }
  /** The model could not be asked. */
  | Unavailable;

const Message = z.object({
  stop_reason: z.string().nullable(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  // A gateway may leave the usage out; the call is then charged at its maximum.
  usage: ReportedUsage.optional().catch(undefined),
});

/**
 * Asks a model for one structured answer at a time. Never throws for anything that a model or its server answers. The
 * parser of the SDK hides why an answer stopped, so that this class reads the message itself. Our schema enforces the
 * limits, since the API does not.
 */
export class ModelQuestion<T> {
  readonly client: Anthropic;
  private readonly format: ReturnType<typeof zodOutputFormat>;

  /** `asked`: the schema that the model is given, where answers may leave out more. */
  constructor(
    private readonly purpose: ModelPurpose,
    private readonly endpoint: ModelEndpoint,
    private readonly system: string,
    private readonly schema: z.ZodType<T>,
    private readonly maxTokens: number,
    asked: z.ZodType = schema,
  ) {
    this.format = zodOutputFormat(asked);
    this.client = modelClient(endpoint);
  }

  ask(content: Fenced): Promise<ModelAnswer<T>> {
    return measureCall(this.purpose, () => this.askUnmeasured(content));
  }

  /** For callers that count their answers by what these say. */
  async askUnmeasured(content: Fenced): Promise<ModelAnswer<T>> {
    try {
      const answer: unknown = await this.client.messages.create(this.request(content));
      return this.read(answer);
    } catch (error) {
      return unavailable(error);
    }
  }

  /** Returns the maximum usage of this question, which is reserved before the call. */
  maxUsage(content: Fenced): Usage {
    return maxUsageOf(this.request(content));
  }

  request(content: Fenced): Anthropic.MessageCreateParamsNonStreaming {
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
  read(answer: unknown): ModelAnswer<T> {
    const message = Message.safeParse(answer);
    if (!message.success) return { outcome: 'unavailable', reason: 'not the Messages API' };
    const { stop_reason: stop, content } = message.data;
    const used = message.data.usage ? { usage: usageOf(message.data.usage) } : {};
    if (stop === 'refusal') return { outcome: 'none', reason: 'refused', ...used };
    if (stop !== 'end_turn') {
      const isCut = stop === 'max_tokens' || stop === 'model_context_window_exceeded';
      return { outcome: 'none', reason: 'unfinished', ...(isCut ? { because: 'truncated' } : {}), ...used };
    }
    const text = content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
    const parsed = this.schema.safeParse(parseJson(text));
    if (parsed.success) return { outcome: 'answer', value: parsed.data, ...used };
    return { outcome: 'none', reason: 'malformed', ...(text.trim() === '' ? { because: 'empty' } : {}), ...used };
  }
}
