import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { fencedForModel } from '../model/fenced.js';
import { ModelQuestion } from '../model/model-question.js';
import { asciiMarks } from '../model/presentable.js';
import { ProposerQuestions, type TextReply } from './proposer-questions.service.js';

/** Raise it with every change of the template. Each summary records it. */
export const SUMMARY_VERSION = 1;

const SYSTEM = readFileSync(new URL('../templates/summary.system.hbs', import.meta.url), 'utf8').trim();
const MAX_TOKENS = 1_000;
const RETRIES = 1;

/** What a model may write of a session: it sets neither its times nor its entries. */
export const ModelSummary = z.strictObject({
  text: z.string().trim().min(1).max(1_200),
  tags: z.array(z.string().trim().min(1).max(40)).min(1).max(10),
});
export type ModelSummary = z.infer<typeof ModelSummary>;

export interface SummaryRequest {
  readonly agentId: string;
  /** Names the summary by rules that is to be replaced. */
  readonly pattern: string;
  /** From the derived report and the entries, redacted and without private values. */
  readonly records: readonly Readonly<Record<string, string>>[];
  /** Returns what in a summary the records do not show. */
  readonly problem: (summary: ModelSummary) => string | undefined;
}

export type SummaryReply =
  | Extract<TextReply<ModelSummary, string>, { outcome: 'written' | 'rules' }>
  /** The model was not asked, or did not answer: ask again later. */
  | { readonly outcome: 'later' };

/**
 * Lets the proposer's model write the summary of a session, within the proposer's budgets, rate limit and backoff. It
 * sees the fenced records of one session. If anything is wrong with its text, the summary by rules stays.
 */
@Injectable()
export class SummaryModel {
  /** The model with the version of its instructions; undefined if rules write all summaries. */
  readonly name: string | undefined;
  private readonly question: ModelQuestion<ModelSummary> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly ids: Ids,
    private readonly questions: ProposerQuestions,
  ) {
    if (!config.proposerEnabled || !config.proposerWritesSummaries || !questions.proposer.model) return;
    const { proposerModel: model, anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl } = config;
    this.name = `anthropic/${model}/summary-${SUMMARY_VERSION}`;
    const endpoint = {
      model,
      apiKey,
      baseUrl,
      timeoutMs: config.proposerTimeoutSeconds * 1_000,
      retries: RETRIES,
      temperature: config.proposerTemperature,
    };
    this.question = new ModelQuestion('summary', endpoint, SYSTEM, ModelSummary, MAX_TOKENS);
  }

  /** Never call it inside a transaction: it waits for a server. */
  async write({ agentId, pattern, records, problem }: SummaryRequest): Promise<SummaryReply> {
    const { name, question } = this;
    if (name === undefined || question === undefined) return { outcome: 'later' };
    const reply = await this.questions.askForText(question, {
      subject: { purpose: 'summary', agentId, pattern },
      by: name,
      model: this.config.proposerModel,
      content: fencedForModel(records, this.ids.nonce()),
      outcome: 'summarised',
      clean: (summary) => ({ ...summary, text: asciiMarks(summary.text) }),
      problem,
    });
    return reply.outcome === 'written' || reply.outcome === 'rules' ? reply : { outcome: 'later' };
  }
}
