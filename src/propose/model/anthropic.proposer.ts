import type Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { AnthropicBatches } from './anthropic-batches.proposer.js';
import { modelClient } from './model-client.js';
import { countAnswer, measureCall } from './model-metrics.js';
import { modelTraits } from './model-traits.js';
import { maxUsageOf, ReportedUsage, usageOf } from './model-usage.js';
import type { PromptWriter } from './prompt.js';
import { PROMPT_VERSION } from './prompt.js';
import { AnsweredProposal, ProposedLesson } from './proposed-lesson.schema.js';
import {
  declined,
  type LessonProposer,
  type ModelBatches,
  type NoLessonReason,
  type PricedModel,
  type ProposerResult,
  type Unavailable,
} from './proposer.js';
import { unavailable } from './unavailable.js';

export interface AnthropicSettings {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly maxTokens: number;
  readonly minConfidence: number;
  readonly timeoutMs: number;
  /** For models that take one; undefined: their default. */
  readonly temperature?: number | undefined;
}

/** The fields that we read of an answer. A gateway may answer with something else, such as a log-in page. */
const Answer = z.object({
  stop_reason: z.string().nullable(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  usage: ReportedUsage,
});
type Answer = z.infer<typeof Answer>;

type ReadAnswer = Exclude<ProposerResult, Unavailable>;

/** The schema is the same for every call, so that the provider caches it. */
const FORMAT = zodOutputFormat(ProposedLesson);

/** Three attempts in all; the lease of a payload lasts as long as all of them. */
const RETRIES = 2;

/**
 * Calls a model of the Anthropic Messages API. The parser of the SDK hides why an answer stopped, so this class creates
 * the message with the output format and reads it itself. Our schema enforces the limits, since the API does not.
 */
export class AnthropicProposer implements LessonProposer {
  readonly name: string;
  readonly model: PricedModel;
  readonly batches: ModelBatches;
  private readonly client: Anthropic;

  constructor(
    private readonly settings: AnthropicSettings,
    private readonly prompts: PromptWriter,
    private readonly nonce: () => string,
  ) {
    this.name = `anthropic/${settings.model}/prompt-${PROMPT_VERSION}`;
    this.model = { name: settings.model, maxUsage: (payload) => maxUsageOf(this.request(payload)) };
    this.client = modelClient({ ...settings, retries: RETRIES });
    this.batches = new AnthropicBatches(
      this.client,
      (payload) => this.request(payload),
      (message) => countAnswer('lesson', this.answer(message)),
    );
  }

  propose(payload: AnalysisPayload): Promise<ProposerResult> {
    return measureCall('lesson', () => this.ask(payload));
  }

  private async ask(payload: AnalysisPayload): Promise<ProposerResult> {
    try {
      const answer: unknown = await this.client.messages.create(this.request(payload));
      return this.answer(answer);
    } catch (error) {
      return unavailable(error);
    }
  }

  private request(payload: AnalysisPayload): Anthropic.MessageCreateParamsNonStreaming {
    const { system, user } = this.prompts.write(payload, this.nonce());
    const { temperature, effort } = modelTraits(this.settings.model, this.settings.temperature);
    return {
      model: this.settings.model,
      max_tokens: this.settings.maxTokens,
      system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: user }],
      output_config: { format: FORMAT, ...(effort ? { effort } : {}) },
      // The types of the SDK know only the newest models, which take no temperature.
      ...(temperature === undefined ? {} : { temperature }),
    };
  }

  /** An answer that is not a message means that the model is unavailable; it is never an error of ours. */
  private answer(answer: unknown): ProposerResult {
    const message = Answer.safeParse(answer);
    if (!message.success) return { outcome: 'unavailable', reason: 'not the Messages API' };
    return { ...this.read(message.data), usage: usageOf(message.data.usage) };
  }

  private read(message: Answer): ReadAnswer {
    if (message.stop_reason === 'refusal') return none('refused');
    if (message.stop_reason === 'max_tokens' || message.stop_reason === 'model_context_window_exceeded')
      return none('truncated');
    // The model stopped for another reason, such as a tool call: the answer may be incomplete.
    if (message.stop_reason !== 'end_turn') return none('unfinished');
    const text = message.content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
    if (text.trim() === '') return none('empty');
    const parsed = AnsweredProposal.safeParse(parseJson(text));
    if (!parsed.success) return none('malformed');
    const { update, lesson, refusal } = parsed.data;
    // Who declines and writes a lesson all the same has not decided.
    if (refusal !== null) return none(update && lesson !== null ? 'malformed' : declined(refusal.kind));
    if (!update || lesson === null) return none('no_update');
    if (lesson.confidence < this.settings.minConfidence) return none('low_confidence');
    return { outcome: 'lesson', lesson };
  }
}

const none = (reason: NoLessonReason): ReadAnswer => ({ outcome: 'none', reason });
