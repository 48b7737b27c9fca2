import { Capturing } from '../../src/capture/capturing.service.js';
import { Payloads } from '../../src/capture/payloads.service.js';
import { Lessons } from '../../src/memory/lessons.service.js';
import { Answering } from '../../src/platform/answering.js';
import { Clock } from '../../src/platform/clock.js';
import { loadConfig } from '../../src/platform/config.js';
import { Ids } from '../../src/platform/ids.js';
import { Asking } from '../../src/propose/asking.service.js';
import { Conclusions } from '../../src/propose/conclusions.service.js';
import type { LessonProposer, PricedModel, Proposed } from '../../src/propose/proposer.js';
import { ProposerCallRepository } from '../../src/propose/proposer-call.repository.js';
import { Proposing } from '../../src/propose/proposing.service.js';
import { Spending } from '../../src/propose/spending.service.js';
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
): Proposing {
  const proposer: LessonProposer = { name: 'scripted/1', propose: async () => answer(), ...(model ? { model } : {}) };
  const [payloads, lessons, capturing] = [app.get(Payloads), app.get(Lessons), app.get(Capturing)];
  const config = loadConfig(settings);
  const [clock, ids] = [app.get(Clock), app.get(Ids)];
  const spending = new Spending(config, database.worker, clock, ids, new ProposerCallRepository());
  const asking = new Asking(proposer, clock, spending);
  const worker = database.worker;
  const conclusions = new Conclusions(config, worker, clock, ids, asking, spending, payloads, lessons);
  return new Proposing(config, asking, conclusions, payloads, app.get(Answering), capturing);
}

/** Rings, and waits until nothing is left that this worker may take. */
export async function work(proposing: Proposing): Promise<void> {
  proposing.ring();
  await proposing.idle();
}
