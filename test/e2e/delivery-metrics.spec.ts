import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import { ARMS, MOMENTS } from '../../src/skills/delivery/delivery-tally.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { answersFollow, approveProgramSkill } from '../support/program-skills.js';
import { metricValue } from '../support/prometheus-text.js';
import { bothSides } from '../support/skills.js';

const TOKEN = 'only-for-the-metrics-of-this-test-0003';

let app: TestApplication;
let rita: Awaited<ReturnType<TestApplication['person']>>;
beforeAll(async () => {
  // Whether an answer comes in time is not the question here.
  app = await startTestApplication({ GUILDBOOK_METRICS_TOKEN: TOKEN }, false, { hookDeadlineMs: 60_000 });
  rita = await app.person('Rita', { reviewer: true });
});
afterAll(() => app.close());

/** Approves a confirmed skill about `program`. With `gate`, a reviewer marks it as a gate before. */
const skillAbout = (program: string, says: Partial<NewProposal['proposedSkill']> = {}, gate = false) =>
  approveProgramSkill(app, program, { says, ...(gate ? { gatedBy: rita } : {}) });

let events = 0;
async function send(token: string, name: string, body: object): Promise<string> {
  events += 1;
  const event = { session_id: `session-${events}`, cwd: '/home/ada/shop', hook_event_name: name, ...body };
  return (await http(app, token).post(`/v1/hooks/claude-code/${name}`).send(event)).text;
}
const call = (command: string) => ({ tool_name: 'Bash', tool_use_id: `call-${events}`, tool_input: { command } });
const failure = (command: string) => ({ ...call(command), error: `Exit code 2\n${command}: unknown option --all` });

/** One token of an agent that receives the skill, and one of an agent that does not. */
async function halves(skill: string): Promise<{ inside: string; outside: string }> {
  await app.admin.skills.rollout(skill, 25);
  await answersFollow(app);
  const { inside, outside } = await bothSides(app, skill, 25, 1);
  return { inside: inside[0]?.token ?? '', outside: outside[0]?.token ?? '' };
}

async function counted(): Promise<Record<string, number | undefined>> {
  const { text } = await http(app, TOKEN).get('/metrics');
  return Object.fromEntries(
    MOMENTS.flatMap((moment) =>
      ARMS.map((arm) => [`${moment} ${arm}`, metricValue(text, 'guildbook_deliveries_total', { moment, arm })]),
    ),
  );
}

describe('deliveries over hooks', () => {
  it('are counted by moment and arm, each once, as the database has them', async () => {
    const none = Object.fromEntries(MOMENTS.flatMap((moment) => ARMS.map((arm) => [`${moment} ${arm}`, 0])));
    expect(await counted()).toEqual(none);

    const { token } = await app.agent('Ada');
    await skillAbout('old1', { binding: { project: 'ledger' } });
    expect(await send(token, 'SessionStart', { cwd: '/home/ada/ledger', source: 'startup' })).toContain('old1');

    await skillAbout('old2', {
      discovery: 'Use when about to reconcile the quarterly ledger with the bank export.',
      condition: 'The quarterly ledger is reconciled with the bank export.',
    });
    const prompt = { session_id: 'one', prompt: 'Reconcile the quarterly ledger with the bank export' };
    expect(await send(token, 'UserPromptSubmit', prompt)).toContain('old2');
    // A repetition is no delivery.
    expect(await send(token, 'UserPromptSubmit', prompt)).toBe('{}');

    const advised = await halves(await skillAbout('old3'));
    expect(await send(advised.inside, 'PostToolUseFailure', failure('old3 a.py'))).toContain('py3');
    expect(await send(advised.inside, 'PostToolUseFailure', failure('old3 b.py'))).toContain('py3');
    expect(await send(advised.outside, 'PostToolUseFailure', failure('old3 a.py'))).toBe('{}');

    const refused = await halves(await skillAbout('old4', {}, true));
    expect(await send(refused.inside, 'PreToolUse', call('old4 a.py'))).toContain('deny');
    expect(await send(refused.outside, 'PreToolUse', call('old4 a.py'))).toBe('{}');
    expect(await send(refused.outside, 'PreToolUse', call('old4 a.py'))).toBe('{}');

    expect(await counted()).toEqual({
      ...none,
      'start delivered': 1,
      'prompt delivered': 1,
      'failure delivered': 2,
      'failure withheld': 1,
      'refused delivered': 1,
      'refused withheld': 2,
    });
    const rows = await app.database.client.delivery.groupBy({ by: ['moment', 'arm'], _count: true });
    expect(Object.fromEntries(rows.map(({ moment, arm, _count }) => [`${moment} ${arm}`, _count]))).toEqual(
      Object.fromEntries(Object.entries(await counted()).filter(([, number]) => number !== 0)),
    );
  });
});
