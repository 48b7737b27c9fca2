import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { fencedForModel } from '../model/fenced.js';
import { ModelQuestion } from '../model/model-question.js';
import { ModelWords, type WordingFailure } from '../model/model-words.schema.js';
import { plainTypography, presentationProblem } from '../model/presentable.js';
import { ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { type NoReply, ProposerQuestions, type TextReply } from './proposer-questions.service.js';

/** Raise it with every change of the template. Each proposal records it. */
export const WORDING_VERSION = 1;

const SYSTEM = readFileSync(new URL('../templates/wording.system.hbs', import.meta.url), 'utf8').trim();
const RETRIES = 1;
/** A cycle has few questions, and a backlog of lessons may use up every minute: how often it waits, each time a minute. */
const MAX_WAITS = 2;

export interface WordingRequest {
  readonly cycleId: string;
  /** The pattern key, as executions store it. */
  readonly pattern: string;
  /** The counts and the words of the rules; never a text as a report said it. */
  readonly records: readonly Readonly<Record<string, string>>[];
  /** Returns what in these words the evidence does not show. */
  readonly problem: (words: ModelWords) => WordingFailure | undefined;
}

export type WordingResult = Extract<TextReply<ModelWords, WordingFailure>, { outcome: 'written' | 'rules' }>;

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
  private readonly question: ModelQuestion<ModelWords> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly questions: ProposerQuestions,
    private readonly budgets: ProposerBudgets,
  ) {
    const timeoutMs = config.proposerTimeoutSeconds * 1_000;
    this.maxDurationMs = (RETRIES + 1) * timeoutMs + RETRIES * MINUTE_MS + MAX_WAITS * MINUTE_MS;
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
    const ask = (): Promise<TextReply<ModelWords, WordingFailure>> =>
      this.questions.askForText(question, {
        subject: { purpose: 'wording', cycleId, pattern },
        by: name,
        model: this.config.proposerModel,
        content: fencedForModel(records, this.ids.nonce()),
        outcome: 'worded',
        clean: plainTypography,
        problem: (words) =>
          ModelWords.safeParse(words).success ? (presentationProblem(words) ?? problem(words)) : 'malformed',
      });
    let reply = await ask();
    for (let waits = 0; reply.outcome === 'rate_limited' && waits < MAX_WAITS; waits += 1) {
      await this.pause(Math.min(MINUTE_MS, Math.max(1, reply.until.getTime() - this.clock.now().getTime())));
      reply = await ask();
    }
    return reply.outcome === 'written' || reply.outcome === 'rules'
      ? reply
      : { outcome: 'rules', reason: failureOf(reply) };
  }

  /** Returns what the wording of a cycle's drafts cost. */
  costOf(cycleId: string): Promise<{ readonly tokens: number; readonly usd: number }> {
    return this.budgets.costOfCycle(cycleId);
  }

  protected async pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false });
  }
}

function failureOf(reply: NoReply): WordingFailure {
  if (reply.outcome === 'rate_limited') return 'calls_per_minute';
  return reply.reason.startsWith('over budget') ? 'over_budget' : 'unavailable';
}
