import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { journalOf, liveSkillOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { RequestRetirement } from './request-retirement.js';

const ACTOR = jobActor('test');
const REQUEST: RetirementRequest = {
  reason: 'dependency-changed',
  says: 'Learned on one-model, used on another.',
  was: ['one-model'],
  is: [{ model: 'another', executions: 9, agents: 3 }],
  executions: 10,
  onOthers: 9,
};

describe('requesting the retirement of a skill', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(RequestRetirement);
  const request = (skill: MemoryEntry) => verb().request(ACTOR, skill, REQUEST);
  const requests = (skill: MemoryEntry) =>
    app.database.client.proposal.findMany({ where: { supersedesId: skill.id, kind: 'retire' } });

  it('opens an urgent proposal that names the live bytes, and leaves the skill live', async () => {
    const { entry, approved } = await liveSkillOf(app, rosa, 'Ask about this');
    expect(await request(entry)).toBe('opened');
    const [opened] = await requests(entry);
    expect(await storedProposal(app, opened?.id ?? '')).toMatchObject({
      state: 'pending',
      risk: 'high',
      artifactSha256: approved.artifactSha256,
      request: REQUEST,
    });
    expect((await app.admin.skills.show(approved.skillName)).version).toBe(1);
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const { entry } = await liveSkillOf(app, rosa, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await request(entry).catch(() => undefined);
    });
    expect(await requests(entry)).toEqual([]);
    await request(entry);
    const [opened] = await requests(entry);
    expect(await journalOf(app, opened?.id ?? '')).toMatchObject([
      { action: 'proposal.retirement_requested', kind: 'job', by: ACTOR.id, data: { reason: 'dependency-changed' } },
    ]);
  });

  it('refuses a person, who retires the skill instead', async () => {
    const { entry } = await liveSkillOf(app, rosa, 'Refuse this');
    // @ts-expect-error a reviewer requests no retirement
    await expect(verb().request(rosa, entry, REQUEST)).rejects.toThrow('not "reviewer"');
    expect(await requests(entry)).toEqual([]);
  });

  it('opens one proposal: a repeated request finds it pending, or its rejection remembered', async () => {
    const { entry } = await liveSkillOf(app, rosa, 'Ask about this once');
    expect([await request(entry), await request(entry)]).toEqual(['opened', 'pending']);
    const [opened] = await requests(entry);
    await app.admin.proposals.reject(opened?.id ?? '', 'it helps all the same');
    expect(await request(entry)).toBe('remembered');
    expect(await requests(entry)).toHaveLength(1);
  });
});
