import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import type { AnalysisPayload } from '../capture/payload.schema.js';
import type { PromptWriter } from './prompt.js';
import { PROMPT_VERSION } from './prompt.js';
import { ProposedLesson } from './proposed-lesson.schema.js';
import type { LessonProposer, NoLesson, Proposed, Usage } from './proposer.js';

export interface AnthropicSettings {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly maxTokens: number;
  readonly minConfidence: number;
  readonly timeoutMs: number;
}

/** What is read of an answer; a gateway's log-in page is an answer, too. */
const Answer = z.object({
  stop_reason: z.string().nullable(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  usage: z.object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) }),
});
type Answer = z.infer<typeof Answer>;

type Answered = Exclude<Proposed, { outcome: 'unavailable' }>;

/**
 * Asks a separate model. The SDK's own parsing hides why an answer stopped, so the message is created with the format
 * and read here (formats E); bounds are enforced by our schema, since the API does not.
 */
export class AnthropicProposer implements LessonProposer {
  readonly name: string;
  private readonly client: Anthropic;

  constructor(
    private readonly settings: AnthropicSettings,
    private readonly prompts: PromptWriter,
    private readonly nonce: () => string,
  ) {
    this.name = `anthropic/${settings.model}/prompt-${PROMPT_VERSION}`;
    this.client = new Anthropic({
      apiKey: settings.apiKey ?? 'none',
      timeout: settings.timeoutMs,
      ...(settings.baseUrl ? { baseURL: settings.baseUrl } : {}),
    });
  }

  async propose(payload: AnalysisPayload): Promise<Proposed> {
    const { system, user } = this.prompts.write(payload, this.nonce());
    const answer = await this.ask(system, user);
    if (!answer.ok) return { outcome: 'unavailable', reason: answer.reason };
    const { message } = answer;
    const usage: Usage = { inputTokens: message.usage.input_tokens, outputTokens: message.usage.output_tokens };
    return { ...this.read(message), usage };
  }

  /** Whatever goes wrong on the way is the model's absence, never an error of ours: the payload must not wait for it. */
  private async ask(
    system: string,
    user: string,
  ): Promise<{ ok: true; message: Answer } | { ok: false; reason: string }> {
    try {
      const answer: unknown = await this.client.messages.create({
        model: this.settings.model,
        max_tokens: this.settings.maxTokens,
        system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: user }],
        output_config: { format: zodOutputFormat(ProposedLesson) },
      });
      const message = Answer.safeParse(answer);
      return message.success ? { ok: true, message: message.data } : { ok: false, reason: 'not the Messages API' };
    } catch (error) {
      const status = error instanceof Anthropic.APIError && error.status ? ` ${error.status}` : '';
      return { ok: false, reason: `${error instanceof Error ? error.constructor.name : 'error'}${status}` };
    }
  }

  private read(message: Answer): Answered {
    if (message.stop_reason === 'refusal') return none('refused');
    if (message.stop_reason === 'max_tokens' || message.stop_reason === 'model_context_window_exceeded')
      return none('truncated');
    const text = message.content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
    if (text.trim() === '') return none('empty');
    const parsed = ProposedLesson.safeParse(parseJson(text));
    if (!parsed.success) return none('malformed');
    const { update, lesson } = parsed.data;
    if (!update || lesson === null) return none('no_update');
    if (lesson.confidence < this.settings.minConfidence) return none('low_confidence');
    return { outcome: 'lesson', lesson };
  }
}

const none = (reason: NoLesson): Answered => ({ outcome: 'none', reason });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
