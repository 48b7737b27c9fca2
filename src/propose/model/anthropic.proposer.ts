import type { AnalysisPayload } from '../../capture/analysis/payload.schema.js';
import { AnthropicBatches } from './anthropic-batches.proposer.js';
import type { Fenced } from './fenced.js';
import { countAnswer, measureCall } from './model-metrics.js';
import { type ModelAnswer, type ModelEndpoint, ModelQuestion } from './model-question.js';
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
} from './proposer.js';

export interface AnthropicSettings extends Omit<ModelEndpoint, 'retries'> {
  readonly maxTokens: number;
  readonly minConfidence: number;
}

/** Three attempts in all; the lease of a payload lasts as long as all of them. */
const RETRIES = 2;

/** Asks a model of the Anthropic Messages API for a lesson. */
export class AnthropicProposer implements LessonProposer {
  readonly name: string;
  readonly model: PricedModel;
  readonly batches: ModelBatches;
  private readonly questions: Readonly<Record<AnalysisPayload['kind'], ModelQuestion<AnsweredProposal>>>;

  constructor(
    private readonly settings: AnthropicSettings,
    private readonly prompts: PromptWriter,
    private readonly nonce: () => string,
  ) {
    const endpoint = { ...settings, retries: RETRIES };
    // The schema is the same for every call, so that the provider caches it.
    const question = (system: string): ModelQuestion<AnsweredProposal> =>
      new ModelQuestion('lesson', endpoint, system, AnsweredProposal, settings.maxTokens, ProposedLesson);
    const [failure, success] = [question(prompts.systems.failure), question(prompts.systems.success)];
    this.questions = { failure, success };
    this.name = `anthropic/${settings.model}/prompt-${PROMPT_VERSION}`;
    this.model = {
      name: settings.model,
      maxUsage: (payload) => this.questions[payload.kind].maxUsage(this.content(payload)),
    };
    this.batches = new AnthropicBatches(
      failure.client,
      (payload) => this.questions[payload.kind].request(this.content(payload)),
      (message) => countAnswer('lesson', this.result(failure.read(message))),
    );
  }

  propose(payload: AnalysisPayload): Promise<ProposerResult> {
    const question = this.questions[payload.kind];
    return measureCall('lesson', async () => this.result(await question.askUnmeasured(this.content(payload))));
  }

  private content(payload: AnalysisPayload): Fenced {
    return this.prompts.write(payload, this.nonce()).user;
  }

  private result(answer: ModelAnswer<AnsweredProposal>): ProposerResult {
    if (answer.outcome === 'unavailable') return answer;
    const used = answer.usage ? { usage: answer.usage } : {};
    const none = (reason: NoLessonReason): ProposerResult => ({ outcome: 'none', reason, ...used });
    if (answer.outcome === 'none') return none(answer.because ?? answer.reason);
    const { update, lesson, refusal } = answer.value;
    // Who declines and writes a lesson all the same has not decided.
    if (refusal !== null) return none(update && lesson !== null ? 'malformed' : declined(refusal.kind));
    if (!update || lesson === null) return none('no_update');
    if (lesson.confidence < this.settings.minConfidence) return none('low_confidence');
    return { outcome: 'lesson', lesson, ...used };
  }
}
