import { readFileSync } from 'node:fs';
import { Logger, Module } from '@nestjs/common';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { BatchWorker } from './lessons/batch-worker.service.js';
import { LessonFileSync } from './lessons/lesson-file-sync.service.js';
import { LessonResultHandler } from './lessons/lesson-result-handler.service.js';
import { ProposerWorker } from './lessons/proposer-worker.service.js';
import { RulesProposer } from './lessons/rules.proposer.js';
import { AnthropicProposer } from './model/anthropic.proposer.js';
import { refusesTemperature } from './model/model-traits.js';
import { PromptWriter } from './model/prompt.js';
import type { LessonProposer } from './model/proposer.js';
import { PROPOSER, ProposerQuestions } from './questions/proposer-questions.service.js';
import { RecallModelRepository } from './questions/recall-model.repository.js';
import { RecallModel } from './questions/recall-model.service.js';
import { SummaryModel } from './questions/summary-model.service.js';
import { VerifierModel } from './questions/verifier-model.service.js';
import { WordingModel } from './questions/wording-model.service.js';
import { ProposerBatchRepository } from './spending/proposer-batch.repository.js';
import { ProposerBudgets } from './spending/proposer-budgets.service.js';
import { ProposerCallRepository } from './spending/proposer-call.repository.js';
import { ProposerUsageController } from './usage/proposer-usage.controller.js';
import { ProposerUsageRepository } from './usage/proposer-usage.repository.js';
import { ProposerUsageService } from './usage/proposer-usage.service.js';

const template = (name: string): string => readFileSync(new URL(`./templates/${name}.hbs`, import.meta.url), 'utf8');

/** Returns the model if a key or a base URL is set, else the rules. */
function chooseProposer(config: Config, ids: Ids): LessonProposer {
  const { anthropicApiKey, anthropicBaseUrl } = config;
  if (!anthropicApiKey && !anthropicBaseUrl) return new RulesProposer();
  if (config.proposerTemperature !== undefined && refusesTemperature(config.proposerModel))
    new Logger(AnthropicProposer.name).warn(
      `GUILDBOOK_PROPOSER_TEMPERATURE: no effect, because ${config.proposerModel} takes no temperature.`,
    );
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
      temperature: config.proposerTemperature,
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
    // Before the worker, which at the start would otherwise propose a backlog one by one.
    BatchWorker,
    ProposerWorker,
    ProposerQuestions,
    ProposerBudgets,
    LessonResultHandler,
    LessonFileSync,
    WordingModel,
    SummaryModel,
    ProposerBatchRepository,
    ProposerCallRepository,
    ProposerUsageService,
    ProposerUsageRepository,
    VerifierModel,
    RecallModel,
    RecallModelRepository,
  ],
  exports: [ProposerWorker, ProposerUsageService, VerifierModel, RecallModel, WordingModel, SummaryModel],
})
export class ProposeModule {}
