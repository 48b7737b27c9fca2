import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { fenceAll } from '../../untrusted/text/fence.js';
import { type ModelAnswer, ModelQuestion } from '../model/model-question.js';
import { ModelWords, type WordingFailure } from '../model/model-words.schema.js';
import { plainTypography, presentationProblem } from '../model/presentable.js';
import { type CallRequest, ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { askPatiently, LONGEST_PATIENCE_MS } from './patient-question.js';
import { type NoReply, ProposerQuestions } from './proposer-questions.service.js';

/** Raise it with every change of the template. Each proposal records it. */
export const WORDING_VERSION = 1;

const SYSTEM = readFileSync(new URL('../templates/wording.system.hbs', import.meta.url), 'utf8').trim();
const RETRIES = 1;

export interface WordingRequest {
  readonly cycleId: string;
  /** The pattern key, as executions store it. */
  readonly pattern: string;
  /** The counts and the words of the rules; never a text as a report said it. */
  readonly records: readonly Readonly<Record<string, string>>[];
  /** Returns what in these words the evidence does not show. */
  readonly problem: (words: ModelWords) => WordingFailure | undefined;
}

export type WordingResult =
  | { readonly outcome: 'worded'; readonly by: string; readonly words: ModelWords }
  | { readonly outcome: 'rules'; readonly reason: WordingFailure };

type Answered = Exclude<ModelAnswer<ModelWords>, { readonly outcome: 'unavailable' }>;

/**
 * Lets the proposer's model word the drafts of a cycle, within the proposer's budgets, rate limit and backoff. The
 * model sees structured evidence, fenced, and sets nothing but words. If anything is wrong with them, the words of the
 * rules stay.
 */
@Injectable()
export class WordingModel {
  /** The model with the version of its instructions; undefined if the rules word everything. */
  readonly name: string | undefined;
  /** The longest time that a call may take, in milliseconds. A caller that holds a lease extends it by this much. */
  readonly maxDurationMs: number;
  private readonly logger = new Logger(WordingModel.name);
  private readonly question: ModelQuestion<ModelWords> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly questions: ProposerQuestions,
    private readonly budgets: ProposerBudgets,
  ) {
    const timeoutMs = config.proposerTimeoutSeconds * 1_000;
    this.maxDurationMs = (RETRIES + 1) * timeoutMs + RETRIES * MINUTE_MS + LONGEST_PATIENCE_MS;
    if (!config.proposerEnabled || !config.proposerWordsDrafts || !questions.proposer.model) return;
    const { proposerModel: model, anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl } = config;
    this.name = `anthropic/${model}/wording-${WORDING_VERSION}`;
    const endpoint = { model, apiKey, baseUrl, timeoutMs, retries: RETRIES, temperature: config.proposerTemperature };
    this.question = new ModelQuestion('wording', endpoint, SYSTEM, ModelWords, config.proposerMaxTokens);
  }

  /** Returns undefined if no model words drafts. Never call it inside a transaction: it waits for a server. */
  async word({ cycleId, pattern, records, problem }: WordingRequest): Promise<WordingResult | undefined> {
    const { name, question } = this;
    if (name === undefined || question === undefined) return undefined;
    const content = fenceAll(records, this.ids.nonce());
    const request: CallRequest = {
      subject: { purpose: 'wording', cycleId, pattern },
      proposer: name,
      model: this.config.proposerModel,
      maxUsage: question.maxUsage(content),
    };
    const reply = await askPatiently(
      () => this.questions.callWithinBudget<Answered>(request, () => question.ask(content)),
      { clock: this.clock, pause: (milliseconds) => this.pause(milliseconds) },
    );
    if (reply.outcome !== 'answered') return { outcome: 'rules', reason: failureOf(reply) };
    const { answer, call } = reply;
    const read = this.read(answer, name, problem);
    const outcome = read.outcome === 'worded' ? 'worded' : read.reason;
    await this.budgets.settle(call, { outcome, usage: answer.usage });
    if (read.outcome === 'rules')
      this.logger.log(`rejected the words of the model (${read.reason}); the words of the rules stay`);
    return read;
  }

  /** Returns what the wording of a cycle's drafts cost. */
  costOf(cycleId: string): Promise<{ readonly tokens: number; readonly usd: number }> {
    return this.budgets.costOfCycle(cycleId);
  }

  protected async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false });
  }

  private read(answer: Answered, by: string, problem: WordingRequest['problem']): WordingResult {
    if (answer.outcome === 'none') return { outcome: 'rules', reason: answer.reason };
    const words = plainTypography(answer.value);
    const reason = ModelWords.safeParse(words).success ? (presentationProblem(words) ?? problem(words)) : 'malformed';
    return reason === undefined ? { outcome: 'worded', by, words } : { outcome: 'rules', reason };
  }
}

function failureOf(reply: NoReply): WordingFailure {
  if (reply.outcome === 'rate_limited') return 'calls_per_minute';
  return reply.reason.startsWith('over budget') ? 'over_budget' : 'unavailable';
}
