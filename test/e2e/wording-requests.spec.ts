import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { GuildbookError } from '../../src/client/connection.js';
import { SECOND_MS } from '../../src/platform/base/durations.js';
import type { TestApplication } from '../support/application.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { ANSWERS, type MessagesApi, type ScriptedAnswer, startMessagesApi } from '../support/messages-api.js';
import { fleetWithModel, forgeFails, learnNothing, reportOf } from '../support/model-fleet.js';
import { WORDS, words } from '../support/model-words.js';
import { run } from '../support/reports.js';

const BY = 'anthropic/claude-haiku-5-5/wording-1';
const RULES = 'Run `python3 manage.py check` instead of `python manage.py check`';

let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterAll(() => api.close());

const fleetWorking = async (settings: Record<string, string>, ...answers: [ScriptedAnswer, ...ScriptedAnswer[]]) => {
  app = await fleetWithModel(api, settings);
  api.answer(...answers);
};
const cycle = (dryRun = false) => reportOf(app, dryRun);

describe('a model is asked for words', () => {
  afterEach(async () => {
    api.forget();
    await app.close();
  });

  it('by no dry run, no idle cycle and no cycle without new drafts', async () => {
    await fleetWorking({}, words());
    expect(await cycle(true)).toMatchObject({ proposals: [{ outcome: 'dry_run', title: RULES }], tokens: 0 });
    expect(api.requests).toEqual([]);
    await cycle();
    expect(api.requests).toHaveLength(1);
    const idle = await cycle();
    expect(idle).toMatchObject({ emitted: 0, proposals: [{ outcome: 'unchanged' }], tokens: 0, usd: 0 });
    expect(idle.wording).toEqual({ byModel: 0, kept: 1, byRules: 0, reasons: {} });
    expect(api.requests).toHaveLength(1);
  });

  it('not for drafts above the limit of a cycle', async () => {
    await fleetWorking({ GUILDBOOK_MAX_PROPOSALS_PER_CYCLE: '1' }, ANSWERS.noUpdate());
    await forgeFails(app);
    api.forget();
    expect(await cycle()).toMatchObject({ emitted: 1, heldBack: 1 });
    expect(api.requests).toHaveLength(1);
  });

  it('not for new evidence: the words stay, and the figures are updated', async () => {
    await fleetWorking({}, words());
    await cycle();
    await learnNothing(api, () => reportPythonFleet(app, ['dan', 'eva']));
    expect(await cycle()).toMatchObject({ proposals: [{ outcome: 'refreshed', title: WORDS.title }], tokens: 0 });
    expect(api.requests).toEqual([]);
    const proposal = await onlyPending(app);
    expect(proposal).toMatchObject({ revision: 2, title: WORDS.title, evidence: { wording: { by: BY } } });
    expect(proposal.proposedSkill.rationale).toContain(`${WORDS.why}. After this failure it `);
  });

  it('for another action against the same failure, which is a proposal beside the first and contradicts it', async () => {
    await fleetWorking({}, words());
    await cycle();
    const { id } = await onlyPending(app);
    await pythonwServes();
    api.answer(words(PYTHONW));
    const report = await cycle();
    expect(report.proposals).toMatchObject([
      { outcome: 'refreshed', proposalId: id, title: WORDS.title },
      { outcome: 'submitted', kind: 'conflict', title: PYTHONW.title },
    ]);
    expect(report.wording).toMatchObject({ byModel: 1, kept: 1 });
    expect(api.requests).toHaveLength(1);
    const other = report.proposals.find(({ proposalId }) => proposalId !== id)?.proposalId ?? '';
    const { proposedSkill: proposal, evidence, contradicts } = await app.admin.proposals.show(other);
    expect(contradicts.map((one) => one.id)).toEqual([id]);
    expect(proposal.action).toBe('Run `pythonw manage.py check` instead of `python manage.py check`.');
    expect(evidence.wording).toMatchObject({ by: BY, words: PYTHONW });
  });

  it('never for a proposal that a person edited', async () => {
    await fleetWorking({}, words());
    await cycle();
    const proposal = await onlyPending(app);
    const { client: rita } = await app.person('Rita Reviewer', { reviewer: true });
    const edited = { ...proposal.proposedSkill, title: 'As Rita would say it' };
    await rita.proposals.edit(proposal.id, { artifactSha256: proposal.artifactSha256, proposedSkill: edited });
    await learnNothing(api, () => reportPythonFleet(app, ['dan', 'eva']));
    expect(await cycle()).toMatchObject({ proposals: [{ outcome: 'unchanged' }], tokens: 0 });
    expect(api.requests).toEqual([]);
    expect((await onlyPending(app)).title).toBe('As Rita would say it');
  });

  it('outside of every transaction, while the lease is held: no second cycle starts meanwhile', async () => {
    await fleetWorking({}, words());
    const seen: unknown[] = [];
    api.whileAnswering(async () => {
      seen.push((await app.admin.proposals.list()).total);
      app.clock.advance(50 * SECOND_MS);
      seen.push(await app.admin.evolver.run(true).catch(({ problem }: GuildbookError) => problem.code));
    });
    expect(await cycle()).toMatchObject({ emitted: 1, wording: { byModel: 1 } });
    expect(seen).toEqual([0, 'evolver.busy']);
  });
});

const PYTHONW = {
  title: 'Use pythonw where python fails on syntax',
  notes: [],
  discovery: 'Use when `python` has just ended in a SyntaxError: `pythonw` reads the same script.',
  why: WORDS.why,
};

/** Many more agents overcome the same failure in another way. */
async function pythonwServes(): Promise<void> {
  const toolCalls = [run('python manage.py check', 'SyntaxError: invalid syntax'), run('pythonw manage.py check')];
  await learnNothing(api, async () => {
    for (let n = 0; n < 12; n += 1) {
      const { client } = await app.agent(`agent ${n}`, `team ${n}`);
      await client.executions.report({ ...pythonReport(app, `work ${n}`), toolCalls });
    }
    await app.settled();
  });
}
