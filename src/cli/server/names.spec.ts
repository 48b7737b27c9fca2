import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { onlyPending, proposedByFleet } from '../../../test/support/fleet.js';
import type { ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import { Guildbook } from '../../client/guildbook.js';
import {
  agentId,
  closedProposalId,
  clusterId,
  cycleId,
  familyFingerprint,
  lessonId,
  pendingProposalId,
  personId,
  proposalId,
  serviceId,
  upkeepRunId,
  webhookOf,
} from './names.js';

const UNKNOWN = { code: 'name.unknown', exit: 4 };

let app: TestApplication;
let client: Guildbook;
beforeAll(async () => {
  app = await startTestApplication();
  client = app.admin;
});
afterAll(() => app.close());

describe('an agent, a service or a person', () => {
  it('is found by name, by the beginning of the id and by address', async () => {
    const { id } = await app.agent('build-bot');
    const service = await client.services.add({ name: 'build-bot', scopes: ['read'] });
    const rosa = await app.person('Rosa', { reviewer: true });
    expect(await agentId(client, 'build-bot')).toBe(id);
    expect(await agentId(client, id.slice(0, 8).toUpperCase())).toBe(id);
    expect(await serviceId(client, 'build-bot')).toBe(service.principal.id);
    for (const given of ['Rosa', 'ROSA@example.org', rosa.id.slice(0, 12)])
      expect(await personId(client, given)).toBe(rosa.id);
    await expect(agentId(client, 'build-bto')).rejects.toMatchObject({
      ...UNKNOWN,
      message: expect.stringContaining('Did you mean "build-bot"?'),
    });
    await expect(personId(client, 'build-bot')).rejects.toMatchObject(UNKNOWN);
  });

  it('is the one that has the name, not the one whose id begins with it', async () => {
    const { id } = await app.agent('target');
    const taken = id.slice(0, 8);
    const other = await app.agent(taken);
    expect(await agentId(client, taken)).toBe(other.id);
    expect(await agentId(client, id.slice(0, 9))).toBe(id);
  });

  it('is taken as it is with a whole id, without a request', async () => {
    const unreachable = new Guildbook({ server: 'http://127.0.0.1:9' });
    const id = '0b9d3c52-7f41-4c7e-9a51-1f2e3d4c5b6a';
    for (const named of [agentId, serviceId, personId, pendingProposalId, proposalId, lessonId, upkeepRunId, cycleId])
      expect(await named(unreachable, id)).toBe(id);
    expect(await clusterId(unreachable, id, 'pending')).toBe(id);
    expect(await webhookOf(unreachable, id)).toMatchObject({ id });
    expect(await familyFingerprint(unreachable, 'ab'.repeat(32))).toBe(`sha256:${'ab'.repeat(32)}`);
  });
});

describe('a webhook', () => {
  it('is found by its URL', async () => {
    const { id } = await client.webhooks.add({ url: 'https://hooks.invalid/x' });
    expect(await webhookOf(client, 'https://hooks.invalid/x')).toMatchObject({ id });
    expect(await webhookOf(client, id.slice(0, 5))).toMatchObject({ id });
  });
});

describe('a lesson and an upkeep run', () => {
  it('are found by the beginning of their id, live or ended, and by nothing else', async () => {
    const ada = await app.agent('Ada');
    const stored = [];
    for (const lesson of ['Zeppelins land against the wind', 'Herons nest in the crane'])
      stored.push((await ada.client.remember({ lesson, tags: ['non-inferable'] })).id);
    const [first = '', second = ''] = stored;
    await client.lesson.retire(second, 'It moved away.');
    for (const id of [first, second]) expect(await lessonId(client, id.slice(0, 8))).toBe(id);
    expect((await client.lessons({ id: first.slice(0, 13) })).items.map(({ id }) => id)).toEqual([first]);
    await expect(lessonId(client, 'Zeppelins')).rejects.toMatchObject(UNKNOWN);
    await expect(client.lessons({ id: '0b9' })).rejects.toMatchObject({
      problem: { status: 400, detail: 'id: must be the first 4 or more characters of an id' },
    });
    const run = await client.upkeep.run(true);
    await client.upkeep.run(true);
    expect(await upkeepRunId(client, run.id.slice(0, 8))).toBe(run.id);
    expect((await client.upkeep.list({ id: run.id.slice(0, 8) })).items.map(({ id }) => id)).toEqual([run.id]);
    await expect(upkeepRunId(client, 'latest')).rejects.toMatchObject(UNKNOWN);
  });
});

describe('a proposal', () => {
  let proposal: ProposalSummary;

  it('is found by skill name, title and beginning of the id while it is pending', async () => {
    proposal = await proposedByFleet(app, ['ben', 'cleo', 'dora']);
    const { id, skillName, title } = await onlyPending(app);
    const slug = title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    for (const given of [skillName, title, slug, id.slice(0, 4)]) {
      expect(await pendingProposalId(client, given)).toBe(id);
      expect(await proposalId(client, given)).toBe(id);
    }
    expect(await clusterId(client, proposal.cluster.id.slice(0, 8), 'pending')).toBe(proposal.cluster.id);
    await expect(closedProposalId(client, id.slice(0, 8))).rejects.toMatchObject(UNKNOWN);
  });

  it('is found by the beginning of its id after the decision, and can then be reopened but not approved', async () => {
    const start = proposal.id.slice(0, 8);
    await client.proposals.reject(proposal.id, 'The image is being replaced.');
    expect(await proposalId(client, start)).toBe(proposal.id);
    expect(await closedProposalId(client, start)).toBe(proposal.id);
    await expect(pendingProposalId(client, start)).rejects.toMatchObject({
      ...UNKNOWN,
      message: expect.stringContaining('There is no pending proposal'),
    });
    await expect(proposalId(client, proposal.skillName)).rejects.toMatchObject(UNKNOWN);
  });
});

describe('a family and a cycle', () => {
  it('are found by the beginning of fingerprint and id', async () => {
    const cycle = await client.evolver.run(false);
    const { items } = await client.evolver.families({ limit: 100 });
    const fingerprint = items[0]?.fingerprint ?? '';
    const start = fingerprint.slice(0, 'sha256:'.length + 16);
    expect(await familyFingerprint(client, start)).toBe(fingerprint);
    expect(await familyFingerprint(client, start.replace('sha256:', ''))).toBe(fingerprint);
    await expect(familyFingerprint(client, 'zzzz')).rejects.toMatchObject(UNKNOWN);
    expect(await cycleId(client, cycle.id.slice(0, 8))).toBe(cycle.id);
    await expect(cycleId(client, 'newest')).rejects.toMatchObject(UNKNOWN);
  });
});
