import { readFileSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { fencedForModel } from '../model/fenced.js';
import { type ModelAnswer, ModelQuestion } from '../model/model-question.js';
import { VerifierOpinion } from './verifier-opinion.schema.js';

const SYSTEM = readFileSync(new URL('../templates/opinion.system.hbs', import.meta.url), 'utf8').trim();
const MAX_TOKENS = 1_000;

export type VerifierAnswer =
  | ({ readonly outcome: 'opinion' } & VerifierOpinion)
  | Exclude<ModelAnswer<VerifierOpinion>, { outcome: 'answer' }>;

/**
 * An optional second model that checks memories. It has other training than the model that wrote them, and is given
 * only the memory and what other executions showed of its remedy.
 */
@Injectable()
export class VerifierModel {
  readonly model: string | undefined;
  private readonly question: ModelQuestion<VerifierOpinion> | undefined;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly ids: Ids,
  ) {
    this.model = config.verifierModel;
    if (this.model === undefined) return;
    const endpoint = {
      model: this.model,
      apiKey: config.verifierApiKey ?? config.anthropicApiKey,
      baseUrl: config.verifierBaseUrl ?? config.anthropicBaseUrl,
      timeoutMs: config.proposerTimeoutSeconds * 1_000,
      retries: 1,
    };
    this.question = new ModelQuestion('verifier', endpoint, SYSTEM, VerifierOpinion, MAX_TOKENS);
  }

  /**
   * Returns false if this model wrote the memory, or if the memory's agent runs on it: the same model repeats its own
   * errors.
   */
  isIndependentOf(proposer: string, agentModels: readonly string[]): boolean {
    const { model } = this;
    return model !== undefined && !proposer.split('/').includes(model) && !agentModels.includes(model);
  }

  /** `fields`: the memory and what is known about it. Each text may come from others and is fenced. */
  async ask(fields: Readonly<Record<string, string>>): Promise<VerifierAnswer> {
    if (!this.question) return { outcome: 'unavailable', reason: 'no verifier model is configured' };
    const answer = await this.question.ask(fencedForModel([fields], this.ids.nonce()));
    return answer.outcome === 'answer' ? { outcome: 'opinion', ...answer.value } : answer;
  }
}
