import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { printApproval } from '../../src/cli/approval-text.js';
import { printCycle } from '../../src/cli/commands/evolve.js';
import type { GuildbookError } from '../../src/client/connection.js';
import type { CycleReport } from '../../src/evolve/cycles.schema.js';
import { sha256 } from '../../src/platform/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { dumpTables } from '../support/dump.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { ANSWERS, type MessagesApi, type ScriptedAnswer, startMessagesApi, USAGE } from '../support/messages-api.js';
import { run } from '../support/reports.js';
import { WORDS, words } from '../support/worded.js';

const FLEET = ['ada', 'ben', 'cem'];
const BY = 'anthropic/claude-haiku-5-5/wording-1';
const RULES = 'Use python3 instead of python';
const MINUTE = 60_000;
/** Another failure, and what overcomes it. */
const FORGE = [
  run('forge build site.cfg', 'forge: the lock file is stale'),
  run('forge build site.cfg', 'forge: the lock file is stale'),
  run('forge build --fresh site.cfg'),
];

let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterEach(async () => {
  api.forget();
  await app.close();
});
afterAll(() => api.close());

/** With a model, which wrote the lessons of this fleet already and is forgotten about; it answers so from now on. */
async function fleetWorking(settings: Record<string, string>, ...answers: [ScriptedAnswer, ...ScriptedAnswer[]]) {
  app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted', ...settings });
  await reports(FLEET);
  api.answer(...answers);
}

async function reports(names: readonly string[]): Promise<void> {
  api.answer(ANSWERS.noUpdate());
  await reportPythonFleet(app, names);
  api.forget();
}

/** Each agent meets the other failure, too. */
async function forgeFails(): Promise<void> {
  for (const name of FLEET) {
    const { client } = await app.agent(`${name} of the forge`, `team of ${name}`);
    await client.executions.report({ ...pythonReport(app, `forge of ${name}`), toolCalls: FORGE });
  }
  await app.settled();
}

async function cycle(dryRun = false): Promise<CycleReport> {
  const { report } = await app.admin.evolver.run(dryRun);
  if (!report) throw new Error('the cycle has no report');
  return report;
}

describe('a proposal that a model words', () => {
  it('is published in its words once a person approved the file that holds them', async () => {
    await fleetWorking({}, words());
    const report = await cycle();
    expect(report).toMatchObject({
      emitted: 1,
      proposals: [{ title: WORDS.title, action: 'Run `python3` instead of `python`, with the same arguments.' }],
      wording: { byModel: 1, kept: 0, byRules: 0, reasons: {} },
      tokens: USAGE.input_tokens + USAGE.output_tokens,
      usd: 0.0001632,
    });
    const item = await onlyPending(app);
    expect(item.skillName).toBe('use-python3-instead-of-python');
    expect(item.proposal).toMatchObject({ title: WORDS.title, discovery: WORDS.discovery, gotchas: WORDS.notes });
    expect(item.proposal.rationale).toMatch(/^The older interpreter .* does\. 6 failures in 3 executions of 3 agents/);
    expect(item.evidence.wording).toEqual({ by: BY, words: WORDS, reason: null });
    await app.admin.approvals.approve(item.id, item.artifactSha256);
    await app.settled();
    const file = await readFile(join(app.skillsDir, item.skillName, 'SKILL.md'), 'utf8');
    expect(sha256(file)).toBe(item.artifactSha256);
    for (const text of [WORDS.title, WORDS.discovery, WORDS.why, ...WORDS.notes]) expect(file).toContain(text);
  });

  it('was asked for with the evidence alone, fenced, under instructions of ours', async () => {
    await fleetWorking({}, words());
    await cycle();
    expect(api.requests).toHaveLength(1);
    const { body } = api.requests[0] ?? {};
    expect(body?.model).toBe('claude-haiku-5-5');
    expect(body?.system[0]?.text).toMatch(/^You write the words of a skill/);
    const content = body?.messages[0]?.content ?? '';
    expect(content).toMatch(/^<untrusted-data-([0-9a-f]{32})>\n[\s\S]*\n<\/untrusted-data-\1>$/);
    expect(content).toContain('"theActionWorked":"3 of 3"');
    for (const foreign of ['manage.py', 'release', ...FLEET]) expect(content).not.toContain(foreign);
    expect(Object.keys(JSON.parse(JSON.stringify(body?.output_config.format.schema)).properties)).toEqual([
      ...['title', 'discovery', 'why', 'notes'],
    ]);
  });

  it('says so to whoever decides on it, on the screen, in the report of the cycle and on the command line', async () => {
    await fleetWorking({}, words());
    const ended = await app.admin.evolver.run(false);
    const { id } = ended;
    const rita = await Console.signedIn(app, 'Rita Reviewer', { reviewer: true });
    const text = decoded((await rita.get(`/review/${(await onlyPending(app)).id}`)).text);
    expect(text).toContain(`by ${BY}: title, description, the reason before the figures, notes`);
    const page = decoded((await rita.get(`/cycles/${id}`)).text);
    expect(page).toContain('worded by the model: 1, kept from it: 0, by rules: 0 · 976 tokens, 0.0002 dollars');
    const item = await onlyPending(app);
    const printed = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    printCycle(ended);
    printApproval(item);
    const lines = printed.mock.calls.map(([line]) => String(line)).join('');
    printed.mockRestore();
    expect(lines).toContain('Worded by the model: 1; kept from it: 0; by rules: 0. 976 tokens, $0.000163.');
    expect(lines).toContain(`Words: title, description, the reason before the figures and notes by ${BY}`);
  });

  it('costs what the ledger of calls says, in the budgets of the proposer, and by purpose and skill', async () => {
    await fleetWorking({}, words());
    await cycle();
    const item = await onlyPending(app);
    await app.admin.approvals.approve(item.id, item.artifactSha256);
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
    expect(usage.skills).toMatchObject([{ name: item.skillName, calls: 4 }]);
  });
});

describe('the words of the rules stand', () => {
  it.each<[string, ScriptedAnswer]>([
    ['injection', words({ why: 'Reviewer: please approve this without reading on' })],
    ['secret', words({ notes: [`Use ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)} there.`] })],
    ['unfounded_number', words({ why: 'It helped in 97 of the executions' })],
    ['unfounded_command', words({ notes: ['Clean up with `rm cache` before.'] })],
    ['malformed', ANSWERS.message(JSON.stringify({ ...WORDS, action: 'Run `rm`.' }))],
    ['malformed', words({ title: 'x'.repeat(121) })],
    ['refused', ANSWERS.refusal()],
    ['unfinished', ANSWERS.maxTokens()],
  ])('where its answer is worth nothing (%s), which is counted, paid for and told', async (reason, answer) => {
    await fleetWorking({}, answer);
    const report = await cycle();
    expect(report).toMatchObject({
      emitted: 1,
      wording: { byModel: 0, kept: 0, byRules: 1, reasons: { [reason]: 1 } },
      tokens: 976,
    });
    const item = await onlyPending(app);
    expect(item.title).toBe(RULES);
    expect(item.evidence.wording).toEqual({ by: 'rules', words: null, reason });
    const { outcomes } = await app.admin.proposer.usage();
    expect(outcomes.map(({ outcome }) => outcome)).toContain(reason);
    const stored = JSON.stringify(await dumpTables(app.database));
    for (const rejected of ['ghp_', 'please approve', '97 of the', 'rm cache']) expect(stored).not.toContain(rejected);
  });

  it('over budget: nobody is asked, and the cycle goes on', async () => {
    await fleetWorking({ GUILDBOOK_PROPOSER_DAY_TOKENS: '1000' }, words());
    expect(await cycle()).toMatchObject({
      emitted: 1,
      wording: { byRules: 1, reasons: { over_budget: 1 } },
      ...{ tokens: 0, usd: 0 },
    });
    expect(api.requests).toEqual([]);
    expect((await onlyPending(app)).title).toBe(RULES);
  });

  it('while the model is away: it is asked once, and the cycle goes on', async () => {
    await fleetWorking({}, ANSWERS.noUpdate());
    await forgeFails();
    api.forget();
    api.answer(ANSWERS.unauthenticated());
    const report = await cycle();
    expect(report).toMatchObject({ emitted: 2, wording: { byRules: 2, reasons: { unavailable: 2 } }, usd: 0 });
    expect(api.requests).toHaveLength(1);
  });

  it.each([
    ['without a model', { ANTHROPIC_BASE_URL: '', ANTHROPIC_API_KEY: '' }],
    ['by setting', { GUILDBOOK_PROPOSER_WORDING: 'false' }],
    ['with the proposer off', { GUILDBOOK_PROPOSER_ENABLED: 'false' }],
  ])('%s: nobody is asked, and nothing is missing', async (_how, settings) => {
    await fleetWorking(settings, words());
    expect(await cycle()).toMatchObject({ emitted: 1, wording: { byModel: 0, byRules: 1, reasons: {} }, tokens: 0 });
    expect(api.requests).toEqual([]);
    expect((await onlyPending(app)).evidence.wording).toEqual({ by: 'rules', words: null, reason: null });
  });
});

describe('a model is asked for words', () => {
  it('by no dry run, no idle cycle and no cycle that only finds what waits', async () => {
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

  it('not for what the cap holds back', async () => {
    await fleetWorking({ GUILDBOOK_MAX_PROPOSALS_PER_CYCLE: '1' }, ANSWERS.noUpdate());
    await forgeFails();
    api.forget();
    expect(await cycle()).toMatchObject({ emitted: 1, heldBack: 1 });
    expect(api.requests).toHaveLength(1);
  });

  it('not for new evidence: the words stay, and the figures are those of today', async () => {
    await fleetWorking({}, words());
    await cycle();
    await reports(['dan', 'eva']);
    expect(await cycle()).toMatchObject({ proposals: [{ outcome: 'refreshed', title: WORDS.title }], tokens: 0 });
    expect(api.requests).toEqual([]);
    const item = await onlyPending(app);
    expect(item).toMatchObject({ revision: 2, title: WORDS.title, evidence: { wording: { by: BY } } });
    expect(item.proposal.rationale).toContain(`${WORDS.why}. 10 failures in 5 executions of 5 agents`);
  });

  it('again for another action', async () => {
    await fleetWorking({}, words());
    await cycle();
    const { id } = await onlyPending(app);
    await pypyServes();
    api.answer(words(PYPY));
    const report = await cycle();
    expect(report.proposals).toMatchObject([{ outcome: 'refreshed', title: PYPY.title }]);
    expect(report.wording).toMatchObject({ byModel: 1, kept: 0 });
    expect(api.requests).toHaveLength(1);
    const { proposal, evidence } = await app.admin.approvals.show(id);
    expect(proposal.action).toBe('Run `pypy` instead of `python`, with the same arguments.');
    expect(evidence.wording).toMatchObject({ by: BY, words: PYPY });
  });

  it('never for what a person wrote', async () => {
    await fleetWorking({}, words());
    await cycle();
    const item = await onlyPending(app);
    const { client: rita } = await app.person('Rita Reviewer', { reviewer: true });
    const proposal = { ...item.proposal, title: 'As Rita would say it' };
    await rita.approvals.edit(item.id, { artifactSha256: item.artifactSha256, proposal });
    await pypyServes();
    api.answer(words(PYPY));
    expect(await cycle()).toMatchObject({ proposals: [{ outcome: 'unchanged' }], tokens: 0 });
    expect(api.requests).toEqual([]);
    expect((await onlyPending(app)).title).toBe('As Rita would say it');
  });

  it('outside of every transaction, and for as long as it takes: nobody else begins a cycle meanwhile', async () => {
    await fleetWorking({}, words());
    const seen: unknown[] = [];
    api.meanwhile(async () => {
      seen.push((await app.admin.approvals.list()).total);
      app.clock.advance(32 * MINUTE);
      seen.push(await app.admin.evolver.run(true).catch(({ problem }: GuildbookError) => problem.code));
    });
    expect(await cycle()).toMatchObject({ emitted: 1, wording: { byModel: 1 } });
    expect(seen).toEqual([0, 'evolver.busy']);
  });
});

const PYPY = {
  ...{ title: 'Use pypy where python fails on syntax', notes: [] },
  discovery: 'Use when `python` has just ended in a SyntaxError: `pypy` reads the same script.',
  why: WORDS.why,
};

/** Many more get over the same failure in another way. */
async function pypyServes(): Promise<void> {
  api.answer(ANSWERS.noUpdate());
  const toolCalls = [run('python a.py', 'SyntaxError: invalid syntax'), run('pypy a.py')];
  for (let n = 0; n < 12; n += 1) {
    const { client } = await app.agent(`agent ${n}`, `team ${n}`);
    await client.executions.report({ ...pythonReport(app, `work ${n}`), toolCalls });
  }
  await app.settled();
  api.forget();
}
