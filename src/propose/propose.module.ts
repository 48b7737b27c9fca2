import { readFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { Batching } from './lessons/batching.service.js';
import { Conclusions } from './lessons/conclusions.service.js';
import { LessonFiles } from './lessons/lesson-files.service.js';
import { ProposerJob } from './lessons/proposer.job.js';
import { ProposerBatchRepository } from './lessons/proposer-batch.repository.js';
import { Proposing } from './lessons/proposing.service.js';
import { RulesProposer } from './lessons/rules.proposer.js';
import { AnthropicProposer } from './model/anthropic.proposer.js';
import { PromptWriter } from './model/prompt.js';
import type { LessonProposer } from './model/proposer.js';
import { Asking, PROPOSER } from './questions/asking.service.js';
import { LessonWording } from './questions/lesson-wording.service.js';
import { RecallModelRepository } from './questions/recall-model.repository.js';
import { RecallModel } from './questions/recall-model.service.js';
import { SecondOpinions } from './questions/second-opinions.service.js';
import { ProposerCallRepository } from './spending/proposer-call.repository.js';
import { Spending } from './spending/spending.service.js';
import { ProposerUsageController } from './usage/proposer-usage.controller.js';
import { ProposerUsageRepository } from './usage/proposer-usage.repository.js';
import { ProposerUsages } from './usage/proposer-usage.service.js';

const template = (name: string): string => readFileSync(new URL(`./templates/${name}.hbs`, import.meta.url), 'utf8');

/** The model when a key or a base URL is set, else the rules. */
function chooseProposer(config: Config, ids: Ids): LessonProposer {
  const { anthropicApiKey, anthropicBaseUrl } = config;
  if (!anthropicApiKey && !anthropicBaseUrl) return new RulesProposer();
  const prompts = new PromptWriter({
    failure: template('failure.system'),
    success: template('success.system'),
    payload: template('payload.user'),
  });
  return new AnthropicProposer(
    {
      apiKey: anthropicApiKey,
      baseUrl: anthropicBaseUrl,
      model: config.proposerModel,
      maxTokens: config.proposerMaxTokens,
      minConfidence: config.proposerMinConfidence,
      timeoutMs: config.proposerTimeoutSeconds * 1_000,
    },
    prompts,
    () => ids.nonce(),
  );
}

@Module({
  imports: [CaptureModule, MemoryModule],
  controllers: [ProposerUsageController],
  providers: [
    { provide: PROPOSER, useFactory: chooseProposer, inject: [CONFIG, Ids] },
    Proposing,
    ProposerJob,
    Asking,
    Spending,
    Conclusions,
    Batching,
    LessonFiles,
    LessonWording,
    ProposerBatchRepository,
    ProposerCallRepository,
    ProposerUsages,
    ProposerUsageRepository,
    SecondOpinions,
    RecallModel,
    RecallModelRepository,
  ],
  exports: [Proposing, ProposerUsages, SecondOpinions, RecallModel, LessonWording],
})
export class ProposeModule {}
