import { Capturing } from '../../src/capture/analysis/capturing.service.js';
import { Payloads } from '../../src/capture/analysis/payloads.service.js';
import { Lessons } from '../../src/memory/lessons/lessons.service.js';
import { RequestPriority } from '../../src/platform/background/request-priority.js';
import { Clock } from '../../src/platform/base/clock.js';
import { Ids } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { Conclusions } from '../../src/propose/lessons/conclusions.service.js';
import { Proposing } from '../../src/propose/lessons/proposing.service.js';
import type { LessonProposer, PricedModel, Proposed } from '../../src/propose/model/proposer.js';
import { Asking } from '../../src/propose/questions/asking.service.js';
import { ProposerCallRepository } from '../../src/propose/spending/proposer-call.repository.js';
import { Spending } from '../../src/propose/spending/spending.service.js';
import type { TestApplication } from './application.js';

/** Ends the application's own proposer: what is captured stays for whoever the test brings. */
export async function stopProposing({ app }: TestApplication): Promise<void> {
  await app.get(Proposing).beforeApplicationShutdown();
}

/** A worker of its own, as in another process, whose model answers as told. It lives until it is shut down. */
export function scriptedWorker(
  { app, database }: TestApplication,
  answer: () => Proposed | Promise<Proposed>,
  settings: Record<string, string> = {},
  model?: PricedModel,
  constants: Partial<Constants> = {},
): Proposing {
  const proposer: LessonProposer = { name: 'scripted/1', propose: async () => answer(), ...(model ? { model } : {}) };
  const [payloads, lessons, capturing] = [app.get(Payloads), app.get(Lessons), app.get(Capturing)];
  const config = loadConfig(settings, constants);
  const [clock, ids] = [app.get(Clock), app.get(Ids)];
  const spending = new Spending(config, database.worker, clock, ids, new ProposerCallRepository());
  const asking = new Asking(proposer, clock, spending);
  const worker = database.worker;
  const conclusions = new Conclusions(config, worker, clock, ids, asking, spending, payloads, lessons);
  const proposing = new Proposing(config, asking, conclusions, payloads, app.get(RequestPriority));
  capturing.followedBy(proposing);
  return proposing;
}

/** Wakes it, and waits until nothing is left that this worker may take. */
export async function work(proposing: Proposing): Promise<void> {
  proposing.wake();
  await proposing.idle();
}
