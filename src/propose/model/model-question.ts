import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { parseJson } from '../../platform/base/parse-json.js';
import { modelTraits } from './model-traits.js';
import { maxUsageOf, ReportedUsage, usageOf } from './model-usage.js';
import type { Unavailable, Usage } from './proposer.js';
import { unavailable } from './unavailable.js';

export interface ModelEndpoint {
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
}

export type ModelAnswer<T> =
  | { readonly outcome: 'answer'; readonly value: T; readonly usage?: Usage }
  /** It answered, and nothing that can be read. */
  | { readonly outcome: 'none'; readonly reason: 'refused' | 'unfinished' | 'malformed'; readonly usage?: Usage }
  /** It could not be asked. */
  | Unavailable;

const Message = z.object({
  stop_reason: z.string().nullable(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  // What a gateway does not tell is not known; whoever pays for it counts the most.
  usage: ReportedUsage.optional().catch(undefined),
});

/** Asks a model one thing at a time, whose answer has a form. Never throws for what a model or its server answers. */
export class ModelQuestion<T> {
  private readonly client: Anthropic;
  private readonly format: ReturnType<typeof zodOutputFormat>;

  constructor(
    private readonly endpoint: ModelEndpoint,
    private readonly system: string,
    private readonly schema: z.ZodType<T>,
    private readonly maxTokens: number,
  ) {
    const { apiKey, baseUrl, timeoutMs, retries } = endpoint;
    this.format = zodOutputFormat(schema);
    this.client = new Anthropic({
      // Never left out: the SDK would take one from the environment.
      apiKey: apiKey ?? 'none',
      maxRetries: retries,
      timeout: timeoutMs,
      ...(baseUrl ? { baseURL: baseUrl } : {}),
    });
  }

  /** `content`: fenced where others wrote it. */
  async ask(content: string): Promise<ModelAnswer<T>> {
    try {
      const answer: unknown = await this.client.messages.create(this.request(content));
      return this.read(answer);
    } catch (error) {
      return unavailable(error);
    }
  }

  /** The most that asking this may use: what is set aside for it. */
  maxUsage(content: string): Usage {
    return maxUsageOf(this.request(content));
  }

  private request(content: string): Anthropic.MessageCreateParamsNonStreaming {
    const { model } = this.endpoint;
    const { temperature, effort } = modelTraits(model);
    return {
      model,
      max_tokens: this.maxTokens,
      system: [{ type: 'text', text: this.system, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content }],
      output_config: { format: this.format, ...(effort ? { effort } : {}) },
      // The SDK's types know the newest models only, which take none.
      ...(temperature === undefined ? {} : { temperature }),
    };
  }

  /** Whatever a server answers that is no message is the model's absence. What stopped early is no answer. */
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
