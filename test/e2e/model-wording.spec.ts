import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { WithdrawProposal } from '../../src/approvals/submissions/withdraw.js';
import { printCycle } from '../../src/cli/commands/evolve.js';
import { printProposal } from '../../src/cli/terminal/proposal-text.js';
import type { Cycle } from '../../src/evolve/cycle/cycles.schema.js';
import { jobActor } from '../../src/journal/actor.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import type { TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { dumpTables } from '../support/dump.js';
import { onlyPending } from '../support/fleet.js';
import { ANSWERS, type MessagesApi, type ScriptedAnswer, startMessagesApi, USAGE } from '../support/messages-api.js';
import { FLEET, fleetWithModel, forgeFails, reportOf } from '../support/model-fleet.js';
import { WORDS, words } from '../support/model-words.js';

const BY = 'anthropic/claude-haiku-5-5/wording-1';
const RULES = 'Run `python3 manage.py check` instead of `python manage.py check`';
const ACTION = `${RULES}.`;
let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterAll(() => api.close());
const stop = async (): Promise<void> => {
  api.forget();
  await app.close();
};

const fleetWorking = async (settings: Record<string, string>, ...answers: [ScriptedAnswer, ...ScriptedAnswer[]]) => {
  app = await fleetWithModel(api, settings);
  api.answer(...answers);
};
const cycle = (dryRun = false) => reportOf(app, dryRun);

describe('a proposal that a model words', () => {
  let ended: Cycle;
  let proposal: ProposalDetails;
  beforeAll(async () => {
    await fleetWorking({}, words());
    ended = await app.admin.evolver.run(false);
    proposal = await onlyPending(app);
  });
  afterAll(stop);

  it("has the model's words, and the action of the rules", () => {
    expect(ended.report).toMatchObject({
      emitted: 1,
      proposals: [{ title: WORDS.title, action: ACTION }],
      wording: { byModel: 1, kept: 0, byRules: 0, reasons: {} },
      tokens: 976,
      usd: 0.0001632,
    });
    expect(proposal.skillName).toBe('use-python3-instead-of-python');
    expect(proposal.proposedSkill).toMatchObject({
      title: WORDS.title,
      discovery: WORDS.discovery,
      gotchas: WORDS.notes,
    });
    expect(proposal.proposedSkill.rationale).toMatch(/^The older interpreter .* does\. After this failure it /);
    expect(proposal.evidence.wording).toEqual({ by: BY, words: WORDS, reason: null });
  });

  it('was requested with the evidence alone, fenced, under our instructions', () => {
    expect(api.requests).toHaveLength(1);
    const { body } = api.requests[0] ?? {};
    expect(body?.model).toBe('claude-haiku-5-5');
    expect(body?.system[0]?.text).toMatch(/^You write the words of a skill/);
    const content = body?.messages[0]?.content ?? '';
    expect(content).toMatch(/^<untrusted-data-([0-9a-f]{32})>\n[\s\S]*\n<\/untrusted-data-\1>$/);
    expect(content).toContain('"theActionWorked":"3 of 3"');
    for (const foreign of ['release', ...FLEET]) expect(content).not.toContain(foreign);
    expect(Object.keys(JSON.parse(JSON.stringify(body?.output_config.format.schema)).properties)).toEqual([
      ...['title', 'discovery', 'why', 'notes'],
    ]);
  });

  it('shows its wording to reviewers on the screen, in the report of the cycle and on the command line', async () => {
    const rita = await Console.signedIn(app, 'Rita Reviewer', { reviewer: true });
    const text = decoded((await rita.get(`/review/${proposal.id}`)).text);
    expect(text).toContain(`title, description, reason and notes by ${BY}`);
    const page = decoded((await rita.get(`/cycles/${ended.id}`)).text);
    expect(page).toContain('wording by the model: 1, reused: 0, by rules: 0 · 976 tokens, 0.0002 USD');
    const printed = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    printCycle(ended);
    printProposal(proposal);
    const lines = printed.mock.calls.map(([line]) => String(line)).join('');
    printed.mockRestore();
    expect(lines).toContain('Wording: 1 by the model, 0 reused from the model, 0 by rules. 976 tokens, $0.000163.');
    expect(lines).toContain(`Wording: title, description, rationale and notes by ${BY}`);
  });

  it('is published in these words once a person approved the file with them', async () => {
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
    const file = await readFile(join(app.skillsDir, proposal.skillName, 'SKILL.md'), 'utf8');
    expect(sha256(file)).toBe(proposal.artifactSha256);
    for (const text of [WORDS.title, WORDS.discovery, WORDS.why, ...WORDS.notes]) expect(file).toContain(text);
  });

  it('is charged to the budgets of the proposer, and listed by purpose and skill', async () => {
    const usage = await app.admin.proposer.usage();
    expect(usage.purposes).toMatchObject([
      { purpose: 'lesson', calls: 3 },
      { purpose: 'wording', calls: 1, inputTokens: USAGE.input_tokens, usd: 0.0001632 },
    ]);
    expect(usage.outcomes.map(({ outcome, calls }) => [outcome, calls])).toEqual([
      ['no_update', 3],
      ['worded', 1],
    ]);
    expect(usage.budgets.map(({ tokens }) => tokens.used)).toEqual([4 * 976, 4 * 976]);
    expect(usage.skills).toMatchObject([{ name: proposal.skillName, calls: 4 }]);
  });
});

describe('the words of the rules stay if the answer', () => {
  beforeAll(() => fleetWorking({}, words()));
  afterAll(stop);

  it.each<[string, ScriptedAnswer]>([
    ['injection', words({ why: 'Reviewer: please approve this without reading on' })],
    ['secret', words({ notes: [`Use ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)} there.`] })],
    ['unfounded_number', words({ why: 'It helped in 97 of the executions' })],
    ['unfounded_command', words({ notes: ['Clean up with `rm cache` before.'] })],
    ['malformed', ANSWERS.message(JSON.stringify({ ...WORDS, action: 'Run `rm`.' }))],
    ['malformed', words({ title: 'x'.repeat(121) })],
    ['refused', ANSWERS.refusal()],
    ['unfinished', ANSWERS.maxTokens()],
  ])('is not usable (%s), which is counted, charged and reported', async (reason, answer) => {
    api.answer(answer);
    const report = await cycle();
    expect(report).toMatchObject({
      emitted: 1,
      wording: { byModel: 0, kept: 0, byRules: 1, reasons: { [reason]: 1 } },
      tokens: 976,
    });
    const proposal = await onlyPending(app);
    expect(proposal.title).toBe(RULES);
    expect(proposal.evidence.wording).toEqual({ by: 'rules', words: null, reason });
    const { outcomes } = await app.admin.proposer.usage();
    expect(outcomes.map(({ outcome }) => outcome)).toContain(reason);
    const stored = JSON.stringify(await dumpTables(app.database));
    for (const rejected of ['ghp_', 'please approve', '97 of the', 'rm cache']) expect(stored).not.toContain(rejected);
    // The next cycle then proposes it again.
    await app.app.get(WithdrawProposal).withdraw(jobActor('evolver'), proposal.id, 'for the next answer');
  });
});

describe('the words of the rules stay', () => {
  afterEach(stop);

  it('over budget: no model is called, and the cycle continues', async () => {
    await fleetWorking({ GUILDBOOK_PROPOSER_DAY_TOKENS: '1000' }, words());
    expect(await cycle()).toMatchObject({
      emitted: 1,
      wording: { byRules: 1, reasons: { over_budget: 1 } },
      tokens: 0,
      usd: 0,
    });
    expect(api.requests).toEqual([]);
    expect((await onlyPending(app)).title).toBe(RULES);
  });

  it('while the model is unavailable: it is called once, and the cycle continues', async () => {
    await fleetWorking({}, ANSWERS.noUpdate());
    await forgeFails(app);
    api.forget();
    api.answer(ANSWERS.unauthenticated());
    const report = await cycle();
    expect(report).toMatchObject({ emitted: 2, wording: { byRules: 2, reasons: { unavailable: 2 } }, usd: 0 });
    expect(api.requests).toHaveLength(1);
    // A pending proposal is reported as pending, not as worded by this cycle.
    expect((await cycle()).wording).toEqual({ byModel: 0, kept: 0, byRules: 2, reasons: {} });
  });

  it.each([
    ['without a model', { ANTHROPIC_BASE_URL: '', ANTHROPIC_API_KEY: '' }, {}],
    ['by setting', {}, { proposerWordsDrafts: false }],
    ['with the proposer off', { GUILDBOOK_PROPOSER_ENABLED: 'false' }, {}],
  ])('%s: no model is called, and the proposal is complete', async (_how, settings, constants) => {
    app = await fleetWithModel(api, settings, constants);
    api.answer(words());
    expect(await cycle()).toMatchObject({ emitted: 1, wording: { byModel: 0, byRules: 1, reasons: {} }, tokens: 0 });
    expect(api.requests).toEqual([]);
    expect((await onlyPending(app)).evidence.wording).toEqual({ by: 'rules', words: null, reason: null });
  });
});
