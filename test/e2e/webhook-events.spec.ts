import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EvidenceCounts } from '../../src/approvals/proposals/proposals.schema.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { EvolverJob } from '../../src/evolve/cycle/evolver.job.js';
import { WebhookDeliveryWorker } from '../../src/webhooks/webhook-delivery-worker.service.js';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../src/webhooks/webhooks.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { run, SYNTAX_ERROR } from '../support/reports.js';
import { isSigned, type Receiver, startReceiver } from '../support/webhook-receiver.js';

const SITE = 'https://guildbook.example.org';
const EVOLVER_EVENTS = WEBHOOK_EVENTS.filter((event) => !event.startsWith('proposal.'));

/** The failure of the fleet with another remedy. */
const SELECT_FIRST: ToolCall[] = [
  run('python manage.py check', SYNTAX_ERROR),
  run('python manage.py check', SYNTAX_ERROR),
  run('pyenv local 3.12'),
  run('python manage.py check'),
];

let app: TestApplication;
let receiver: Receiver;
let other: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  other = await startReceiver();
  app = await startTestApplication({ GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true', GUILDBOOK_PUBLIC_URL: SITE });
});
afterEach(async () => {
  await app.close();
  await receiver.close();
  await other.close();
});

async function deliverDue(): Promise<void> {
  const worker = app.app.get(WebhookDeliveryWorker);
  worker.wake();
  await worker.idle();
}
const received = () => receiver.messages.map(({ body }) => JSON.parse(body));
/** The data of the messages of this type, and nothing else that was sent. */
const take = async (type: WebhookEvent) => {
  await deliverDue();
  return received().flatMap((message) => (message.type === type ? [message.data] : []));
};

/** A conflict with the skill that the fleet's first cycle proposed. */
async function reportConflict(): Promise<void> {
  for (const name of ['dan', 'eva', 'finn', 'gil', 'hal', 'ina']) {
    const { client } = await app.agent(name, `team of ${name}`);
    await client.executions.report({ ...pythonReport(app, name), toolCalls: SELECT_FIRST });
  }
  await app.settled();
}

describe('a webhook for the evolver', () => {
  it('receives each event once: from a cycle to a skill that replaces another, and the end of the schedule', async () => {
    await app.admin.webhooks.add({ url: receiver.url, events: EVOLVER_EVENTS });
    const decisions = await app.admin.webhooks.add({ url: other.url });
    await app.admin.webhooks.add({ url: other.url, events: ['proposal.rejected'] });

    await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
    const first = await app.admin.evolver.run(false);
    const proposal = await onlyPending(app);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await reportConflict();
    const second = await app.admin.evolver.run(false);
    const conflict = await onlyPending(app);
    const person = await app.person('Second', { reviewer: true });
    await app.admin.proposals.approve(conflict.id, conflict.artifactSha256);
    if ((await app.admin.proposals.show(conflict.id)).state === 'pending')
      await person.client.proposals.approve(conflict.id, conflict.artifactSha256);
    const job = app.app.get(EvolverJob);
    // A day later: executions may have left the window.
    await app.database.client.$executeRaw`UPDATE "evolver_cycle" SET "started_at" = "started_at" - interval '1 day'`;
    await job.run();
    for (let start = 0; start < 2; start += 1) await job.onApplicationBootstrap();
    await deliverDue();

    // Sorted, because two events of one transaction can have the same time.
    const types = [
      'evolver.conflict_detected',
      'evolver.cycle_completed',
      'evolver.cycle_completed',
      'evolver.cycle_completed',
      'evolver.cycle_started',
      'evolver.cycle_started',
      'evolver.cycle_started',
      'evolver.disabled',
      'evolver.proposal_emitted',
      'evolver.proposal_emitted',
      'skill.superseded',
    ];
    expect(
      received()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(types);
    const page = `${SITE}/cycles/${first.id}`;
    expect((await take('evolver.cycle_started'))[0]).toEqual({
      id: first.id,
      trigger: first.trigger,
      dryRun: false,
      link: page,
    });
    expect((await take('evolver.cycle_completed'))[0]).toEqual({
      id: first.id,
      executionsRead: first.report?.executionsRead,
      patterns: first.report?.patterns,
      kept: first.report?.kept,
      emitted: 1,
      heldBack: 0,
      link: page,
    });
    const about = ({ id, kind, risk, skillName, title, evidence }: typeof proposal, version: number) => {
      const cycleId = version === 1 ? first.id : second.id;
      const counts = EvidenceCounts.parse(evidence);
      return { id, kind, risk, skillName, version, title, cycleId, evidence: counts, link: `${SITE}/review/${id}` };
    };
    expect(await take('evolver.proposal_emitted')).toEqual([about(proposal, 1), about(conflict, 2)]);
    expect(await take('evolver.conflict_detected')).toEqual([about(conflict, 2)]);
    expect(await take('skill.superseded')).toEqual([
      {
        ...about(conflict, 2),
        supersededId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        link: `${SITE}/skills/${conflict.skillName}`,
      },
    ]);
    expect(await take('evolver.disabled')).toEqual([{ id: 'GUILDBOOK_EVOLVER_ENABLED', link: `${SITE}/cycles` }]);

    expect(decisions.events).toEqual(WEBHOOK_EVENTS.filter((event) => event.startsWith('proposal.')));
    expect(other.messages.map(({ body }) => JSON.parse(body).type)).toEqual([
      'proposal.submitted',
      'proposal.approved',
      'proposal.submitted',
      'proposal.approved',
    ]);
  });

  it('receives a failed cycle once, with its reason', async () => {
    await app.admin.webhooks.add({ url: receiver.url, events: ['evolver.cycle_failed'] });
    await app.database.client.$executeRawUnsafe('ALTER TABLE "observation" RENAME COLUMN "body" TO "gone"');
    await expect(app.admin.evolver.run(false)).rejects.toMatchObject({ problem: { status: 500 } });
    const [cycle] = (await app.admin.evolver.reports()).items;
    expect(await take('evolver.cycle_failed')).toEqual([
      { id: cycle?.id, reason: cycle?.error, link: `${SITE}/cycles/${cycle?.id}` },
    ]);
    expect(receiver.messages).toHaveLength(1);
  });
});

describe('a webhook for people', () => {
  it('receives signed messages in the format of its chat, and tests in the same', async () => {
    const slack = await app.admin.webhooks.add({ url: receiver.url, format: 'slack', events: ['proposal.submitted'] });
    await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.evolver.run(false);
    const { id, title, evidence } = await onlyPending(app);
    await deliverDue();
    await app.admin.webhooks.test(slack.id);
    await app.admin.webhooks.remove(slack.id);

    const teams = await app.admin.webhooks.add({ url: receiver.url, format: 'teams', events: ['proposal.rejected'] });
    expect((await app.admin.webhooks.list()).items).toMatchObject([{ id: teams.id, format: 'teams' }]);
    await app.admin.proposals.reject(id, 'No.');
    await deliverDue();
    await app.admin.webhooks.test(teams.id);

    const link = `${SITE}/review/${id}`;
    const figures = `${evidence.agents} agents, ${evidence.executions} executions, ${evidence.failures} failures`;
    const escaped = title.replace(/</g, '&lt;').replace(/>/g, '&gt;');
    const [toSlack, slackTest, toTeams, teamsTest] = received();
    expect(toSlack.text).toBe(`New proposal to review: ${escaped}: ${figures}`);
    expect(toSlack.blocks[1].elements).toMatchObject([{ type: 'button', url: link }]);
    expect(slackTest).toMatchObject({ text: 'Test message from Guildbook', blocks: [{ type: 'section' }] });
    const { content } = toTeams.attachments[0];
    expect(content.body[0].inlines).toEqual([{ type: 'TextRun', text: `Proposal rejected: ${title}: ${figures}` }]);
    expect(content.actions).toMatchObject([{ type: 'Action.OpenUrl', url: link }]);
    expect(JSON.stringify(teamsTest)).toContain('Test message from Guildbook');
    for (const [at, message] of receiver.messages.entries())
      expect(isSigned(message, at < 2 ? slack.secret : teams.secret)).toBe(true);
    const { items } = await app.admin.journal.list({ action: 'webhook.added' });
    expect(items.map(({ data }) => data)).toEqual([
      { host: '127.0.0.1', events: ['proposal.submitted'], format: 'slack' },
      { host: '127.0.0.1', events: ['proposal.rejected'], format: 'teams' },
    ]);
  });
});
