import { readFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import type { Config } from '../platform/config.js';
import { Ids } from '../platform/ids.js';
import { CONFIG } from '../platform/platform.module.js';
import { AnthropicProposer } from './anthropic.proposer.js';
import { Asking, PROPOSER } from './asking.service.js';
import { Batching } from './batching.service.js';
import { Conclusions } from './conclusions.service.js';
import { LessonFiles } from './lesson-files.service.js';
import { LessonWording } from './lesson-wording.service.js';
import { PromptWriter } from './prompt.js';
import { ProposerJob } from './proposer.job.js';
import type { LessonProposer } from './proposer.js';
import { ProposerBatchRepository } from './proposer-batch.repository.js';
import { ProposerCallRepository } from './proposer-call.repository.js';
import { ProposerUsageController } from './proposer-usage.controller.js';
import { ProposerUsageRepository } from './proposer-usage.repository.js';
import { ProposerUsages } from './proposer-usage.service.js';
import { Proposing } from './proposing.service.js';
import { RecallModelRepository } from './recall-model.repository.js';
import { RecallModel } from './recall-model.service.js';
import { RulesProposer } from './rules.proposer.js';
import { SecondOpinions } from './second-opinions.service.js';
import { Spending } from './spending.service.js';

const NONCE_BYTES = 16;
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
    () => ids.nonce(NONCE_BYTES),
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
