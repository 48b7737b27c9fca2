import { AnalysisQueue } from '../../src/capture/analysis/analysis-queue.service.js';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { Lessons } from '../../src/memory/lessons/lessons.service.js';
import { RequestPriority } from '../../src/platform/background/request-priority.js';
import { Clock } from '../../src/platform/base/clock.js';
import { Ids } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { LessonResultHandler } from '../../src/propose/lessons/lesson-result-handler.service.js';
import { ProposerWorker } from '../../src/propose/lessons/proposer-worker.service.js';
import type { LessonProposer, PricedModel, ProposerResult } from '../../src/propose/model/proposer.js';
import { ProposerQuestions } from '../../src/propose/questions/proposer-questions.service.js';
import { ProposerBudgets } from '../../src/propose/spending/proposer-budgets.service.js';
import { ProposerCallRepository } from '../../src/propose/spending/proposer-call.repository.js';
import type { TestApplication } from './application.js';

/** Stops the application's proposer, so that captured executions stay for the worker of the test. */
export async function stopProposer({ app }: TestApplication): Promise<void> {
  await app.get(ProposerWorker).beforeApplicationShutdown();
}

/** A separate worker, as in another process, whose model gives the scripted answers. It runs until it is shut down. */
export function scriptedWorker(
  { app, database }: TestApplication,
  answer: () => ProposerResult | Promise<ProposerResult>,
  settings: Record<string, string> = {},
  model?: PricedModel,
  constants: Partial<Constants> = {},
): ProposerWorker {
  const proposer: LessonProposer = { name: 'scripted/1', propose: async () => answer(), ...(model ? { model } : {}) };
  const [payloads, lessons, capturing] = [app.get(AnalysisQueue), app.get(Lessons), app.get(CaptureWorker)];
  const config = loadConfig(settings, constants);
  const [clock, ids] = [app.get(Clock), app.get(Ids)];
  const spending = new ProposerBudgets(config, database.worker, clock, ids, new ProposerCallRepository());
  const asking = new ProposerQuestions(proposer, clock, spending);
  const worker = database.worker;
  const conclusions = new LessonResultHandler(config, worker, clock, ids, asking, spending, payloads, lessons);
  const proposing = new ProposerWorker(config, asking, conclusions, payloads, app.get(RequestPriority));
  capturing.wakeAfterBatch(proposing);
  return proposing;
}

/** Wakes the worker and waits until it is idle. */
export async function runUntilIdle(proposing: ProposerWorker): Promise<void> {
  proposing.wake();
  await proposing.idle();
}
